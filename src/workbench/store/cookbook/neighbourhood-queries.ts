/** Questions about what lies around a winner: in the study, in the screen, and in a week that hurt. */
import { type CookbookParameter, type CookbookQuery, STUDY, TOP } from './query.ts'

export const plateauAroundTheWinner: CookbookQuery = {
  title: 'Plateau around the winner',
  answers:
    'The best trials by the objective of their study beside their neighbours, which differ in one field by one step. A winner whose neighbours earn as much stands on a plateau; one that stands alone was lucky. NULL where no neighbour is finished or the winner earned nothing.',
  parameters: { study: STUDY, top: { ...TOP, usual: 5 } },
  sql: `with board as (
  select study, identity, fingerprint, trial, objective_rank, objective, net_profit
  from leaderboard
  where (:study is null or study = :study)
),
best as (select * from board where objective_rank <= :top),
near as (
  select b.study, b.identity, b.fingerprint, o.net_profit
  from best b
  join neighbours n on n.study = b.study and n.fingerprint = b.fingerprint
  join board o on o.study = n.study and o.identity = b.identity and o.fingerprint = n.neighbour_fingerprint
)
select b.study, b.objective_rank, b.trial, round(b.objective, 4) as objective, round(b.net_profit, 2) as net_profit,
  count(n.fingerprint) as neighbours, coalesce(sum(n.net_profit > 0), 0) as profitable_neighbours,
  round(avg(n.net_profit), 2) as neighbours_average, round(min(n.net_profit), 2) as neighbours_worst,
  case when b.net_profit > 0 then round(100 * avg(n.net_profit) / b.net_profit, 1) end as average_of_winner_percent
from best b
left join near n on n.study = b.study and n.identity = b.identity and n.fingerprint = b.fingerprint
group by b.study, b.identity, b.fingerprint
order by b.study, b.objective_rank, b.trial`,
}

const FROM: CookbookParameter = {
  meaning: 'first day, as 2021-05-13; NULL for the days in which the trials of the study lost most',
  kind: 'text',
  usual: null,
}

export const whichParameterHurts: CookbookQuery = {
  title: 'Which parameter hurts in the crash week',
  answers:
    'For every varied field and value what its trials gained or lost in a week, as the sum of their daily returns, and how far the values of a field lie apart: the field that decided stands first.',
  parameters: { study: STUDY, from: FROM, days: { meaning: 'how many days', kind: 'number', usual: 7 } },
  sql: `with days as (
  select l.study, l.identity, l.fingerprint, d.date, d.return_percent
  from leaderboard l
  join equity_daily d on d.identity = l.identity and d.job_id = l.job_id
  where (:study is null or l.study = :study)
),
averages as (select study, date, avg(return_percent) as return_percent from days group by study, date),
weeks as (
  select a.study, a.date as first_day, sum(b.return_percent) as change, count(*) as days
  from averages a
  join averages b on b.study = a.study and b.date >= a.date and b.date < date(a.date, '+' || :days || ' days')
  group by a.study, a.date
),
crash as (
  select study, first_day, min(change) as change
  from weeks
  where days = :days and (:from is null or first_day = :from)
  group by study
),
fates as (
  select d.study, c.first_day, d.fingerprint, sum(d.return_percent) as change
  from days d
  join crash c on c.study = d.study and d.date >= c.first_day and d.date < date(c.first_day, '+' || :days || ' days')
  group by d.study, d.identity, d.fingerprint
),
by_value as (
  select f.study, f.first_day, p.column_name, p.value, count(*) as trials, avg(f.change) as average, min(f.change) as worst
  from fates f
  join parameters p on p.study = f.study and p.fingerprint = f.fingerprint and p.is_varied = 1
  group by f.study, p.column_name, p.value
)
select study, first_day, column_name, value, trials, round(average, 3) as average_percent, round(worst, 3) as worst_percent,
  round(max(average) over one_field - min(average) over one_field, 3) as apart_percent
from by_value
window one_field as (partition by study, column_name)
order by study, apart_percent desc, column_name, value`,
}

/** A screen of several markets is one of each, saved at the same time. */
const LATEST_SCREEN = `with latest as (
  select s.study, s.screen
  from screens s
  where (:study is null or s.study = :study)
    and s.saved_at = (select max(l.saved_at) from screens l where l.study = s.study)
)`

export const nearTheWinnerInAScreen: CookbookQuery = {
  title: 'Near the winner in a screen',
  answers:
    'The configurations at the top of the latest saved screen that differ from the first in few fields, the winner included. Many of them near the top say that the exact values do not matter much; the top alone is stored, so that a missing one may be worse or outside the bounds.',
  parameters: {
    study: STUDY,
    fields: { meaning: 'how many fields may differ', kind: 'number', usual: 1 },
  },
  sql: `${LATEST_SCREEN},
tops as (select s.* from latest l join screen_top s on s.screen = l.screen),
compared as (
  select t.*, w.net_profit as winner_profit,
    (t.dca_initial_order_size <> w.dca_initial_order_size) + (t.dca_max_safety_orders <> w.dca_max_safety_orders)
    + (t.dca_price_scale_percent <> w.dca_price_scale_percent) + (t.dca_volume_scale <> w.dca_volume_scale)
    + (t.dca_price_step_multiplier <> w.dca_price_step_multiplier) + (t.take_profit_percent <> w.take_profit_percent)
    + (t.stop_loss_percent <> w.stop_loss_percent) + (t.investment <> w.investment)
    + (t.dca_total_budget <> w.dca_total_budget) as fields_changed
  from tops t
  join tops w on w.screen = t.screen and w.rank = 1
)
select study, screen, market, rank, trial, fields_changed, round(net_profit, 2) as net_profit,
  case when winner_profit > 0 then round(100 * net_profit / winner_profit, 1) end as of_winner_percent,
  dca_initial_order_size, dca_max_safety_orders, dca_price_scale_percent, dca_volume_scale, dca_price_step_multiplier,
  take_profit_percent, stop_loss_percent
from compared
where fields_changed <= :fields
order by study, screen, rank`,
}

export const screenAgainstService: CookbookQuery = {
  title: 'Screen against service',
  answers:
    'What the latest saved screen computed beside what the service answered for the same trial. Differences under equal candles are those of conventions, costs and symbol rules.',
  parameters: { study: STUDY },
  sql: `${LATEST_SCREEN}
select s.study, s.screen, s.market, s.rank, s.trial, r.identity, round(s.net_profit, 2) as screen_profit,
  round(r.net_profit, 2) as service_profit, round(r.net_profit - s.net_profit, 2) as difference,
  s.closed_deals as screen_deals, r.closed_deals as service_deals, s.fee_percent as screen_fee_percent,
  r.fee_percent as service_fee_percent, s.candles_hash = r.candles_hash as same_candles
from latest l
join screen_top s on s.screen = l.screen
join results r on r.fingerprint = s.fingerprint
order by s.study, s.screen, s.rank, r.identity`,
}
