/** Questions about results and what they cost: how good, at what price, and whether by luck. */
import { CONFIG_COLUMNS } from '../tables.ts'

// A question of the cookbook: its words and its SQL. The list of `dcalab sql --examples` and COOKBOOK.md follow from it.

export interface CookbookParameter {
  readonly meaning: string
  /** `text` keeps digits as they are: a fingerprint may consist of nothing else. */
  readonly kind: 'text' | 'number'
  /** The default; null = no restriction. */
  readonly usual: string | number | null
}

export interface CookbookQuery {
  /** The question in a few words. */
  readonly title: string
  /** What the answer says, and how to read it. */
  readonly answers: string
  /** By name, as `:name` in the SQL. */
  readonly parameters: Readonly<Record<string, CookbookParameter>>
  /** One statement over the views, in SQL that SQLite 3.40 understands. */
  readonly sql: string
}

/** Parameters that several questions share. */
export const STUDY: CookbookParameter = { meaning: 'name of a study; NULL for all', kind: 'text', usual: null }
export const TOP: CookbookParameter = { meaning: 'how many of the best of each study', kind: 'number', usual: 20 }

const FROM: CookbookParameter = {
  meaning: 'first day, as 2021-05-13; NULL for the days in which the trials of the study lost most',
  kind: 'text',
  usual: null,
}

/** A screen of several markets is stored as one screen for each, with one time of saving. */
const LATEST_SCREEN = `with latest as (
  select s.*
  from screen s
  where (:study is null or s.study = :study)
    and s.saved_at = (select max(l.saved_at) from screen l where l.study = s.study)
)`

const CONFIG = Object.values(CONFIG_COLUMNS).join(', ')

