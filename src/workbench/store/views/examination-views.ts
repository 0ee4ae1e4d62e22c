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
  nudge_median: numberOf('nudge', 'median', {
    unit: 'quote',
    meaning: 'net profit in the middle of all small moves of its fields',
  }),
  nudge_worst: numberOf('nudge', 'worst', { unit: 'quote', meaning: 'net profit after the worst small move' }),
  shift_low: numberOf('shift', 'low', { unit: 'quote', meaning: 'lowest net profit with a day more or less' }),
  shift_high: numberOf('shift', 'high', { unit: 'quote', meaning: 'highest net profit with a day more or less' }),
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
