/** Questions about the deals of single trials. */
import { type CookbookParameter, type CookbookQuery, STUDY, TOP } from './query.ts'

const TRIAL: CookbookParameter = {
  meaning: 'beginning of a fingerprint; NULL for the first of each leaderboard',
  kind: 'text',
  usual: null,
}

export const dealsByHour: CookbookQuery = {
  title: 'Deals by hour',
  answers:
    'Closed deals by the hour (UTC) in which they were opened: how many, what they earned, how long they took and how deep they went. Differences between hours with few deals are noise.',
  parameters: { study: STUDY, trial: TRIAL },
  sql: `select l.study, l.trial, substr(d.value ->> 'openedAt', 12, 2) as hour, count(*) as deals,
  round(sum(d.value ->> 'profit'), 2) as profit, round(avg(d.value ->> 'profit'), 3) as profit_per_deal,
  round(avg((julianday(d.value ->> 'closedAt') - julianday(d.value ->> 'openedAt')) * 1440)) as average_minutes,
  round(avg(d.value ->> 'safetyOrders'), 2) as average_safety_orders,
  sum(d.value ->> 'exit' = 'stopLoss') as stop_losses
from leaderboard l, json_each(l.deals_json) d
where (:study is null or l.study = :study)
  and (l.fingerprint like :trial || '%' or :trial is null and l.rank = 1)
group by l.study, l.identity, l.fingerprint, hour
order by l.study, l.trial, hour`,
}

export const safetyOrderDistribution: CookbookQuery = {
  title: 'Safety-order distribution',
  answers:
    'How many deals needed how many safety orders, and how many needed at least that many. Rungs that no deal reached are capital that waited in vain, or the reserve for a worse fall.',
  parameters: { study: STUDY, trial: TRIAL },
  sql: `with rungs as (
  select l.study, l.identity, l.fingerprint, l.trial, l.dca_max_safety_orders, h.key as safety_orders, h.value as deals
  from leaderboard l, json_each(l.safety_orders_histogram_json) h
  where (:study is null or l.study = :study)
    and (l.fingerprint like :trial || '%' or :trial is null and l.rank = 1)
)
select study, trial, dca_max_safety_orders as safety_orders_allowed, safety_orders, deals,
  round(100.0 * deals / nullif(sum(deals) over one_trial, 0), 1) as deals_percent,
  round(100.0 * sum(deals) over (one_trial order by safety_orders desc) / nullif(sum(deals) over one_trial, 0), 1)
    as at_least_percent
from rungs
window one_trial as (partition by study, identity, fingerprint)
order by study, trial, safety_orders`,
}

export const worstOpenLoss: CookbookQuery = {
  title: 'Worst open loss per deal',
  answers:
    'How deep the best trials stood in the red with a deal at a candle low, beside their worst closed deal and their worst wait. A bot without a stop never closes at a loss; this is the loss that it sat through. What its deals would say is NULL where they are not kept, as after a prune.',
  parameters: { study: STUDY, top: TOP },
  sql: `with best as (
  select study, identity, fingerprint, rank, trial, job_id, investment, max_floating_loss, closed_deals
  from leaderboard
  where (:study is null or study = :study) and rank <= :top
),
closed as (
  select b.study, b.identity, b.fingerprint, count(*) as deals, sum(d.profit_quote < 0) as losses,
    min(d.profit_quote) as worst, max(d.minutes) as longest, count(d.lowest_value_quote) as told,
    sum(d.lowest_value_quote < 0) as in_the_red
  from best b
  join deals d on d.identity = b.identity and d.job_id = b.job_id
  group by b.study, b.identity, b.fingerprint
)
select b.study, b.rank, b.trial, round(b.max_floating_loss, 2) as worst_open_loss,
  round(100 * b.max_floating_loss / b.investment, 2) as worst_open_loss_percent, b.closed_deals,
  case when b.closed_deals = 0 then 0 else c.losses end as closed_at_a_loss, round(c.worst, 2) as worst_closed_deal, round(c.longest) as longest_minutes,
  case when b.closed_deals = 0 then 0 when c.told = c.deals then c.in_the_red end as deals_in_the_red
from best b
left join closed c on c.study = b.study and c.identity = b.identity and c.fingerprint = b.fingerprint
order by b.study, b.rank, b.trial`,
}

export const whichTrialsTradeAlike: CookbookQuery = {
  title: 'Which trials trade alike',
  answers:
    'Trials whose deals open and close on the same candles, in the same way and with as many safety orders: a field that differs between them had no effect in this period. They count as one look, not as several.',
  parameters: { study: STUDY },
  sql: `with traded as (
  select l.study, l.identity, l.trial, l.rank, l.net_profit, (
    select group_concat(d.opened_at || d.closed_at || d.exit || d.safety_orders) from (
      select opened_at, closed_at, exit, safety_orders from deals
      where identity = l.identity and job_id = l.job_id
      order by n) d) as deals
  from leaderboard l
  where (:study is null or l.study = :study)
)
select study, identity, count(*) as trials, min(rank) as best_rank, round(max(net_profit), 2) as best_net_profit,
  round(min(net_profit), 2) as worst_net_profit, group_concat(trial, ' ') as alike
from (select * from traded order by rank)
where deals is not null
group by study, identity, deals
order by study, identity, trials desc, best_rank`,
}
