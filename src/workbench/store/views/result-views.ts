/** Views of results: the narrow one to begin with, and every metric of every paid result. What the views of series have in common with them is here too. */
import { METRICS, type MetricRow } from '../../../contract/metrics.ts'
import { sqlMatches } from '../settings-row.ts'
import {
  attemptOfPlace,
  COMPETITION_TERMS,
  FATE_COLUMNS,
  isChosen,
  isShown,
  JOB_AND_RESULT,
  SHOWN,
  settingsDigits,
} from './latest-attempt.ts'
import {
  type Columns,
  configColumns,
  PAYING_STUDY,
  revisionOfRun,
  serviceColumn,
  shared,
  trialDigits,
  type View,
  type ViewColumn,
} from './shared-columns.ts'
import { KNOWN_SETTINGS } from './trial-views.ts'

// What the views of results, deals and series have in common: the paid result that a row belongs to.

/** `result r` with the job, the attempt that paid for it, the trial and the service; a second job of the same request is left out.
 * `likely` lets SQLite begin with the result where its order is asked for. */
export const PAID_RESULT = `result r
  join job j on j.id = r.job_id and likely(j.duplicate = 0) and ${isShown('j.fingerprint')}
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity`

const settingsAsked = `(select w.settings_id from study_settings w where s.simulated = 1
      and w.study = y.study and w.study_fingerprint = y.fingerprint and w.market = t.market)`

/** Whose, where, which version: of a result, and of every row of its series. For a view with the part `shown`. */
export const RESULT_KEY: Columns = {
  ...trialDigits('j.fingerprint'),
  ...PAYING_STUDY,
  revision: {
    sql: revisionOfRun('a.study_run_id'),
    unit: 'count',
    meaning: 'the revision of the study that paid for it, from 1',
    whenNull: 'where the run was not recorded, and once the study was removed',
  },
  ...serviceColumn,
  is_current: {
    sql: `exists (select 1 from study_trial m cross join shown y on y.study = m.study and y.fingerprint = m.study_fingerprint
      where m.fingerprint = j.fingerprint and y.identity = j.identity and a.id = ${attemptOfPlace({ identity: 'j.identity', agrees: (found) => sqlMatches(settingsAsked, found) })})`,
    unit: 'yes/no',
    meaning:
      'it is the result shown for a trial of the current revision of a study, whichever paid for it, on the service whose results of that study are shown: that with most trials done, else the one it was run on last',
    whenNull: null,
    since: 22,
  },
  ...shared('t', 'market', 'period_from', 'period_to'),
  ...shared('j', 'identity', 'fingerprint'),
  ...settingsDigits('a'),
  job_id: { sql: 'j.remote_id', unit: 'text', meaning: 'the job’s id at the service; one result each', whenNull: null },
}

const notReported = 'where the service did not report it'

const resultsView: View = {
  rows: 'One row per paid result, whichever revision of a study paid for it, with every metric; a second job of the same request is left out.',
  columns: {
    ...RESULT_KEY,
    ...shared('s', 'simulated'),
    ...shared('t', 'exchange', 'base_asset', 'quote_asset'),
    run: {
      sql: 'a.study_run_id',
      unit: 'count',
      meaning: 'number of the run that paid for it',
      whenNull: 'where the run was not recorded',
    },
    ...shared('t', 'config_fingerprint'),
    submitted_at: { sql: 'j.submitted_at', unit: 'time', meaning: 'when it was submitted', whenNull: null },
    finished_at: { sql: 'j.finished_at', unit: 'time', meaning: 'when it ended', whenNull: 'while it runs' },
    ...configColumns('t'),
    ...metricColumns('r', notReported),
    sample_size: {
      sql: 'r.sample_size',
      unit: 'text',
      meaning: 'closed deals that did not close on the candle they opened on, in the usual classes: under 107 … 385+',
      whenNull: notReported,
    },
    ...shared('r', 'fee_percent', 'slippage_percent', 'candle_interval', 'candle_count', 'candles_missing'),
    ...shared('r', 'candles_hash', 'candles_synthetic', 'engine_version', 'behaviour_hash', 'conventions_json'),
    symbol_json: {
      sql: 'r.symbol_json',
      unit: 'json',
      meaning: 'tick, lot and smallest order that were enforced',
      whenNull: notReported,
    },
    safety_orders_histogram_json: {
      sql: 'r.safety_orders_histogram_json',
      unit: 'json',
      meaning: 'element k: deals with exactly k safety orders filled, the open one included',
      whenNull: notReported,
    },
    open_deal_json: {
      sql: 'r.open_deal_json',
      unit: 'json',
      meaning: 'the deal that is open at the end',
      whenNull: 'without an open deal',
    },
    cost_sensitivity_json: {
      sql: 'r.cost_sensitivity_json',
      unit: 'json',
      meaning:
        'the result computed again here under other costs, an object each: feePercent, slippagePercent, netProfit, netProfitPerUsedPercent, maxDrawdownPercent, closedDeals',
      whenNull: 'until dcalab examine --costs',
      since: 24,
    },
    metric_flags_json: {
      sql: 'r.metric_flags_json',
      unit: 'json',
      meaning: 'metrics that could not be read, each with the reason',
      whenNull: null,
    },
    pruned_at: {
      sql: 'r.pruned_at',
      unit: 'time',
      meaning: 'when `dcalab store clean` dropped its deals and daily equity',
      whenNull: 'while they are kept',
    },
    tried: {
      sql: `(select coalesce(sum(l.configs), 0) from tried l
      where l.market = t.market and l.period_from < t.period_to and l.period_to > t.period_from)`,
      unit: 'count',
      meaning:
        'configurations whose result on this market in any overlapping period somebody has seen, paid and local ones, over all studies: at most so many',
      whenNull: null,
    },
  },
  parts: SHOWN,
  from: `from ${PAID_RESULT}`,
}

