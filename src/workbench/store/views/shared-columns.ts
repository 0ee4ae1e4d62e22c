/** Columns that mean the same in several views, each once. */
import type { Columns, ViewColumn } from './column.ts'

const SHARED = {
  identity: { unit: 'text', meaning: 'the service, and whose key', whenNull: null },
  account: { unit: 'text', meaning: 'account on our embedded service; empty elsewhere', whenNull: null },
  simulated: { unit: 'yes/no', meaning: 'our embedded service, not a real one', whenNull: null },
  study: { unit: 'text', meaning: 'name of the study', whenNull: null },
  fingerprint: { unit: 'text', meaning: 'the trial: market, period and configuration, 64 hex digits', whenNull: null },
  config_fingerprint: {
    unit: 'text',
    meaning: 'the configuration alone, 64 hex digits: the same on every market and in every period',
    whenNull: null,
  },
  saved_at: { unit: 'time', meaning: 'when it was last saved', whenNull: null },
  definition_json: { unit: 'json', meaning: 'the study as it was understood', whenNull: null },
  source: { unit: 'text', meaning: 'the text of the study file', whenNull: null },
  market: { unit: 'text', meaning: 'exchange/BASE-QUOTE', whenNull: null },
  exchange: { unit: 'text', meaning: 'the exchange of the market', whenNull: null },
  base_asset: { unit: 'text', meaning: 'what is bought', whenNull: null },
  quote_asset: { unit: 'text', meaning: 'what it is paid in', whenNull: null },
  period_from: { unit: 'time', meaning: 'a candle belongs when period_from <= open time < period_to', whenNull: null },
  period_to: { unit: 'time', meaning: 'the end of the period, itself outside', whenNull: null },
  conventions_json: {
    unit: 'json',
    meaning: 'the conventions that it was computed by',
    whenNull: 'where the service did not report it',
  },
  fee_percent: {
    unit: 'percent',
    meaning: 'fee of every fill that it was computed with',
    whenNull: 'where the service did not report it',
  },
  slippage_percent: {
    unit: 'percent',
    meaning: 'slippage of market orders that it was computed with',
    whenNull: 'where the service did not report it',
  },
  candle_interval: {
    unit: 'text',
    meaning: 'length of the candles that were used',
    whenNull: 'where the service did not report it',
  },
  candle_count: {
    unit: 'count',
    meaning: 'candles that were used',
    whenNull: 'where the service did not report it',
  },
  candles_missing: {
    unit: 'count',
    meaning: 'candles that the period lacks',
    whenNull: 'where the service did not report it',
  },
  candles_hash: {
    unit: 'text',
    meaning: 'content hash of the candles',
    whenNull: 'where the service did not report it',
  },
  candles_synthetic: {
    unit: 'yes/no',
    meaning: 'the candles are generated, not recorded',
    whenNull: 'where the service did not report it',
  },
  engine_version: {
    unit: 'text',
    meaning: 'the engine that computed it',
    whenNull: 'where the service did not report it',
  },
  behaviour_hash: {
    unit: 'text',
    meaning: 'what it did, 64 hex digits: equal for results with the same deals and the same equity to the last bit',
    whenNull: 'where the reply holds not all deals or no equity',
  },
} as const satisfies Record<string, Omit<ViewColumn, 'sql'>>

type SharedColumn = keyof typeof SHARED

/** Columns of `table`, in this order. */
export function shared(table: string, ...names: readonly SharedColumn[]): Columns {
  return Object.fromEntries(names.map((name) => [name, { ...SHARED[name], sql: `${table}.${name}` }]))
}

export function trialDigits(fingerprint: string): Columns {
  return {
    trial: {
      sql: `substr(${fingerprint}, 1, 12)`,
      unit: 'text',
      meaning: 'the first 12 digits of the fingerprint',
      whenNull: null,
    },
  }
}

/** Of `service s`. */
export const serviceColumn: Columns = {
  service: {
    sql: 's.name',
    unit: 'text',
    meaning: 'the service, by its short name: bots.example',
    whenNull: null,
    since: 22,
  },
}

/** Of a definition `d` that is the current one. */
export const currentRevision: Columns = {
  revision: {
    sql: 'd.revision',
    unit: 'count',
    meaning: 'the current revision of the study',
    whenNull: null,
    since: 22,
  },
}
