/** Questions about results: how good, at what price, and whether by luck. */
import { type CookbookQuery, STUDY, TOP } from './query.ts'

export const shareOfOneMonth: CookbookQuery = {
  title: 'Share of one month or deal',
  answers:
    'How much of the profit came in the best month, and how much of the realized profit from the best deal. A result that one month made is luck until another period shows it again. NULL where there was no profit to share.',
  parameters: { study: STUDY, top: TOP },
  sql: `with best as (
  select study, identity, fingerprint, trial, rank, investment, daily_equity_json, deals_json
  from leaderboard
  where (:study is null or study = :study) and rank <= :top
),
days as (
  select study, identity, fingerprint, trial, rank, investment, d.value ->> 'date' as day, d.value ->> 'equity' as equity
  from best, json_each(daily_equity_json) d
),
month_ends as (
  select *, substr(day, 1, 7) as month,
    row_number() over (partition by study, identity, fingerprint, substr(day, 1, 7) order by day desc) as from_end
  from days
),
months as (
  select study, identity, fingerprint, trial, rank, month,
    equity - lag(equity, 1, investment) over (partition by study, identity, fingerprint order by month) as profit
  from month_ends
  where from_end = 1
),
ranked_months as (
  select *, sum(profit) over one_trial as total,
    row_number() over (partition by study, identity, fingerprint order by profit desc, month) as place
  from months
  window one_trial as (partition by study, identity, fingerprint)
),
deals as (
  select study, identity, fingerprint, max(d.value ->> 'profit') as best_deal, sum(d.value ->> 'profit') as realized
  from best, json_each(deals_json) d
  group by 1, 2, 3
)
select m.study, m.rank, m.trial, round(m.total, 2) as profit, m.month as best_month, round(m.profit, 2) as best_month_profit,
  case when m.total > 0 then round(100 * m.profit / m.total, 1) end as best_month_percent,
  case when d.realized > 0 then round(100 * d.best_deal / d.realized, 1) end as best_deal_percent
from ranked_months m
left join deals d on d.study = m.study and d.identity = m.identity and d.fingerprint = m.fingerprint
where m.place = 1
order by m.study, m.rank, m.trial`,
}

export const robustOverMarkets: CookbookQuery = {
  title: 'Robust over markets',
  answers:
    'Each configuration over all markets and periods it has a result on: in how many it made a profit, and its worst one. The best of the worst stand first among those with most results. With one market and period this is the leaderboard; run the same study on others.',
  parameters: { study: STUDY, top: { meaning: 'how many configurations', kind: 'number', usual: 20 } },
  sql: `with results as (
  select distinct fingerprint, market, period_from, period_to, roi_percent, max_drawdown_percent,
    investment, dca_total_budget, dca_initial_order_size, dca_max_safety_orders, dca_price_scale_percent, dca_volume_scale,
    dca_price_step_multiplier, take_profit_percent, stop_loss_percent
  from leaderboard
  where (:study is null or study = :study)
)
select count(*) as results, count(distinct market) as markets, sum(roi_percent > 0) as profitable,
  round(min(roi_percent), 2) as worst_roi_percent, round(avg(roi_percent), 2) as average_roi_percent,
  round(max(max_drawdown_percent), 2) as worst_drawdown_percent,
  dca_initial_order_size, dca_max_safety_orders, dca_price_scale_percent, dca_volume_scale, dca_price_step_multiplier,
  take_profit_percent, stop_loss_percent, investment, dca_total_budget
from results
group by investment, dca_total_budget, dca_initial_order_size, dca_max_safety_orders, dca_price_scale_percent,
  dca_volume_scale, dca_price_step_multiplier, take_profit_percent, stop_loss_percent
order by results desc, min(roi_percent) desc, min(fingerprint)
limit :top`,
}