/** `unless`: when a row has no numbers at all. */
function metricColumns(table: string, unless: string | null): Columns {
  return Object.fromEntries(
    Object.values<MetricRow>(METRICS).map(({ column, unit, title, definition, nullWhen, since }) => {
      const reasons = [unless, nullWhen === null ? null : `when ${nullWhen}`].filter((reason) => reason !== null)
      const row: ViewColumn = {
        sql: `${table}.${column}`,
        unit,
        meaning: `${title}: ${definition}`,
        whenNull: reasons.length === 0 ? null : reasons.join('; '),
        since,
      }
      return [column, row]
    }),
  )
}

/** Columns of a definition `c`: what it asks for, which is nearly always the same on all its markets. */
const ASKED_SETTINGS = `${settingsOfStudy('min(w.settings_id)')} as one_settings,
          ${settingsOfStudy('min(w.settings_id) < max(w.settings_id)')} as settings_differ`

/**
 * Shown studies whose ranking is not kept, with what their JSON says of the objective, read once per study: reading it for every trial takes longer than all the rest.
 * `distinct` keeps SQLite from doing that, and still lets a question about one study read the JSON of that one alone.
 */
const STUDIES = `(select distinct c.study, c.fingerprint, c.revision, c.identity, json_extract(definition_json, '$.objective.metric') as metric,
          json_extract(definition_json, '$.objective.direction') as direction,
          json_extract(definition_json, '$.objective.where') as bounds,
          coalesce(json_array_length(definition_json, '$.objective.where'), 0) as bound_count,
          json_extract(definition_json, '$.objective.where[0].metric') as first_metric,
          ${limitOf('definition_json', '$.objective.where[0].bounds.min', '-9e999')} as first_lowest,
          ${limitOf('definition_json', '$.objective.where[0].bounds.max', '9e999')} as first_highest,
          coalesce(json_extract(definition_json, '$.objective.across'), 'median') as across,
          ${COMPETITION_TERMS},
          ${ASKED_SETTINGS}
        from (select c.*, v.definition_json from shown c join study v on v.name = c.study and v.fingerprint = c.fingerprint) c
        where not exists (select 1 from study_place p where p.study = c.study and p.study_fingerprint = c.fingerprint and p.identity = c.identity))`

function settingsOfStudy(sql: string): string {
  return `(select ${sql} from study_settings w where w.study = c.study and w.study_fingerprint = c.fingerprint)`
}

/** A bound that is not there is infinite. */
function limitOf(json: string, path: string, otherwise: string): string {
  return `coalesce(json_extract(${json}, '${path}'), ${otherwise})`
}

const OBJECTIVE = metricValueOf('r', 'd.metric')

/** SQL for the metric that an expression names as study files do; null for a name that is none. */
function metricValueOf(table: string, metric: string): string {
  const cases = Object.entries<MetricRow>(METRICS).map(([name, { column }]) => `when '${name}' then ${table}.${column}`)
  return `case ${metric} ${cases.join(' ')} end`
}

/**
 * As `rankByObjective` of `study/objective.ts` has it: a metric without a value is outside its bounds. Most objectives have one bound or none,
 * and taking a list of JSON apart for every trial would take a third of the question.
 */
