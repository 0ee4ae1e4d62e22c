/** Views of saved screens. */
import { type Columns, type ColumnWords, sinceLayout, type View } from './column.ts'
import { columnNameOf, configColumns, metricColumns } from './number-columns.ts'
import { SCREENS_SINCE, shared, sharedOfScreen, trialDigits } from './shared-columns.ts'

function own(sql: string, words: Omit<ColumnWords, 'since'>) {
  return { sql, ...words, since: SCREENS_SINCE }
}

/** Metrics that are younger than screens are NULL in screens saved before. */
function screenMetrics(table: string): Columns {
  return Object.fromEntries(
    Object.entries(sinceLayout(SCREENS_SINCE, metricColumns(table, null))).map(([name, row]) => {
      const isYounger = row.since !== undefined && row.since > SCREENS_SINCE
      return [name, isYounger ? { ...row, whenNull: row.whenNull ?? savedBefore(row.since) } : row]
    }),
  )
}

function savedBefore(layout: number): string {
  return `in screens saved before layout ${layout}`
}

const number = (sql: string) => own(sql, { unit: 'count', meaning: 'number of the screen', whenNull: null })

export const screensView: View = {
  rows: 'One row per saved screen and market: a study on the local engine. A screen of several markets has a row for each, with the same saved_at.',
  columns: {
    screen: number('n.id'),
    ...sharedOfScreen('n', 'study'),
    study_fingerprint: own('n.study_fingerprint', {
      unit: 'text',
      meaning: 'the definition of the study, 64 hex digits',
      whenNull: null,
    }),
    ...sharedOfScreen('n', 'saved_at'),
    complete: own('n.complete', {
      unit: 'yes/no',
      meaning: 'the whole grid; else it was interrupted: the best of a part of it',
      whenNull: null,
    }),
    configs: own('n.configs', {
      unit: 'count',
      meaning: 'points of the grid that were looked at',
      whenNull: null,
    }),
    distinct_configs: own('n.distinct_configs', {
      unit: 'count',
      meaning: 'simulations it took on this market',
      whenNull: null,
    }),
    folded_configs: {
      sql: 'n.folded_configs',
      unit: 'count',
      meaning: 'configurations left out of the top, because they trade exactly like one of it, on every market',
      whenNull: savedBefore(7),
      since: 7,
    },
    workers: own('n.workers', { unit: 'count', meaning: 'threads', whenNull: null }),
    elapsed_ms: own('n.elapsed_ms', { unit: 'ms', meaning: 'how long it took, on all markets', whenNull: null }),
    config_years_per_minute: own('n.config_years_per_minute', {
      unit: 'count',
      meaning: 'its speed: years of candles of all markets times configurations, in a minute',
      whenNull: null,
    }),
    ...sharedOfScreen('n', 'market', 'period_from', 'period_to', 'candle_interval', 'candle_count', 'candles_missing'),
    ...sharedOfScreen('n', 'candles_hash', 'candles_synthetic', 'conventions_json'),
    symbol_json: own('n.symbol_json', {
      unit: 'json',
      meaning: 'tick, lot and smallest order that were enforced',
      whenNull: null,
    }),
    ...sharedOfScreen('n', 'fee_percent', 'slippage_percent', 'engine_version', 'definition_json', 'source'),
  },
  from: 'from screen n',
}

export const screenTopView: View = {
  rows: "The best of every saved screen by the study's objective and bounds, with every metric on the screen's market.",
  columns: {
    screen: number('r.screen_id'),
    ...sharedOfScreen('s', 'study', 'saved_at'),
    rank: own('r.rank', {
      unit: 'count',
      meaning: 'place by the study’s objective, from 1; the same on all markets',
      whenNull: null,
    }),
    ...sharedOfScreen('r', 'fingerprint'),
    ...sinceLayout(SCREENS_SINCE, trialDigits('r.fingerprint')),
    ...sharedOfScreen('s', 'market', 'period_from', 'period_to'),
    ...sinceLayout(SCREENS_SINCE, configColumns('r')),
    ...screenMetrics('r'),
    ...sharedOfScreen('r', 'confidence', 'safety_orders_histogram_json', 'monthly_returns_json', 'daily_equity_json'),
    ...sharedOfScreen('s', 'conventions_json', 'fee_percent', 'slippage_percent', 'candle_interval', 'candle_count'),
    ...sharedOfScreen('s', 'candles_missing', 'candles_hash', 'candles_synthetic', 'engine_version'),
    behaviour_hash: { ...shared('r', 'behaviour_hash').behaviour_hash, whenNull: savedBefore(7) },
  },
  from: `from screen_result r
  join screen s on s.id = r.screen_id`,
}

export const screenParametersView: View = {
  rows: 'One row per value of a varied field of every saved screen, over all trials of its market that have it.',
  columns: {
    screen: number('p.screen_id'),
    ...sharedOfScreen('s', 'study', 'saved_at'),
    field: own('p.field', { unit: 'text', meaning: 'the varied field, as study files write it', whenNull: null }),
    column_name: {
      sql: columnNameOf('p.field'),
      unit: 'text',
      meaning: 'its column in the other views',
      whenNull: null,
      since: 8,
    },
    value: own('p.value', { unit: 'ratio', meaning: 'its value, in the unit of the field', whenNull: null }),
    trials: own('p.trials', { unit: 'count', meaning: 'trials that have it', whenNull: null }),
    profitable: own('p.profitable', { unit: 'count', meaning: 'those of them with a profit', whenNull: null }),
    net_profit_average: own('p.net_profit_average', {
      unit: 'quote',
      meaning: 'mean net profit of them',
      whenNull: null,
    }),
    net_profit_best: own('p.net_profit_best', { unit: 'quote', meaning: 'best net profit of them', whenNull: null }),
    objective_average: own('p.objective_average', {
      unit: 'ratio',
      meaning: 'mean of the objective, in its own unit, inside its bounds or not',
      whenNull: 'where the objective is defined for none of them',
    }),
    objective_best: own('p.objective_best', {
      unit: 'ratio',
      meaning: 'best of the objective, in its own unit, inside its bounds or not',
      whenNull: 'where the objective is defined for none of them',
    }),
  },
  from: `from screen_parameter p
  join screen s on s.id = p.screen_id`,
}
