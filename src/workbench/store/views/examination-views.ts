/** The view of examinations: one row each, with the answers that are most asked for as columns. */
import { type Columns, sinceLayout, type View } from './column.ts'
import { shared, trialDigits } from './shared-columns.ts'

const EXAMINATIONS_SINCE = 11
const CHANCE_SINCE = 21

/** A number of a check. */
function numberOf(
  check: string,
  path: string,
  words: Pick<View['columns'][string], 'unit' | 'meaning'>,
): View['columns'][string] {
  return {
    sql: `(select json_extract(c.value_json, '$.${path}') from examination_check c where c.examination = e.id and c.name = '${check}')`,
    ...words,
    whenNull: 'where it is refused, or the examination did not come to it',
  }
}

const found: Columns = {
  net_profit_pessimistic: numberOf('ambiguity', 'pessimistic', {
    unit: 'quote',
    meaning: 'net profit by the worse order of prices inside every candle',
  }),
  net_profit_optimistic: numberOf('ambiguity', 'optimistic', {
    unit: 'quote',
    meaning: 'net profit by the better order of prices inside every candle',
  }),
  ...sinceLayout(CHANCE_SINCE, {
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
}

export const examinationsView: View = {
  rows: 'One row per examination of a result by `dcalab examine`; the latest finished one of a trial holds.',
  columns: sinceLayout(EXAMINATIONS_SINCE, {
    ...shared('e', 'identity', 'fingerprint'),
    ...trialDigits('e.fingerprint'),
    settings: {
      sql: 'e.settings',
      unit: 'text',
      meaning: 'first 12 digits of the settings of the result',
      whenNull: 'where none were asked for',
    },
    study: {
      sql: 'e.study',
      unit: 'text',
      meaning: 'the study whose configurations it was compared with',
      whenNull: 'where it was looked at by itself',
    },
    config_fingerprint: {
      sql: 't.config_fingerprint',
      unit: 'text',
      meaning: 'the configuration alone, 64 hex digits',
      whenNull: null,
    },
    ...shared('t', 'market', 'period_from', 'period_to'),
    candle_interval: {
      sql: 'e.candle_interval',
      unit: 'text',
      meaning: 'length of the local candles that it was computed on',
      whenNull: null,
    },
    candles_hash: { sql: 'e.candles_hash', unit: 'text', meaning: 'content hash of these candles', whenNull: null },
    engine_version: { sql: 'e.engine_version', unit: 'text', meaning: 'the engine that computed', whenNull: null },
    begun_at: { sql: 'e.begun_at', unit: 'time', meaning: 'when it began', whenNull: null },
    finished_at: {
      sql: 'e.finished_at',
      unit: 'time',
      meaning: 'when it was finished',
      whenNull: 'where it was interrupted',
    },
    ...found,
    checks_json: {
      sql: `(select json_group_object(c.name, json(c.value_json)) from examination_check c where c.examination = e.id and c.value_json is not null)`,
      unit: 'json',
      meaning: 'every answer, by the name of its check',
      whenNull: null,
    },
    refused_json: {
      sql: `(select json_group_object(c.name, c.reason) from examination_check c where c.examination = e.id and c.reason is not null)`,
      unit: 'json',
      meaning: 'why a check has no answer, by its name',
      whenNull: null,
    },
  }),
  from: `from examination e
  join trial t on t.fingerprint = e.fingerprint`,
}
