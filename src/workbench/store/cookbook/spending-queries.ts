/** Questions about the daily limit and what it was spent on, and about the definitions that a study has had. */
import { type CookbookQuery, STUDY } from './query.ts'

export const unitsPerDay: CookbookQuery = {
  title: 'Units per day',
  answers:
    'Units of the allowance by UTC day and service: how many may have been counted, how many the service took, and how many were spent on nothing. The allowance itself counts 24 hours back from every moment, not days.',
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
}

export const costOfEachInsight: CookbookQuery = {
  title: 'Cost of each insight in units',
  answers:
    'What each study has cost in units of the allowance, and how many units were paid for each result, and for each result with a profit. Results that other studies had paid for are not counted here. NULL where there is none.',
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
}

export const whatARevisionChanged: CookbookQuery = {
  title: 'What changed between two revisions',
  answers:
    'Every line of a definition that differs from the revision before, with both values. NULL where the one or the other has no such line.',
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
}
