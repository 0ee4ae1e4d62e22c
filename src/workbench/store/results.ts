/** Metrics to columns and back, and closed deals to rows. Every number is checked before it is bound: SQLite would turn NaN into NULL without a word. */

import type Database from 'better-sqlite3'
import type { DealBody, OpenDealBody } from '../../contract/bodies.ts'
import {
  findMetric,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricsAsRead,
  metricsFromValues,
  metricValue,
  readSampleSize,
} from '../../contract/metrics.ts'
import type { ResultReading } from '../../contract/result-reading.ts'
import { runBuilt, runEach, statement } from '../../sqlite/statements.ts'
import { behaviourHash } from '../study/behaviour.ts'
import { query, type RowOf } from './tables.ts'

/** Set in the flags of a finished job whose result could not be read at all. */
const UNREADABLE_RESULT = 'result'

type ResultRow = Omit<RowOf<'result'>, 'job_id' | 'reply_id' | 'pruned_at' | 'cost_sensitivity_json'>

/** The columns of a result; null when there is nothing readable to derive them from. Never holds a number that is not finite. */
export function resultColumns(result: ResultReading | null): ResultRow {
  const flags: Record<string, string> =
    result === null ? { [UNREADABLE_RESULT]: 'the reply holds no result that can be read' } : { ...result.flags }
  const metricColumns: Record<string, number | null> = {}
  for (const name of METRIC_NAMES) {
    metricColumns[METRICS[name].column] = result === null ? null : boundMetric(result.metrics, name, flags)
  }
  const { metrics, candles, costs } = result ?? { metrics: null, candles: null, costs: null }
  return {
    ...(metricColumns as MetricColumns), // filled from the same list of names
    sample_size: metrics?.sampleSize ?? null,
    metric_flags_json: JSON.stringify(flags),
    safety_orders_histogram_json: jsonOrNull(metrics?.safetyOrdersFilled?.histogram),
    monthly_returns_json: jsonOrNull(metrics?.monthlyReturns),
    daily_equity_json: jsonOrNull(metrics?.dailyEquity),
    deals_reported: result === null || result.deals === null ? 0 : 1,
    open_deal_json: openDealJson(result?.openDeal ?? null),
    conventions_json: jsonOrNull(result?.conventions),
    fee_percent: finite(costs?.feePercent),
    slippage_percent: finite(costs?.slippagePercent),
    symbol_json: jsonOrNull(result?.symbol),
    candle_interval: candles?.interval ?? null,
    candle_count: whole(candles?.count),
    candles_missing: whole(candles?.missing),
    candles_hash: candles?.hash ?? null,
    candles_synthetic: yesNo(candles?.synthetic),
    engine_version: result?.engineVersion ?? null,
    behaviour_hash: result === null ? null : behaviourOf(result),
  }
}

/** Null where the reply holds no deals or no equity, or not all of them: then nothing can be said to be equal. */
function behaviourOf({ metrics, flags, deals, openDeal }: ResultReading): string | null {
  const { dailyEquity, closedDeals } = metrics
  const isPartial = 'deals' in flags || 'dailyEquity' in flags || (metrics.openDeal === true && openDeal === null)
  if (deals === null || dailyEquity.length === 0 || isPartial) return null
  if (closedDeals !== null && closedDeals !== deals.length) return null
  return behaviourHash({ deals, openDeal, dailyEquity })
}

type MetricColumns = Pick<ResultRow, (typeof METRICS)[keyof typeof METRICS]['column']>

function boundMetric(metrics: MetricsAsRead, name: MetricName, flags: Record<string, string>): number | null {
  const value = metricValue(metrics, name)
  if (value === null) {
    const found = findMetric(metrics, name)
    if (found !== null) flags[name] ??= found === undefined ? 'absent' : 'not a finite number' // NaN and the infinities
    return null
  }
  if (METRICS[name].whole && !Number.isSafeInteger(value)) {
    flags[name] ??= `expected a whole number, found ${value}`
    return null
  }
  return value
}

function finite(value: number | null | undefined): number | null {
  return value !== undefined && value !== null && Number.isFinite(value) ? value : null
}

function whole(value: number | null | undefined): number | null {
  return Number.isSafeInteger(value) ? (value ?? null) : null
}

function yesNo(value: boolean | null | undefined): number | null {
  return value === undefined || value === null ? null : value ? 1 : 0
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** The columns that metrics are nested from. */
export type StoredMetrics = MetricColumns & { readonly metric_flags_json: string | null } & Pick<
    ResultRow,
    'sample_size' | 'safety_orders_histogram_json' | 'monthly_returns_json' | 'daily_equity_json'
  >

/**
 * The metrics as the contract nests them; null when the result could not be read.
 * @param readEquity asks for the text of the daily equity, where the row was read without
 */
export function metricsFromColumns(row: StoredMetrics, readEquity?: () => string | null): MetricsAsRead | null {
  if (UNREADABLE_RESULT in flagsFromColumns(row)) return null
  const metrics = metricsFromValues((name) => row[METRICS[name].column])
  withSeries(metrics.safetyOrdersFilled, SERIES_OF_SAFETY_ORDERS, row)
  withSeries(metrics, SERIES, row, readEquity)
  return Object.assign(metrics, { sampleSize: readSampleSize(row.sample_size) }) as MetricsAsRead // its series are there now
}

/** Under this a result keeps its row's texts; lists of its keys do not show it. */
const TEXTS = Symbol('series as JSON')

type SeriesColumn = 'safety_orders_histogram_json' | 'monthly_returns_json' | 'daily_equity_json'
type SeriesTexts = Pick<StoredMetrics, SeriesColumn> & { readonly readEquity: (() => string | null) | undefined }

const SERIES_OF_SAFETY_ORDERS = { histogram: seriesIn('safety_orders_histogram_json') }
const SERIES = { monthlyReturns: seriesIn('monthly_returns_json'), dailyEquity: seriesIn('daily_equity_json') }

/** A series is read when it is asked for, and not kept: of most trials only the numbers are looked at. */
function seriesIn(column: SeriesColumn): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: { readonly [TEXTS]: SeriesTexts }) {
      const { [column]: text, readEquity } = this[TEXTS]
      return (
        parsed<readonly unknown[]>(readEquity !== undefined && column === 'daily_equity_json' ? readEquity() : text) ??
        []
      )
    },
  }
}

