/**
 * A column of a promised view: where it comes from and what it means. The view's SQL, `column_doc` and VIEWS.md follow from it. Columns that
 * mean the same in several views stand here, each once.
 */
import { CONFIG, type FieldRow } from '../../../contract/bot.ts'

export type Unit =
  | 'quote'
  | 'base'
  | 'percent'
  | 'minutes'
  | 'ms'
  | 'count'
  | 'ratio'
  | 'yes/no' // 1 or 0
  | 'time' // ISO 8601 UTC
  | 'text'
  | 'json'

export interface ViewColumn {
  readonly sql: string
  readonly unit: Unit
  readonly meaning: string
  /** When the column is NULL; null = never. */
  readonly whenNull: string | null
  /** The store's layout (`pragma user_version`) that first had it; absent = the first that is known, or an earlier one. */
  readonly since?: number
}

/** By column name, in the order of the view. */
export type Columns = Readonly<Record<string, ViewColumn>>

export interface View {
  /** What one row is, and what holds for all columns. */
  readonly rows: string
  readonly columns: Columns
  /** What `from` reads by name, so that it nests less deeply: SQL of a statement by `name as` or `name as materialized`. */
  readonly parts?: Readonly<Record<string, string>>
  /** `from …` to the end of the statement. */
  readonly from: string
}

export function selectView({ columns, parts = {}, from }: View): string {
  const entries = Object.entries(columns)
  const lines = entries.map(([column, row], i) => {
    const comma = i === entries.length - 1 ? '' : ','
    const nulls = row.whenNull === null ? '' : `; NULL ${row.whenNull}`
    return `    ${row.sql} as ${column}${comma} -- ${row.unit}: ${row.meaning}${nulls}`
  })
  const named = Object.entries(parts).map(([part, sql]) => `${part} (${sql})`)
  const before = named.length === 0 ? '' : `  with ${named.join(',\n    ')}\n`
  return `${before}  select\n${lines.join('\n')}\n  ${from}`
}

// Columns that mean the same in several views.

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

/** Their words come from the fields’ own rows. */
export function configColumns(table: string): Columns {
  return Object.fromEntries(
    Object.values<FieldRow>(CONFIG).map(({ column, unit, says, since }): [string, ViewColumn] => {
      const row = { sql: `${table}.${column}`, unit, meaning: says, whenNull: null }
      return [column, since === undefined ? row : { ...row, since }]
    }),
  )
}

/** SQL for the revision that a run was of. `run`: SQL for its number. */
export function revisionOfRun(run: string): string {
  return `(select d.number from study_run q join study d on d.name = q.study and d.fingerprint = q.study_fingerprint where q.id = ${run})`
}

/** The study of `attempt a`: attempts keep the name that they were sent with. */
export const PAYING_STUDY: Columns = {
  study: {
    sql: 'a.study',
    unit: 'text',
    meaning: 'the study that paid for it, by its name at that time; study_runs has its name of today',
    whenNull: null,
  },
}
