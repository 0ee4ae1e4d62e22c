/** Questions about the definitions that a study has had. */
import { type CookbookQuery, STUDY } from './query.ts'

export const whatARevisionChanged: CookbookQuery = {
  title: 'What changed between two revisions',
  answers:
    'Every line of a definition that differs from the revision before, with both values. NULL where the one or the other has no such line.',
  parameters: { study: STUDY },
  sql: `with lines as (
  select r.study, r.revision, 'grid.' || (x.value ->> 'field') as line, x.value ->> 'values' as value
  from study_revisions r, json_each(r.definition_json, '$.axes') x
  where (:study is null or r.study = :study)
  union all
  select r.study, r.revision, substr(t.fullkey, 3),
    case when t.type = 'integer' and t.key in ('from', 'to') then strftime('%Y-%m-%dT%H:%M:%SZ', t.atom / 1000, 'unixepoch') else t.atom end
  from study_revisions r, json_tree(r.definition_json) t
  where (:study is null or r.study = :study) and t.atom is not null
    and t.fullkey not like '$.axes%' and t.fullkey <> '$.fingerprint'
),
pairs as (
  select r.study, max(e.revision) as earlier, r.revision as later, r.first_saved_at as changed_at
  from study_revisions r
  join study_revisions e on e.study = r.study and e.revision < r.revision
  group by r.study, r.revision
)
select p.study, p.later as revision, p.changed_at, n.line, a.value as before, b.value as after
from pairs p
join (select distinct study, line from lines) n on n.study = p.study
left join lines a on a.study = p.study and a.revision = p.earlier and a.line = n.line
left join lines b on b.study = p.study and b.revision = p.later and b.line = n.line
where a.value is not b.value
order by p.study, p.later, n.line`,
}
