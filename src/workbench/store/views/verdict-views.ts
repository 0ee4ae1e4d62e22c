/** The view of verdicts: one row each with its numbers as columns, and what the examination of the same result found. */
import { SHOWN } from './latest-attempt.ts'
import { type Columns, serviceColumn, shared, trialDigits, type Unit, type View } from './shared-columns.ts'

// What the examination of a result found, as columns of its verdict.

/** A number of a check of examination `e`. */
function numberOf(
  check: string,
  path: string,
  words: Pick<View['columns'][string], 'unit' | 'meaning'>,
): View['columns'][string] {
  return {
    sql: `(select json_extract(c.value_json, '$.${path}') from examination_check c where c.examination = e.id and c.name = '${check}')`,
    ...words,
    whenNull: 'where it is refused, and without an examination',
  }
}

const examinationColumns: Columns = {
  net_profit_pessimistic: numberOf('ambiguity', 'pessimistic', {
    unit: 'quote',
    meaning: 'net profit with worst-case fills: the worse order of prices inside every candle',
  }),
  net_profit_optimistic: numberOf('ambiguity', 'optimistic', {
    unit: 'quote',
    meaning: 'net profit with best-case fills: the better order of prices inside every candle',
  }),
  start_percentile: numberOf('starts', 'percentile', {
    unit: 'percent',
    meaning: 'percentile of its net profit among those of every start on its first day; 100 = best',
  }),
  start_q1: numberOf('starts', 'q1', {
    unit: 'quote',
    meaning: 'net profit that a quarter of these starts stay below',
  }),
  start_median: numberOf('starts', 'median', { unit: 'quote', meaning: 'net profit of the middle of these starts' }),
  start_q3: numberOf('starts', 'q3', { unit: 'quote', meaning: 'net profit that a quarter of these starts exceed' }),
  tp_best: numberOf('takeProfitCurve', 'best.to', {
    unit: 'percent',
    meaning: 'take profit that would have earned most; no advice',
  }),
  tp_best_profit: numberOf('takeProfitCurve', 'best.netProfit', { unit: 'quote', meaning: 'net profit there' }),
  tp_basin_from: numberOf('takeProfitCurve', 'basin.from', {
    unit: 'percent',
    meaning: 'lowest take profit around it that loses less than a tenth of that',
  }),
  tp_basin_to: numberOf('takeProfitCurve', 'basin.to', { unit: 'percent', meaning: 'the highest' }),
  tp_band_percentile: numberOf('takeProfitCurve', 'band.percentile', {
    unit: 'percent',
    meaning: 'place of its take profit among those within 5 % of it; 100 = best',
  }),
  tp_band_median: numberOf('takeProfitCurve', 'band.median', {
    unit: 'quote',
    meaning: 'median net profit over the take profits within 5 % of its take profit',
  }),
  tp_certified_percent: numberOf('takeProfitCurve', 'certified.percent', {
    unit: 'percent',
    meaning:
      'share of the tested take profits whose maximum is proved; below 100 the bot ran short of cash on the rest',
  }),
  next_span_rho: numberOf('nextSpan', 'rho', {
    unit: 'ratio',
    meaning: 'rank correlation of the first half of the period with the second, over the configurations of the study',
  }),
  walk_forward_percentile: numberOf('walkForward', 'meanPercentile', {
    unit: 'percent',
    meaning: 'mean place of what each fold chose among all configurations on its test; 100 = best',
  }),
  walk_forward_profit: numberOf('walkForward', 'profit', {
    unit: 'quote',
    meaning: 'profits of the test folds, added',
  }),
  exposed_hold_profit: numberOf('benchmark', 'exposedHold.profit', {
    unit: 'quote',
    meaning: 'what buy & hold of as much as it used on average made',
  }),
  standard_error: numberOf('noise', 'standardError', {
    unit: 'quote',
    meaning: 'one standard error of the net profit',
  }),
  local_difference: numberOf('localRun', 'difference', {
    unit: 'quote',
    meaning: 'net profit of the service less that of the local engine',
  }),
  examined_at: {
    sql: 'e.finished_at',
    unit: 'time',
    meaning: 'when the result was examined last, by dcalab examine',
    whenNull: 'without an examination',
  },
  checks_json: {
    sql: `(select json_group_object(c.name, json(c.value_json)) from examination_check c where c.examination = e.id and c.value_json is not null)`,
    unit: 'json',
    meaning: 'every number of the examination, by the name of its check',
    whenNull: null,
  },
  refused_json: {
    sql: `(select json_group_object(c.name, c.reason) from examination_check c where c.examination = e.id and c.reason is not null)`,
    unit: 'json',
    meaning: 'why a check has no answer, by its name',
    whenNull: null,
  },
}

/** The finished examination of the result of `verdict v` that `findExamination` finds. */
const EXAMINATION = `left join examination e on e.id = coalesce(${lastOf('and x.study is v.study')}, ${lastOf('')})`

/** SQLite 3.40 knows no column from outside in an order. */
function lastOf(condition: string): string {
  return `(select x.id from examination x where x.fingerprint = v.fingerprint and x.identity = v.identity and x.settings is v.settings
      and x.finished_at is not null ${condition} order by x.finished_at desc, x.id desc limit 1)`
}

const notKnown = 'where it could not be known'

/** A part of the verdict. */
function part(path: string, unit: Unit, meaning: string, whenNull: string | null = notKnown): Columns[string] {
  return { sql: `json_extract(v.verdict_json, '$.${path}')`, unit, meaning, whenNull }
}

