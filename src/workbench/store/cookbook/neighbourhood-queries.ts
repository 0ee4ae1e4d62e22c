/** Questions about what lies around a winner: in the study, in the screen, and in a week that hurt. */
import { type CookbookParameter, type CookbookQuery, STUDY, TOP } from './query.ts'

export const plateauAroundTheWinner: CookbookQuery = {
  title: 'Plateau around the winner',
  answers:
    'The best trials by the objective of their study beside their neighbours, which differ in one field by one step. A winner whose neighbours earn as much stands on a plateau; one that stands alone was lucky. NULL where no neighbour is finished or the winner earned nothing.',
  parameters: { study: STUDY, top: { ...TOP, usual: 5 } },
  sql: `with best as (select * from answers where (:study is null or study = :study) and rank <= :top),
near as (
  select p.study, p.fingerprint, n.net_profit
  from best b
  join parameters p on p.study = b.study and p.fingerprint = b.fingerprint and p.is_varied
  join answers n on n.study = p.study and n.fingerprint in (p.lower_fingerprint, p.higher_fingerprint)
)
select b.study, b.service, b.market, b.rank, b.trial, round(b.objective, 4) as objective, round(b.net_profit, 2) as net_profit,
  count(n.fingerprint) as neighbours, coalesce(sum(n.net_profit > 0), 0) as profitable_neighbours,
  round(avg(n.net_profit), 2) as neighbours_average, round(min(n.net_profit), 2) as neighbours_worst,
  case when b.net_profit > 0 then round(100 * avg(n.net_profit) / b.net_profit, 1) end as average_of_winner_percent
from best b
left join near n on n.study = b.study and n.fingerprint = b.fingerprint
group by b.study, b.fingerprint
order by b.study, b.service, b.rank, b.market`,
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
  select a.study, a.service, a.market, a.fingerprint, d.date, d.return_percent
  from answers a
  join equity_daily d using (identity, job_id)
  where (:study is null or a.study = :study)
),
averages as (select study, market, date, avg(return_percent) as return_percent from days group by study, market, date),
weeks as (
  select study, market, date as first_day, sum(return_percent) over following as change, count(*) over following as days
  from averages
  window following as (partition by study, market order by julianday(date) range between current row and :days - 1 following)
),
crash as (
  select study, market, first_day, min(change) as change
  from weeks
  where days = :days and (:from is null or first_day = :from)
  group by study, market
),
fates as (
  select d.study, d.service, d.market, c.first_day, d.fingerprint, sum(d.return_percent) as change
  from days d
  join crash c on c.study = d.study and c.market = d.market and d.date >= c.first_day and d.date < date(c.first_day, '+' || :days || ' days')
  group by d.study, d.service, d.market, d.fingerprint
)
select f.study, f.service, f.market, f.first_day, p.column_name, p.value, count(*) as trials, round(avg(f.change), 3) as average_percent,
  round(min(f.change), 3) as worst_percent, round(max(avg(f.change)) over one_field - min(avg(f.change)) over one_field, 3) as apart_percent
from fates f
join parameters p on p.study = f.study and p.fingerprint = f.fingerprint and p.is_varied
group by f.study, f.service, f.market, p.column_name, p.value
window one_field as (partition by f.study, f.market, p.column_name)
order by f.study, f.market, apart_percent desc, p.column_name, p.value`,
}

/** A screen of several markets is one of each, saved at the same time. */
const LATEST_SCREEN = `with latest as (
  select s.*
  from screen s
  where (:study is null or s.study = :study)
    and s.saved_at = (select max(l.saved_at) from screen l where l.study = s.study)
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
tops as (select l.study, l.market, r.* from latest l join screen_result r on r.screen_id = l.id),
compared as (
  select t.*, w.net_profit as winner_profit,
    (t.dca_initial_order_size <> w.dca_initial_order_size) + (t.dca_max_safety_orders <> w.dca_max_safety_orders)
    + (t.dca_price_scale_percent <> w.dca_price_scale_percent) + (t.dca_volume_scale <> w.dca_volume_scale)
    + (t.dca_price_step_multiplier <> w.dca_price_step_multiplier) + (t.take_profit_percent <> w.take_profit_percent)
    + (t.stop_loss_percent <> w.stop_loss_percent) + (t.investment <> w.investment)
    + (t.dca_total_budget <> w.dca_total_budget) as fields_changed
  from tops t
  join tops w on w.screen_id = t.screen_id and w.rank = 1
)
select study, screen_id as screen, market, rank, substr(fingerprint, 1, 12) as trial, fields_changed, round(net_profit, 2) as net_profit,
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
select l.study, l.id as screen, l.market, s.rank, r.trial, r.service, r.is_current, round(s.net_profit, 2) as screen_profit,
  round(r.net_profit, 2) as service_profit, round(r.net_profit - s.net_profit, 2) as difference,
  s.closed_deals as screen_deals, r.closed_deals as service_deals, l.fee_percent as screen_fee_percent,
  r.fee_percent as service_fee_percent, l.candles_hash = r.candles_hash as same_candles
from latest l
join screen_result s on s.screen_id = l.id
join results r on r.fingerprint = s.fingerprint
order by l.study, screen, s.rank, r.service`,
}
