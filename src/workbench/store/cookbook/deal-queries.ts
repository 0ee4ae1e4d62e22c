/** Questions about the deals of single trials. */
import { type CookbookParameter, type CookbookQuery, STUDY } from './query.ts'

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
