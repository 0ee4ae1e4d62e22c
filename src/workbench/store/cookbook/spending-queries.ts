/** Questions about the allowance: what was paid, and what for. */
import { type CookbookQuery, STUDY } from './query.ts'

export const unitsPerDay: CookbookQuery = {
  title: 'Units per day',
  answers:
    'Units of the allowance by UTC day and service: how many may have been counted, how many the service took, and how many were spent on nothing. The allowance itself counts 24 hours back from every moment, not days.',
  parameters: { study: STUDY },
  sql: `with spent as (
  select a.*, coalesce(q.study, a.study) as study_now
  from attempts a
  left join study_runs q on q.run = a.run
)
select substr(coalesce(counted_at, opened_at), 1, 10) as day, identity, account, sum(counted) as units,
  sum(state in ('acked', 'adopted')) as accepted, sum(counted and state = 'rejected') as paid_and_refused,
  sum(counted and state not in ('acked', 'adopted', 'rejected')) as unsure, count(distinct study_now) as studies
from spent
where (:study is null or study_now = :study)
group by day, identity, account
order by day, identity, account`,
}

export const costOfEachInsight: CookbookQuery = {
  title: 'Cost of each insight in units',
  answers:
    'What each study has cost in units of the allowance, and how many units were paid for each result, and for each result with a profit. Results that other studies had paid for are not counted here. NULL where there is none.',
  parameters: { study: STUDY },
  sql: `with paid as (
  select coalesce(q.study, a.study) as study, a.identity, sum(counted) as units, min(opened_at) as first_at, max(opened_at) as last_at
  from attempts a
  left join study_runs q on q.run = a.run
  group by 1, 2
),
found as (
  select coalesce(q.study, r.study) as study, r.identity, count(*) as jobs, sum(state = 'done') as results,
    sum(state = 'done' and net_profit > 0) as profitable, sum(state in ('failed', 'gone')) as failed, max(net_profit) as best_net_profit
  from runs r
  left join study_runs q on q.run = r.run
  where duplicate = 0
  group by 1, 2
)
select p.study, p.identity, p.units, coalesce(f.results, 0) as results, coalesce(f.profitable, 0) as profitable,
  coalesce(f.failed, 0) as failed, round(1.0 * p.units / nullif(f.results, 0), 2) as units_per_result,
  round(1.0 * p.units / nullif(f.profitable, 0), 2) as units_per_profitable, round(f.best_net_profit, 2) as best_net_profit,
  p.first_at, p.last_at
from paid p
left join found f on f.study = p.study and f.identity = p.identity
where (:study is null or p.study = :study)
order by p.study, p.identity`,
}