/** All results share the getters: with some of its own in each, V8 would make every result a hash table, several times as large and slow. */
function withSeries(
  metrics: object,
  series: Readonly<Record<string, PropertyDescriptor>>,
  { safety_orders_histogram_json, monthly_returns_json, daily_equity_json }: Pick<StoredMetrics, SeriesColumn>,
  readEquity?: () => string | null,
): void {
  const texts: SeriesTexts = { safety_orders_histogram_json, monthly_returns_json, daily_equity_json, readEquity }
  Object.defineProperty(metrics, TEXTS, { value: texts })
  Object.defineProperties(metrics, series)
}

const readFlags = parsedAsBefore<Readonly<Record<string, string>>>()

export function flagsFromColumns(row: Pick<StoredMetrics, 'metric_flags_json'>): Readonly<Record<string, string>> {
  return readFlags(row.metric_flags_json) ?? {}
}

/** A lowest value that the reply did not state is left out, as in what was stored before there was one. */
function openDealJson(deal: OpenDealBody | null): string | null {
  if (deal === null) return null
  const { lowestValue, ...rest } = deal
  return JSON.stringify(lowestValue === null ? rest : deal)
}

export function openDealFromColumns({ open_deal_json }: Pick<ResultRow, 'open_deal_json'>): OpenDealBody | null {
  const deal = parsed<Omit<OpenDealBody, 'lowestValue'>>(open_deal_json)
  return deal === null ? null : { lowestValue: null, ...deal }
}

/** For what the results of a study have in common: the text of the row before gives the object of the row before, which nobody changes. */
export function parsedAsBefore<T>(): (json: string | null) => T | null {
  let before: { readonly json: string | null; readonly value: T | null } = { json: null, value: null }
  return (json) => {
    if (json !== before.json) before = { json, value: parsed<T>(json) }
    return before.value
  }
}

/** JSON that this module wrote. */
export function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T) // written by resultColumns from the same type
}

// The closed deals of a result, one row each: instants as milliseconds, so that a hundred of them take eight kilobytes.

const ofResult = statement(({ jobId }: { readonly jobId: number }) =>
  query.selectFrom('deal').selectAll().where('job_id', '=', jobId).orderBy('n'),
)

/** Call inside a transaction. */
export function insertDeals(db: Database.Database, jobId: number, deals: readonly DealBody[]): void {
  const rows = deals.map((deal, index) => toRow(jobId, index + 1, deal))
  runEach(db, rows, (row) => query.insertInto('deal').values(row))
}

/** Whether the stored deals of a result are others than these. */
export function dealsDiffer(db: Database.Database, jobId: number, deals: readonly DealBody[]): boolean {
  const rows = ofResult.all(db, { jobId })
  return rows.length !== deals.length || deals.some((deal, at) => !isAlike(toRow(jobId, at + 1, deal), rows[at]))
}

function isAlike<Row extends object>(one: Row, other: Row): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

/** Call inside a transaction. */
export function replaceDeals(db: Database.Database, jobId: number, deals: readonly DealBody[]): void {
  runBuilt(db, query.deleteFrom('deal').where('job_id', '=', jobId))
  insertDeals(db, jobId, deals)
}

/** In the order of the reply. */
export function readDeals(db: Database.Database, jobId: number): readonly DealBody[] {
  return ofResult.all(db, { jobId }).map((row) => ({
    openedAt: new Date(row.opened_ms).toISOString(),
    closedAt: new Date(row.closed_ms).toISOString(),
    exit: row.exit,
    safetyOrders: row.safety_orders,
    quantity: row.quantity,
    cost: row.cost,
    proceeds: row.proceeds,
    profit: row.profit,
    price: row.price,
    lowestValue: row.lowest_value,
  }))
}

function toRow(jobId: number, n: number, deal: DealBody): RowOf<'deal'> {
  return {
    job_id: jobId,
    n,
    opened_ms: Date.parse(deal.openedAt),
    closed_ms: Date.parse(deal.closedAt),
    exit: deal.exit,
    safety_orders: deal.safetyOrders,
    quantity: deal.quantity,
    cost: deal.cost,
    proceeds: deal.proceeds,
    profit: deal.profit,
    price: deal.price,
    lowest_value: deal.lowestValue,
  }
}
