/**
 * The leaderboard. The ranks are computed over narrow rows, and everything else is joined to them, so that a question about three columns
 * does not unfold the deals of every trial.
 */
import { type Columns, sinceLayout, type View } from './column.ts'
import { CURRENT_STUDIES } from './current-study.ts'
import { FATE_COLUMNS } from './latest-attempt.ts'
import { metricValueOf } from './number-columns.ts'
import { trialsOf, trialsView } from './trial-views.ts'

/** Current studies with what their JSON says of the objective, read once per study: reading it for every trial takes longer than all the rest. */
const STUDIES = `(with read as materialized (
        select study, fingerprint, json_extract(definition_json, '$.objective.metric') as metric,
          json_extract(definition_json, '$.objective.direction') as direction,
          json_extract(definition_json, '$.objective.where') as bounds,
          coalesce(json_array_length(definition_json, '$.objective.where'), 0) as bound_count
        from ${CURRENT_STUDIES}) select * from read)`

const OBJECTIVE = metricValueOf('r', 'd.metric')

/** As `rankByObjective` of `study/objective.ts` has it: a metric without a value is outside its bounds. */
const INSIDE = `(d.bound_count = 0 or not exists (
        select 1 from (select ${metricValueOf('r', "json_extract(b.value, '$.metric')")} as value,
          json_extract(b.value, '$.bounds.min') as lowest, json_extract(b.value, '$.bounds.max') as highest
          from json_each(d.bounds) b) w
        where w.value is null or w.value < w.lowest or w.value > w.highest))`

/** Both ranks have the same partition, so that a condition on the study reaches the rows before they are ranked. */
const ranking = `(
    select *, row_number() over (partition by study, identity order by net_profit desc, fingerprint) as rank,
      case when inside then row_number() over (partition by study, identity
        order by inside desc, case direction when 'maximize' then -objective else objective end, fingerprint) end as objective_rank
    from (
      select d.study, i.identity, m.fingerprint, m.position, a.id as attempt_id, j.id as job_row, r.net_profit,
        d.direction, ${OBJECTIVE} as objective, ${OBJECTIVE} is not null and ${INSIDE} as inside
      ${trialsOf({ definitions: STUDIES })}
      where ${FATE_COLUMNS.state.sql} = 'done'))`

const objectiveColumns: Columns = sinceLayout(8, {
  objective: {
    sql: 'k.objective',
    unit: 'ratio',
    meaning: 'the study’s own objective, in the unit of its metric',
    whenNull: 'where it is undefined for this result',
  },
  objective_rank: {
    sql: 'k.objective_rank',
    unit: 'count',
    meaning:
      'place by the study’s own objective, as `dcalab leaderboard` has it: 1 is the best inside the bounds, ties by lower fingerprint',
    whenNull: 'outside the objective’s bounds, or where the objective is undefined',
  },
  doubts: {
    sql: 'null',
    unit: 'text',
    meaning: 'codes of what speaks against believing it, from its last examination',
    whenNull: 'until the trial is examined, which no command does yet',
  },
})

export const leaderboardView: View = {
  rows: "Finished trials of each study on each service identity. `rank` is by net profit, `objective_rank` by the study's own objective and bounds.",
  columns: {
    rank: {
      sql: 'k.rank',
      unit: 'count',
      meaning: 'place by net profit, from 1; ties by lower fingerprint',
      whenNull: null,
    },
    ...trialsView.columns,
    study: { ...trialsView.columns.study, sql: 'k.study' },
    position: { ...trialsView.columns.position, sql: 'k.position' },
    net_profit: { ...trialsView.columns.net_profit, whenNull: null },
    ...objectiveColumns,
  },
  from: `from ${ranking} k
  cross join trial t on t.fingerprint = k.fingerprint
  join service s on s.identity = k.identity
  left join attempt a on a.id = k.attempt_id
  left join job j on j.id = k.job_row
  left join result r on r.job_id = k.job_row
  where k.net_profit is not null`,
}