export const whatTheStopBought: CookbookQuery = {
  title: 'What the stop bought',
  answers:
    'Each result with a stop beside the same configuration without one: what the stop cost in profit, and what it saved in drawdown. No rows where a study does not vary `stopLoss` with 0 among its values.',
  parameters: { study: STUDY },
  sql: `select s.study, s.market, s.trial, s.stop_loss_percent, s.stop_losses, f.trial as trial_without,
  round(s.net_profit, 2) as profit, round(f.net_profit, 2) as profit_without,
  round(s.net_profit - f.net_profit, 2) as profit_gained,
  round(s.max_drawdown_low_percent, 2) as drawdown_percent, round(f.max_drawdown_low_percent, 2) as drawdown_without_percent,
  round(f.max_drawdown_low_percent - s.max_drawdown_low_percent, 2) as drawdown_saved_percent
from leaderboard s
join leaderboard f on f.study = s.study and f.identity = s.identity and f.market = s.market
  and f.period_from = s.period_from and f.period_to = s.period_to and f.investment = s.investment
  and f.dca_total_budget = s.dca_total_budget and f.dca_initial_order_size = s.dca_initial_order_size
  and f.dca_max_safety_orders = s.dca_max_safety_orders and f.dca_price_scale_percent is s.dca_price_scale_percent
  and f.dca_volume_scale is s.dca_volume_scale and f.dca_price_step_multiplier is s.dca_price_step_multiplier
  and f.take_profit_percent = s.take_profit_percent and f.stop_loss_percent = 0
where s.stop_loss_percent > 0 and (:study is null or s.study = :study)
order by profit_gained desc, s.study, s.trial`,
}

export const capitalUsedAndIdle: CookbookQuery = {
  title: 'Capital used and idle',
  answers:
    'How much of the investment the best trials ever used, how much of it lay idle on average, and the return on what was used at most. Capital that is never used could trade elsewhere; but it is what the ladder needs in a crash that this period did not have.',
  parameters: { study: STUDY, top: TOP },
  sql: `select study, rank, trial, investment, round(used_capital_max, 2) as used_most, round(used_capital_average, 2) as used_average,
  round(100 * used_capital_max / investment, 1) as used_most_percent,
  round(100 * (1 - used_capital_average / investment), 1) as idle_average_percent,
  round(time_in_deal_percent, 1) as time_in_deal_percent,
  round(time_fully_invested_percent, 1) as time_fully_invested_percent,
  round(roi_percent, 2) as roi_percent, round(roi_on_max_used_percent, 2) as roi_on_used_percent
from leaderboard
where (:study is null or study = :study) and rank <= :top
order by study, rank, trial`,
}

export const profitPerDrawdown: CookbookQuery = {
  title: 'Profit per drawdown',
  answers:
    'Percent earned for each percent of drawdown, at closes and at lows, best first; and what buying and holding earned for its own. NULL where nothing was drawn down.',
  parameters: { study: STUDY, top: { meaning: 'how many trials', kind: 'number', usual: 20 } },
  sql: `select study, rank, trial, round(roi_percent, 2) as roi_percent, round(max_drawdown_percent, 2) as drawdown_percent,
  round(roi_percent / nullif(max_drawdown_percent, 0), 2) as roi_per_drawdown,
  round(roi_percent / nullif(max_drawdown_low_percent, 0), 2) as roi_per_drawdown_at_lows,
  round(buy_and_hold_percent / nullif(buy_and_hold_max_drawdown_percent, 0), 2) as buy_and_hold_per_drawdown
from leaderboard
where (:study is null or study = :study)
order by roi_percent / nullif(max_drawdown_percent, 0) desc, study, rank, trial
limit :top`,
}

export const feeShare: CookbookQuery = {
  title: 'Fee share',
  answers:
    'What the fees took of the profit before fees. A small take profit trades often and works for the exchange. NULL where there was no profit even before fees.',
  parameters: { study: STUDY, top: TOP },
  sql: `select study, rank, trial, take_profit_percent, closed_deals, orders, round(fees_paid, 2) as fees,
  round(net_profit, 2) as net_profit, round(net_profit + fees_paid, 2) as profit_before_fees,
  case when net_profit + fees_paid > 0 then round(100 * fees_paid / (net_profit + fees_paid), 1) end as fee_share_percent
from leaderboard
where (:study is null or study = :study) and rank <= :top
order by study, rank, trial`,
}
