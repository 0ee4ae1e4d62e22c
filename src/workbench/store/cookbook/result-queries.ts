/** Questions about results: how good, at what price, and whether by luck. */
import { CONFIG_COLUMNS } from '../config-columns.ts'
import { type CookbookQuery, STUDY, TOP } from './query.ts'

export const shareOfOneMonth: CookbookQuery = {
  title: 'Share of one month or deal',
  answers:
    'How much of the profit came in the best month, and how much of the realized profit from the best deal. A result that one month made is luck until another period shows it again. NULL where there was no profit to share.',
  parameters: { study: STUDY, top: TOP },
  sql: `with best as (select * from answers where (:study is null or study = :study) and rank <= :top),
months as (
  select fingerprint, identity, study, month, profit_quote as profit, sum(profit_quote) over one_trial as total,
    row_number() over (one_trial order by profit_quote desc, month) as place
  from best join monthly_returns using (identity, job_id, fingerprint, study)
  window one_trial as (partition by study, identity, fingerprint)
),
traded as (
  select b.fingerprint, b.identity, max(d.profit_quote) as best_deal, sum(d.profit_quote) as realized
  from best b join deals d using (identity, job_id) group by 1, 2
)
select b.study, b.service, b.market, b.rank, b.trial, round(m.total, 2) as profit, m.month as best_month,
  round(m.profit, 2) as best_month_profit,
  case when m.total > 0 then round(100 * m.profit / m.total, 1) end as best_month_percent,
  case when d.realized > 0 then round(100 * d.best_deal / d.realized, 1) end as best_deal_percent
from best b
join months m on m.study = b.study and m.identity = b.identity and m.fingerprint = b.fingerprint and m.place = 1
left join traded d on d.identity = b.identity and d.fingerprint = b.fingerprint
order by b.study, b.service, b.rank, b.market`,
}

const CONFIG = Object.values(CONFIG_COLUMNS).join(', ')

export const robustOverMarkets: CookbookQuery = {
  title: 'Robust over markets',
  answers:
    'Each configuration over all markets and periods it has an answer on: on how many it made a profit, and its worst one. The best of the worst stand first among those with most answers. With one market and period this is the leaderboard; run the same study on others.',
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
}

export const whatTheStopBought: CookbookQuery = {
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
}

export const capitalUsedAndIdle: CookbookQuery = {
  title: 'Capital used and idle',
  answers:
    'How much of the investment the best trials ever used, how much of it lay idle on average, and the return on what was used at most. Capital that is never used could trade elsewhere; but it is what the ladder needs in a crash that this period did not have.',
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
}

export const profitPerDrawdown: CookbookQuery = {
  title: 'Profit per drawdown',
  answers:
    'Percent earned for each percent of drawdown, at closes and at lows, best first; and what buying and holding earned for its own. NULL where nothing was drawn down.',
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
}

export const feeShare: CookbookQuery = {
  title: 'Fee share',
  answers:
    'What the fees took of the profit before fees. A small take profit trades often and works for the exchange. NULL where there was no profit even before fees.',
  parameters: { study: STUDY, top: TOP },
  sql: `select study, service, market, rank, trial, take_profit_percent, closed_deals, round(fees_paid, 2) as fees,
  round(net_profit, 2) as net_profit, round(net_profit + fees_paid, 2) as profit_before_fees,
  case when net_profit + fees_paid > 0 then round(100 * fees_paid / (net_profit + fees_paid), 1) end as fee_share_percent
from answers
where (:study is null or study = :study) and rank <= :top
order by study, service, rank, market`,
}

export const stretchesOfAVerdict: CookbookQuery = {
  title: 'Stretches of a verdict',
  answers:
    'Every stretch of history that the last verdict on a result was judged on, each entered flat with worst-case fills: what the configuration and the plain ladder earned, on how much capital, and what the price did. The excess of the verdict is the mean of `over_holding`.',
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
}