const INSIDE = `(case d.bound_count when 0 then 1
        when 1 then coalesce(${metricValueOf('r', 'd.first_metric')} between d.first_lowest and d.first_highest, 0)
        else not exists (select 1 from json_each(d.bounds) b
          where not coalesce(${metricValueOf('r', "json_extract(b.value, '$.metric')")}
            between ${limitOf('b.value', '$.bounds.min', '-9e999')} and ${limitOf('b.value', '$.bounds.max', '9e999')}, 0)) end)`

const IS_CHOSEN = isChosen({
  study: 'd.study',
  definition: 'd.fingerprint',
  identity: 'd.identity',
  trial: 'm.fingerprint',
})

/** Finished trials with their own place: `may` = they compete and meet the bounds. */
const FINISHED = `select d.study, d.revision, d.identity, d.markets, d.across, m.fingerprint, m.position, a.id as attempt_id, r.job_id as result_id, r.net_profit,
        d.direction, ${OBJECTIVE} as objective, ${INSIDE} and (not d.is_screen or ${IS_CHOSEN}) as may
      from ${STUDIES} d
      cross join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
      join service s on s.identity = d.identity
      join attempt a on ${attemptOfPlace({ identity: 'd.identity', agrees: (found) => sqlMatches(KNOWN_SETTINGS, found) })} = a.id
      ${JOB_AND_RESULT}
      where ${FATE_COLUMNS.state.sql} = 'done'`

/** Those of some studies: `inside` = they have a value, too. */
function placed(columns: string, condition: string): string {
  return `select study, revision, identity, fingerprint, position, attempt_id, result_id, net_profit, direction, objective,
        objective is not null and may as inside, ${columns} from finished f where ${condition}`
}

const MIDDLE = 'case when nth in ((valued + 1) / 2, valued / 2 + 1) then objective end'

/**
 * As `placeConfig` of `study/objective.ts` has it, of the rows of a part `on_several`. The mean is summed from the lowest value on, because the
 * last digit depends on the order. The outer select is there because a condition reaches no part of a union that has window functions itself.
 * `more`: further columns of the rows.
 */
export const onSeveralMarkets = (
  more = '',
) => `select * from (select study, revision, identity, fingerprint, position, attempt_id, result_id, net_profit, direction, objective,
        valued = markets and all_inside as inside, config,
        case when valued = markets then case across when 'mean' then mean
          when 'worst' then case direction when 'maximize' then lowest else highest end
          else avg(${MIDDLE}) over (partition by study, identity, config) end end as value${more}
      from (select *, count(objective) over of_config as valued, min(inside) over of_config as all_inside,
          min(objective) over of_config as lowest, max(objective) over of_config as highest,
          row_number() over (partition by study, identity, config order by objective) as nth,
          avg(objective) over (partition by study, identity, config order by objective
            rows between unbounded preceding and unbounded following) as mean
        from on_several
        window of_config as (partition by study, identity, config)))`

/**
 * The place of every row: all have the study in their partition, so that a condition on it reaches the rows before they are ranked. Studies of one
 * market, which most are, need no reduction and are spared its sorting: their `config` and `value` are null, which is cheaper than the same twice.
 */
export const rankingOf = (rows: string) => `(
    select *, case when inside then dense_rank() over (partition by study
        order by inside desc, case direction when 'maximize' then -coalesce(value, objective) else coalesce(value, objective) end, coalesce(config, fingerprint)) end as rank
    from (${rows}))`

/** Rankings that are kept, and below those that are not. */
const KEPT = `(
    select y.study, y.revision, y.identity, p.attempt_id, p.result_id, p.net_profit, p.objective, p.value, p.rank
    from shown y cross join study_place p on p.study = y.study and p.study_fingerprint = y.fingerprint and p.identity = y.identity
    where p.net_profit is not null)`

const RANKED = `(
    select study, revision, identity, attempt_id, result_id, net_profit, objective,
      case when config is null then objective else value end as value, rank
    from ${rankingOf(`select * from on_one
      union all ${onSeveralMarkets()}`)} where net_profit is not null)`

/**
 * Named instead of written where they are read: the parser of SQLite 3.40 takes no more than a hundred parts of a statement that are not closed
 * yet, and what became of a trial is the deepest of all.
 */
const parts = {
  ...SHOWN,
  'finished as not materialized': FINISHED,
  'on_one as': placed('null as config, null as value', 'markets = 1'),
  'on_several as': placed(
    'markets, across, (select c.config_fingerprint from trial c where c.fingerprint = f.fingerprint) as config',
    'markets > 1',
  ),
}

