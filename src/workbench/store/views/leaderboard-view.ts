/**
 * The leaderboard. The ranks are computed over narrow rows, and everything else is joined to them by its key and from the left: what a
 * question does not name is not looked up, so that one about three columns reads neither configurations nor results a second time.
 */

import { type Columns, sinceLayout, type View } from './column.ts'
import { COMPETITION_TERMS, isChosen } from './competing.ts'
import { CURRENT_STUDIES } from './current-study.ts'
import { FATE_COLUMNS, settingsDigits } from './latest-attempt.ts'
import { metricValueOf } from './number-columns.ts'
import { trialDigits } from './shared-columns.ts'
import { ASKED_SETTINGS, trialsOf, trialsView } from './trial-views.ts'

/**
 * Current studies with what their JSON says of the objective, read once per study: reading it for every trial takes longer than all the rest.
 * `distinct` keeps SQLite from doing that, and still lets a question about one study read the JSON of that one alone.
 */
const STUDIES = `(select distinct study, fingerprint, json_extract(definition_json, '$.objective.metric') as metric,
          json_extract(definition_json, '$.objective.direction') as direction,
          json_extract(definition_json, '$.objective.where') as bounds,
          coalesce(json_array_length(definition_json, '$.objective.where'), 0) as bound_count,
          json_extract(definition_json, '$.objective.where[0].metric') as first_metric,
          ${limitOf('definition_json', '$.objective.where[0].bounds.min', '-9e999')} as first_lowest,
          ${limitOf('definition_json', '$.objective.where[0].bounds.max', '9e999')} as first_highest,
          coalesce(json_extract(definition_json, '$.objective.across'), 'median') as across,
          ${COMPETITION_TERMS},
          ${ASKED_SETTINGS}
        from ${CURRENT_STUDIES} c)`

/** A bound that is not there is infinite. */
function limitOf(json: string, path: string, otherwise: string): string {
  return `coalesce(json_extract(${json}, '${path}'), ${otherwise})`
}

const OBJECTIVE = metricValueOf('r', 'd.metric')

/**
 * As `rankByObjective` of `study/objective.ts` has it: a metric without a value is outside its bounds. Most objectives have one bound or none,
 * and taking a list of JSON apart for every trial would take a third of the question.
 */
const INSIDE = `(case d.bound_count when 0 then 1
        when 1 then coalesce(${metricValueOf('r', 'd.first_metric')} between d.first_lowest and d.first_highest, 0)
        else not exists (select 1 from json_each(d.bounds) b
          where not coalesce(${metricValueOf('r', "json_extract(b.value, '$.metric')")}
            between ${limitOf('b.value', '$.bounds.min', '-9e999')} and ${limitOf('b.value', '$.bounds.max', '9e999')}, 0)) end)`

/** Finished trials with their own place: `inside` = they compete, have a value and meet the bounds. */
function finished(columns: string, condition: string): string {
  return `select d.study, i.identity, m.fingerprint, m.position, a.id as attempt_id, j.id as job_row, r.net_profit,
        d.direction, ${OBJECTIVE} as objective, ${OBJECTIVE} is not null and ${INSIDE} and (not d.is_screen or ${IS_CHOSEN}) as inside, ${columns}
      ${trialsOf({ definitions: STUDIES, knowSettings: true })}
      where ${FATE_COLUMNS.state.sql} = 'done' and ${condition}`
}

const IS_CHOSEN = isChosen({
  study: 'd.study',
  definition: 'd.fingerprint',
  identity: 'i.identity',
  trial: 'm.fingerprint',
})

const MIDDLE = 'case when nth in ((valued + 1) / 2, valued / 2 + 1) then objective end'

/**
 * As `placeConfig` of `study/config-ranking.ts` has it. The mean is summed from the lowest value on, because the last digit depends on the order.
 * The outer select is there because a condition reaches no part of a union that has window functions itself.
 */
