/** What the examination of a result found, as columns of its verdict. */
import type { Columns, View } from './column.ts'

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

export const examinationColumns: Columns = {
  net_profit_pessimistic: numberOf('ambiguity', 'pessimistic', {
    unit: 'quote',
    meaning: 'net profit by the worse order of prices inside every candle',
  }),
  net_profit_optimistic: numberOf('ambiguity', 'optimistic', {
    unit: 'quote',
    meaning: 'net profit by the better order of prices inside every candle',
  }),
  start_percentile: numberOf('starts', 'percentile', {
    unit: 'percent',
    meaning: 'place of its net profit among those of every start of its first day; 100 = best',
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
    meaning: 'median net profit of the take profits within 5 % of its own',
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
  twin_difference: numberOf('twin', 'difference', {
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

/** The latest finished examination of the result of `verdict v`. */
export const EXAMINATION = `left join examination e on e.id = (
    select x.id from examination x where x.fingerprint = v.fingerprint and x.identity = v.identity and x.settings is v.settings
      and x.finished_at is not null order by x.finished_at desc, x.id desc limit 1)`