const metrics = metricColumns('r', null)

function someMetrics(...names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, metrics[name]]))
}

/** Of the last verdict `v`. No join: SQLite would make it for questions that read nothing of it. */
function verdictColumn(sql: string, unit: 'text' | 'quote', meaning: string): Columns[string] {
  const last = `(select ${sql} from verdict v where v.fingerprint = j.fingerprint and v.identity = k.identity
      and v.settings is ${settingsDigits('a').settings.sql} order by v.judged_at desc, v.id desc limit 1)`
  return { sql: last, unit, meaning, whenNull: 'until it is judged: dcalab verdict', since: 22 }
}

const excess = (path: string) => `json_extract(v.verdict_json, '$.excess.${path}')`

const answerColumns: Columns = {
  ...trialDigits('j.fingerprint'),
  study: { ...shared('k', 'study').study },
  revision: {
    sql: 'k.revision',
    unit: 'count',
    meaning: 'the current revision of the study, from 1',
    whenNull: null,
  },
  ...serviceColumn,
  ...shared('t', 'market', 'period_from', 'period_to'),
  rank: {
    sql: 'k.rank',
    unit: 'count',
    meaning:
      'place of its configuration by the study’s own objective, as `dcalab leaderboard` has it: 1 is the best inside the bounds on every market. Ties by lower fingerprint, where there are several markets by lower config_fingerprint',
    whenNull:
      'outside the limits, where the objective is undefined or a market is missing, and for what a screen did not choose: its samples only compare',
  },
  objective: {
    sql: 'k.objective',
    unit: 'ratio',
    meaning: 'the study’s own objective on this market, in the unit of its metric',
    whenNull: 'where it is undefined for this result',
  },
  objective_over_markets: {
    sql: 'k.value',
    unit: 'ratio',
    meaning:
      'the objective of its configuration, by which it is ranked: made of the values on all markets of the study, where there is one the same as objective',
    whenNull: 'where its configuration lacks a result with a value on some market',
  },
  net_profit: { ...metrics.net_profit, sql: 'k.net_profit', whenNull: null },
  ...someMetrics(
    'roi_percent',
    'net_profit_per_used_percent',
    'stressed_per_used_percent',
    'used_capital_average',
    'used_capital_max',
  ),
  ...someMetrics('max_drawdown_percent', 'closed_deals', 'fees_paid', 'buy_and_hold_percent'),
  grade: verdictColumn('v.grade', 'text', 'grade of its last verdict'),
  excess_quote: verdictColumn(
    excess('mean'),
    'quote',
    'net profit a stretch less what holding its usual capital earned, by that verdict',
  ),
  excess_error: verdictColumn(excess('error'), 'quote', 'one standard error of it'),
  ...configColumns('t'),
  ...shared('t', 'config_fingerprint'),
  ...shared('j', 'fingerprint'),
  ...shared('k', 'identity'),
  ...shared('s', 'simulated'),
  ...settingsDigits('a'),
  job_id: {
    sql: 'j.remote_id',
    unit: 'text',
    meaning: 'the job’s id at the service; one result each',
    whenNull: null,
  },
  finished_at: {
    sql: 'j.finished_at',
    unit: 'time',
    meaning: 'when it ended',
    whenNull: 'where the service did not say',
  },
  ...shared('r', 'candles_hash', 'engine_version'),
}

/** Of a place `k`. */
const ANSWER = `left join service s on s.identity = k.identity
  left join attempt a on a.id = k.attempt_id
  left join job j on j.id = k.result_id
  left join trial t on t.fingerprint = j.fingerprint
  left join result r on r.job_id = k.result_id`

/**
 * Two halves with the same columns, for SQLite leaves out the joins that a question does not need in each half of a union, and of one statement only
 * where nothing is counted.
 */
const answersView: View = {
  rows: 'Where to begin: one row per finished trial of the current revision of each study, on the service whose results are shown (that with most trials done, else the one it was run on last). What is narrow here, `results` has whole: join by job_id and service.',
  columns: answerColumns,
  parts,
  from: `from ${KEPT} k
  ${ANSWER}
  union all select ${Object.values(answerColumns)
    .map(({ sql }) => sql)
    .join(', ')}
  from ${RANKED} k
  ${ANSWER}`,
}

/** The narrow one to begin with, and every metric. */
export const RESULT_VIEWS = { results: resultsView, answers: answersView }