const onSeveralMarkets = `select * from (select study, identity, fingerprint, position, attempt_id, job_row, net_profit, direction, objective,
        valued = markets and all_inside as inside, config,
        case when valued = markets then case across when 'mean' then mean
          when 'worst' then case direction when 'maximize' then lowest else highest end
          else avg(${MIDDLE}) over (partition by study, identity, config) end end as value
      from (select *, count(objective) over of_config as valued, min(inside) over of_config as all_inside,
          min(objective) over of_config as lowest, max(objective) over of_config as highest,
          row_number() over (partition by study, identity, config order by objective) as nth,
          avg(objective) over (partition by study, identity, config order by objective
            rows between unbounded preceding and unbounded following) as mean
        from on_several
        window of_config as (partition by study, identity, config)))`

/**
 * All ranks have study and identity in their partition, so that a condition on the study reaches the rows before they are ranked. Studies of one
 * market, which most are, need no reduction and are spared its sorting: their `config` and `value` are null, which is cheaper than the same twice.
 */
const ranking = `(
    select *, row_number() over (partition by study, identity order by net_profit desc, fingerprint) as rank,
      case when inside then dense_rank() over (partition by study, identity
        order by inside desc, case direction when 'maximize' then -coalesce(value, objective) else coalesce(value, objective) end, coalesce(config, fingerprint)) end as objective_rank
    from (select * from on_one
      union all ${onSeveralMarkets}))`

/**
 * Named instead of written where they are read: the parser of SQLite 3.40 takes no more than a hundred parts of a statement that are not closed
 * yet, and what became of a trial is the deepest of all. Each is read once, so that SQLite plans them as if they stood there.
 */
const parts = {
  on_one: finished('null as config, null as value', 'd.markets = 1'),
  on_several: finished(
    'd.markets, d.across, (select c.config_fingerprint from trial c where c.fingerprint = m.fingerprint) as config',
    'd.markets > 1',
  ),
}

/** Columns of `trials` that the narrow rows have. */
const RANKED = ['study', 'position', 'identity', 'fingerprint'] as const

const objectiveColumns: Columns = sinceLayout(8, {
  objective: {
    sql: 'k.objective',
    unit: 'ratio',
    meaning: 'the study’s own objective on this market, in the unit of its metric',
    whenNull: 'where it is undefined for this result',
  },
  objective_rank: {
    sql: 'k.objective_rank',
    unit: 'count',
    meaning:
      'place of its configuration by the study’s own objective, as `dcalab leaderboard` has it: 1 is the best inside the bounds on every market. Ties by lower fingerprint, where there are several markets by lower config_fingerprint',
    whenNull:
      'outside the objective’s bounds, where the objective is undefined or a market is missing, and for what a screen did not choose: its samples only compare',
  },
  grade: {
    sql: `(select y.grade from verdict y where y.fingerprint = k.fingerprint and y.identity = k.identity
      and y.settings is ${settingsDigits('a').settings.sql} order by y.judged_at desc, y.id desc limit 1)`,
    unit: 'text',
    meaning: 'grade of its last verdict',
    whenNull: 'until it is judged: dcalab verdict',
  },
})

const acrossMarkets: Columns = sinceLayout(9, {
  objective_over_markets: {
    sql: 'case when k.config is null then k.objective else k.value end',
    unit: 'ratio',
    meaning:
      'the objective of its configuration, by which it is ranked: made of the values on all markets of the study, where there is one the same as objective',
    whenNull: 'where its configuration is not done with a value on every market',
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
    ...Object.fromEntries(RANKED.map((name) => [name, { ...trialsView.columns[name], sql: `k.${name}` }])),
    ...trialDigits('k.fingerprint'),
    net_profit: { ...trialsView.columns.net_profit, sql: 'k.net_profit', whenNull: null },
    ...objectiveColumns,
    ...acrossMarkets,
  },
  parts,
  from: `from ${ranking} k
  left join trial t on t.fingerprint = k.fingerprint
  left join service s on s.identity = k.identity
  left join attempt a on a.id = k.attempt_id
  left join job j on j.id = k.job_row
  left join result r on r.job_id = k.job_row
  where k.net_profit is not null`,
}