/** The questions of this file; their names and their order are the cookbook’s. */
export const OF_RESULTS = {
  // What lies around a winner: in the study, in the screen, and in a week that hurt.

  plateauAroundTheWinner: {
    title: 'Plateau around the winner',
    answers:
      'The best trials by the objective of their study beside their neighbours, which differ in one field by one step. A winner on a plateau has neighbours that earn as much. A winner far above them was lucky. NULL where no neighbour is finished or the winner earned nothing.',
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
  },

  whichParameterHurts: {
    title: 'Which parameter hurts in the crash week',
    answers:
      'What the trials with each value of a varied field gained or lost in one week, as the sum of their daily returns. `apart_percent` is the best value of a field less its worst. The field with the largest difference is first.',
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
  },

  nearTheWinnerInAScreen: {
    title: 'Near the winner in a screen',
    answers:
      'The configurations at the top of the latest saved screen that differ from the first in few fields, the winner included. Where many of them are near the top, the exact values do not matter much. A screen stores only its top, so a missing configuration may be worse or outside the limits.',
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
  },

  screenAgainstService: {
    title: 'Screen against service',
    answers:
      'What the latest saved screen computed, beside the service’s result of the same trial. On the same candles, differences come from conventions, costs and symbol rules.',
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
  },

  // The daily limit and what it was spent on, and the definitions that a study has had.

  unitsPerDay: {
    title: 'Service backtests per day',
    answers:
      'Backtests of the daily limit by UTC day and service: how many may have been counted (`units`), how many the service accepted, and how many brought nothing. The limit itself counts the last 24 hours, not days.',
    parameters: { study: STUDY },
    sql: `select substr(coalesce(a.counted_at, a.opened_at), 1, 10) as day, a.service, a.account, sum(a.counted) as units,
  sum(a.state in ('acked', 'adopted')) as accepted, sum(a.counted and a.state = 'rejected') as paid_and_refused,
  sum(a.counted and a.state not in ('acked', 'adopted', 'rejected')) as unsure, sum(a.kind = 'other') as of_other_clients,
  sum(a.is_in_window) as in_the_last_24_hours, count(distinct coalesce(q.study, a.study)) as studies
from attempts a
left join study_runs q using (run)
where (:study is null or coalesce(q.study, a.study) = :study)
group by day, a.service, a.account
order by day, a.service, a.account`,
  },

  costOfEachInsight: {
    title: 'Cost of each insight in service backtests',
    answers:
      'How many service backtests (`units`) each study has cost: in all, for each result, and for each result with a profit. Results that other studies paid for are not counted. NULL where there is none.',
    parameters: { study: STUDY },
    sql: `select coalesce(q.study, a.study) as study, a.service, sum(a.counted) as units, count(r.job_id) as results,
  sum(coalesce(r.net_profit > 0, 0)) as profitable, sum(a.job_state in ('failed', 'gone')) as failed,
  round(1.0 * sum(a.counted) / nullif(count(r.job_id), 0), 2) as units_per_result,
  round(1.0 * sum(a.counted) / nullif(sum(r.net_profit > 0), 0), 2) as units_per_profitable,
  round(max(r.net_profit), 2) as best_net_profit, min(a.opened_at) as first_at, max(a.opened_at) as last_at
from attempts a
left join study_runs q using (run)
left join results r on r.identity = a.identity and r.job_id = a.job_id
where a.kind <> 'other' and (:study is null or coalesce(q.study, a.study) = :study)
group by 1, 2
order by 1, 2`,
  },

  whatARevisionChanged: {
    title: 'What changed between two revisions',
    answers:
      'Every line of a definition that differs from the revision before, with both values. NULL where one of them has no such line.',
    parameters: { study: STUDY },
    sql: `with lines as (
  select r.study, r.revision, r.first_saved_at, 'grid.' || (x.value ->> 'field') as line, x.value ->> 'values' as value
  from revisions r, json_each(r.definition_json, '$.axes') x
  where (:study is null or r.study = :study)
  union all
  select r.study, r.revision, r.first_saved_at, substr(t.fullkey, 3),
    case when t.type = 'integer' and t.key in ('from', 'to') then strftime('%Y-%m-%dT%H:%M:%SZ', t.atom / 1000, 'unixepoch') else t.atom end
  from revisions r, json_tree(r.definition_json) t
  where (:study is null or r.study = :study) and t.atom is not null
    and t.fullkey not like '$.axes%' and t.fullkey <> '$.fingerprint'
),
pairs as (
  select study, lag(revision) over (partition by study order by revision) as earlier, revision as later, first_saved_at as changed_at
  from revisions
)
select p.study, p.later as revision, p.changed_at, n.line, a.value as before, b.value as after
from pairs p
join (select distinct study, line from lines) n on n.study = p.study
left join lines a on a.study = p.study and a.revision = p.earlier and a.line = n.line
left join lines b on b.study = p.study and b.revision = p.later and b.line = n.line
where p.earlier is not null and a.value is not b.value
order by p.study, p.later, n.line`,
  },

  // How good, and at what price.

  shareOfOneMonth: {
    title: 'Share of one month or deal',
    answers:
      'How much of the profit came in the best month, and how much of the realized profit from the best deal. A profit from one month alone may be luck until another period shows it again. NULL where there was no profit to share, and the months where daily equity was not reported or was cleaned away.',
    parameters: { study: STUDY, top: TOP },
    sql: `with best as (select * from answers where (:study is null or study = :study) and rank <= :top),
months as (
  select b.study, b.identity, b.fingerprint, m.month, m.profit_quote as profit, sum(m.profit_quote) over one_trial as total,
    row_number() over (one_trial order by m.profit_quote desc nulls last, m.month) as place
  from best b join monthly_returns m using (identity, job_id)
  window one_trial as (partition by b.study, b.identity, b.fingerprint)
),
traded as (
  select b.study, b.identity, b.fingerprint, max(d.profit_quote) as best_deal, sum(d.profit_quote) as realized
  from best b join deals d using (identity, job_id) group by 1, 2, 3
)
select b.study, b.service, b.market, b.rank, b.trial, round(m.total, 2) as profit,
  case when m.profit is not null then m.month end as best_month,
  round(m.profit, 2) as best_month_profit,
  case when m.total > 0 then round(100 * m.profit / m.total, 1) end as best_month_percent,
  case when d.realized > 0 then round(100 * d.best_deal / d.realized, 1) end as best_deal_percent
from best b
join months m on m.study = b.study and m.identity = b.identity and m.fingerprint = b.fingerprint and m.place = 1
left join traded d on d.study = b.study and d.identity = b.identity and d.fingerprint = b.fingerprint
order by b.study, b.service, b.rank, b.market`,
  },

  robustOverMarkets: {
    title: 'Robust over markets',
    answers:
      'Each configuration over all markets and periods with an answer: on how many it made a profit, and its worst one. First come those with most answers, and of them the one with the best worst result. With one market and period this is the leaderboard; run the same study on others.',
    parameters: { study: STUDY, top: { meaning: 'how many configurations', kind: 'number', usual: 20 } },
    sql: `with once as (
  select distinct config_fingerprint, service, market, period_from, period_to, roi_percent, max_drawdown_percent, ${CONFIG}
  from answers
  where (:study is null or study = :study)
)
select service, count(*) as results, count(distinct market) as markets, sum(roi_percent > 0) as profitable,
  round(min(roi_percent), 2) as worst_roi_percent, round(avg(roi_percent), 2) as average_roi_percent,
  round(max(max_drawdown_percent), 2) as worst_drawdown_percent, ${CONFIG}
from once
group by service, config_fingerprint
order by results desc, min(roi_percent) desc, config_fingerprint
limit :top`,
  },

  whatTheStopBought: {
    title: 'What the stop bought',
    answers:
      'Each answer with a stop beside the same configuration without one: what the stop cost in profit, and what it saved in drawdown. No rows where a study does not vary `stopLoss` with 0 among its values.',
    parameters: { study: STUDY },
    sql: `select s.study, s.service, s.market, s.trial, s.stop_loss_percent, f.trial as trial_without,
  round(s.net_profit, 2) as profit, round(f.net_profit, 2) as profit_without,
  round(s.net_profit - f.net_profit, 2) as profit_gained,
  round(s.max_drawdown_percent, 2) as drawdown_percent, round(f.max_drawdown_percent, 2) as drawdown_without_percent,
  round(f.max_drawdown_percent - s.max_drawdown_percent, 2) as drawdown_saved_percent
from answers s
join answers f using (study, ${['market, period_from, period_to', ...Object.values(CONFIG_COLUMNS).filter((name) => name !== 'stop_loss_percent')].join(', ')})
where f.stop_loss_percent = 0 and s.stop_loss_percent > 0 and (:study is null or s.study = :study)
order by profit_gained desc, s.study, s.trial`,
  },

  capitalUsedAndIdle: {
    title: 'Capital used and idle',
    answers:
      'How much of the investment the best trials ever used, how much of it was idle on average, and the return on the most that was used. Capital that is never used could trade elsewhere, but the ladder may need it in a crash that this period did not have.',
    parameters: { study: STUDY, top: TOP },
    sql: `select a.study, a.service, a.market, a.rank, a.trial, a.investment, round(a.used_capital_max, 2) as used_most,
  round(a.used_capital_average, 2) as used_average, round(100 * a.used_capital_max / a.investment, 1) as used_most_percent,
  round(100 * (1 - a.used_capital_average / a.investment), 1) as idle_average_percent,
  round(r.time_in_deal_percent, 1) as time_in_deal_percent, round(r.time_fully_invested_percent, 1) as time_fully_invested_percent,
  round(a.roi_percent, 2) as roi_percent, round(r.roi_on_max_used_percent, 2) as roi_on_used_percent
from answers a
join results r using (identity, job_id)
where (:study is null or a.study = :study) and a.rank <= :top
order by a.study, a.service, a.rank, a.market`,
  },

  profitPerDrawdown: {
    title: 'Profit per drawdown',
    answers:
      'Percent earned for each percent of drawdown, at closes and at lows, best first, beside the same figure of buying and holding. NULL where there was no drawdown.',
    parameters: { study: STUDY, top: { meaning: 'how many trials', kind: 'number', usual: 20 } },
    sql: `select a.study, a.service, a.market, a.rank, a.trial, round(a.roi_percent, 2) as roi_percent,
  round(a.max_drawdown_percent, 2) as drawdown_percent, round(a.roi_percent / nullif(a.max_drawdown_percent, 0), 2) as roi_per_drawdown,
  round(a.roi_percent / nullif(r.max_drawdown_low_percent, 0), 2) as roi_per_drawdown_at_lows,
  round(r.buy_and_hold_percent / nullif(r.buy_and_hold_max_drawdown_percent, 0), 2) as buy_and_hold_per_drawdown
from answers a
join results r using (identity, job_id)
where (:study is null or a.study = :study)
order by a.roi_percent / nullif(a.max_drawdown_percent, 0) desc, a.study, a.rank, a.trial
limit :top`,
  },

  costSensitivity: {
    title: 'What other fees and slippages leave',
    answers:
      'What the results of each study earn under other costs, how many stay profitable, and which is then the best. Run `dcalab examine <study> --costs` first: it is free. A study whose profit disappears at twice the fee depends on the exchange.',
    parameters: { study: STUDY },
    sql: `select a.study, a.service, a.market, c.value ->> 'feePercent' as fee_percent, c.value ->> 'slippagePercent' as slippage_percent,
  count(*) as results, sum(c.value ->> 'netProfit' > 0) as profitable, round(avg(c.value ->> 'netProfit'), 2) as average_net_profit,
  round(max(c.value ->> 'netProfit'), 2) as best_net_profit, a.trial as best_trial
from answers a
join results r using (identity, job_id)
join json_each(r.cost_sensitivity_json) c
where (:study is null or a.study = :study)
group by 1, 2, 3, 4, 5
order by 1, 2, 3, 4, 5`,
  },

  feeShare: {
    title: 'Fee share',
    answers:
      'What the fees took of the profit before fees. With a small take profit a bot trades often, and much of the profit goes to the exchange. NULL where there was no profit even before fees.',
    parameters: { study: STUDY, top: TOP },
    sql: `select study, service, market, rank, trial, take_profit_percent, closed_deals, round(fees_paid, 2) as fees,
  round(net_profit, 2) as net_profit, round(net_profit + fees_paid, 2) as profit_before_fees,
  case when net_profit + fees_paid > 0 then round(100 * fees_paid / (net_profit + fees_paid), 1) end as fee_share_percent
from answers
where (:study is null or study = :study) and rank <= :top
order by study, service, rank, market`,
  },

  stretchesOfAVerdict: {
    title: 'Stretches of a verdict',
    answers:
      'Every stretch of history on which the last verdict judged a result. Each begins without a position and has worst-case fills: what the configuration and the plain ladder earned, on how much capital, and what the price did. The excess of the verdict is the mean of `over_holding`.',
    parameters: { study: STUDY },
    sql: `select v.study, v.service, v.market, v.trial, v.judged_at, s.key + 1 as stretch, s.value ->> 'from' as from_at, s.value ->> 'to' as to_at,
  s.value ->> 'netProfit' as net_profit, s.value ->> 'usedCapital' as used_capital, s.value ->> 'holdPercent' as hold_percent,
  (s.value ->> 'netProfit') - avg(s.value ->> 'usedCapital') over (partition by v.fingerprint, v.identity, v.judged_at)
    * (s.value ->> 'holdPercent') / 100 as over_holding,
  s.value ->> 'changePercent' as change_percent, s.value ->> 'maxDrawdownPercent' as drawdown_percent,
  s.value ->> 'plainNetProfit' as plain_net_profit, s.value ->> 'plainUsedCapital' as plain_used_capital
from verdicts v, json_each(v.stretches_json) s
where v.is_current and (:study is null or v.study = :study)
order by v.study, v.market, v.trial, stretch`,
  },
} as const satisfies Readonly<Record<string, CookbookQuery>>