/** SQL for what of each kind the store knows that `verdict v` may follow from. It is counted, because what comes in last need not have been made last. */
const KNOWN = {
  results: `(select count(*) from (select distinct s.fingerprint from study_trial s where s.study = v.study) s
        cross join job j on j.fingerprint = s.fingerprint and j.identity = v.identity and j.state = 'done' and j.duplicate = 0)`,
  holdouts: '(select count(*) from holdout_opening h where h.study = v.study and h.completed_at is not null)',
  calibrations: '(select count(*) from calibration c where c.identity = v.identity)',
}

/** SQL for `verdict v`. */
export const VERDICT = {
  /** All of that as one object. */
  knows: `json_object(${Object.entries(KNOWN).flatMap(([kind, count]) => [`'${kind}'`, count])})`,
  /** There are more or fewer of any kind than when it was judged. */
  isStale: `(${Object.entries(KNOWN)
    .map(([kind, count]) => `${count} is not json_extract(v.verdict_json, '$.known.${kind}')`)
    .join('\n      or ')})`,
  /** Without what it is kept with. */
  asJudged: "json_remove(v.verdict_json, '$.basis', '$.known')",
}

export const verdictsView: View = {
  rows: 'One row per verdict on a result as the choice of a study, or by itself; the latest of each holds.',
  columns: {
    ...trialDigits('v.fingerprint'),
    study: {
      sql: 'v.study',
      unit: 'text',
      meaning: 'the study that it was judged as the choice of',
      whenNull: 'where it was judged by itself',
    },
    ...serviceColumn,
    is_current: {
      sql: `v.id = (select l.id from verdict l where l.fingerprint = v.fingerprint and l.identity = v.identity and l.settings is v.settings
      and l.study is v.study order by l.judged_at desc, l.id desc limit 1) and (v.study is null or exists (select 1 from shown y cross join study_trial m
        on m.study = y.study and m.study_fingerprint = y.fingerprint and m.fingerprint = v.fingerprint
        where y.study = v.study and y.identity = v.identity))`,
      unit: 'yes/no',
      meaning:
        'the last verdict on its result as the choice of that study, and on a trial of its current revision on the service whose results are shown; of one judged by itself the last',
      whenNull: null,
      since: 22,
    },
    ...shared('t', 'market', 'period_from', 'period_to'),
    judged_at: { sql: 'v.judged_at', unit: 'time', meaning: 'when it was judged', whenNull: null },
    rules: { sql: 'v.rules', unit: 'text', meaning: 'the rules that it was judged by', whenNull: null },
    grade: {
      sql: 'v.grade',
      unit: 'text',
      meaning: 'doNotUse, notJudged, holdingDidBetter, holdingAsGood, noBetterThanPlain, ahead or beat',
      whenNull: null,
    },
    headline: part('headline', 'text', 'the verdict in a few words', null),
    sentence: part('sentence', 'text', 'the verdict with its numbers', null),
    reasons: {
      sql: `(select group_concat(json_extract(r.value, '$.code'), ',') from json_each(v.verdict_json, '$.reasons') r)`,
      unit: 'text',
      meaning: 'codes of its first three reasons, separated by commas',
      whenNull: 'where there is none',
    },
    is_stale: {
      sql: VERDICT.isStale,
      unit: 'yes/no',
      meaning:
        'results, a hold-out or a calibration came in since, or were removed: there are more or fewer than when it was judged',
      whenNull: null,
    },
    excess_quote: part('excess.mean', 'quote', 'net profit a stretch less what holding its usual capital earned'),
    excess_error: part('excess.error', 'quote', 'one standard error of it'),
    excess_percent: {
      sql: `100 * json_extract(v.verdict_json, '$.excess.mean') / json_extract(v.verdict_json, '$.excess.usualCapital')`,
      unit: 'percent',
      meaning: 'the same of its usual capital',
      whenNull: notKnown,
    },
    over_plain_percent: part('plain.differencePercent', 'percent', 'the same less the plain ladder’s'),
    over_plain_error: part('plain.error', 'percent', 'one standard error of it'),
    beta: part('onMarket.beta', 'ratio', 'change of its daily equity with the price, over the days of the study'),
    beta_error: part('onMarket.betaError', 'ratio', 'one standard error of it, for independent days'),
    alpha_percent_per_day: part('onMarket.alphaPercentPerDay', 'percent', 'what its daily equity gained without that'),
    alpha_error: part('onMarket.alphaError', 'percent', 'one standard error of it, for independent days'),
    worst_case: part('honest.worstCase', 'quote', 'net profit with worst-case fills on the finest candles'),
    best_case: part('honest.bestCase', 'quote', 'net profit with best-case fills'),
    stressed: part('stressed', 'quote', 'worst case with fee + 0.1 and slippage + 0.05 percentage points'),
    tried_shown: part('tried.shown', 'count', 'configurations whose backtests were paid for', null),
    tried_scanned: part('tried.scanned', 'count', 'configurations that were computed here, at most', null),
    ...examinationColumns,
    verdict_json: { sql: VERDICT.asJudged, unit: 'json', meaning: 'all of it', whenNull: null },
    stretches_json: {
      sql: 'v.stretches_json',
      unit: 'json',
      meaning:
        'every stretch of history that it was judged on, each entered flat with worst-case fills; the question stretches-of-a-verdict lists them',
      whenNull: null,
    },
    ...shared('v', 'identity', 'fingerprint'),
    settings: {
      sql: 'v.settings',
      unit: 'text',
      meaning: 'first 12 digits of the settings of the result',
      whenNull: 'where none were asked for',
    },
  },
  parts: SHOWN,
  from: `from verdict v
  join trial t on t.fingerprint = v.fingerprint
  join service s on s.identity = v.identity
  ${EXAMINATION}`,
}
