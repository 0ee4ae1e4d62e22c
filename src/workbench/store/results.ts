/** Metrics to columns and back. Every number is looked at before it is bound: SQLite would turn NaN into NULL without a word. */

import { METRIC_NAMES, METRICS, type Metrics, metricValue } from '../../contract/metrics.ts'
import type { ResultReading } from '../../contract/result-reading.ts'
import type { Tables } from './tables.ts'

/** Set in the flags of a finished job whose result could not be read at all. */
export const UNREADABLE_RESULT = 'result'

type ResultRow = Omit<Tables['result'], 'job_id' | 'reply_id'>

/** Metrics that count things: their columns hold whole numbers only. */
const wholeNumbers: ReadonlySet<string> = new Set(
  METRIC_NAMES.filter((name) => METRICS[name].unit === 'count' && name !== 'safetyOrdersFilled.average'),
)

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
    confidence: metrics?.confidence ?? null,
    metric_flags_json: JSON.stringify(flags),
    safety_orders_histogram_json: jsonOrNull(metrics?.safetyOrdersFilled?.histogram),
    monthly_returns_json: jsonOrNull(metrics?.monthlyReturns),
    daily_equity_json: jsonOrNull(metrics?.dailyEquity),
    deals_json: jsonOrNull(result?.deals),
    open_deal_json: jsonOrNull(result?.openDeal),
    conventions_json: jsonOrNull(result?.conventions),
    fee_percent: finite(costs?.feePercent),
    slippage_percent: finite(costs?.slippagePercent),
    candle_interval: candles?.interval ?? null,
    candle_count: whole(candles?.count),
    candles_missing: whole(candles?.missing),
    candles_hash: candles?.hash ?? null,
    candles_synthetic: yesNo(candles?.synthetic),
    engine_version: result?.engineVersion ?? null,
  }
}

type MetricColumns = Pick<ResultRow, (typeof METRICS)[keyof typeof METRICS]['column']>

function boundMetric(
  metrics: Metrics,
  name: (typeof METRIC_NAMES)[number],
  flags: Record<string, string>,
): number | null {
  const value = metricValue(metrics, name)
  if (value === null) {
    if (isNotFinite(metrics, name)) flags[name] ??= 'not a finite number'
    return null
  }
  if (wholeNumbers.has(name) && !Number.isSafeInteger(value)) {
    flags[name] ??= `expected a whole number, found ${value}`
    return null
  }
  return value
}

/** NaN and the infinities, which `metricValue` does not tell from null. */
function isNotFinite(metrics: Metrics, name: string): boolean {
  let value: unknown = metrics
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null) return false
    value = (value as Readonly<Record<string, unknown>>)[key] // any object can be read by key
  }
  return typeof value === 'number' && !Number.isFinite(value)
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
    'confidence' | 'safety_orders_histogram_json' | 'monthly_returns_json' | 'daily_equity_json'
  >

/** The metrics as the contract nests them; null when the result could not be read. */
export function metricsFromColumns(row: StoredMetrics): Metrics | null {
  if (UNREADABLE_RESULT in flagsFromColumns(row)) return null
  const metrics = {
    realizedProfit: row.realized_profit,
    unrealizedProfit: row.unrealized_profit,
    netProfit: row.net_profit,
    roiPercent: row.roi_percent,
    roiOnMaxUsedPercent: row.roi_on_max_used_percent,
    maxDrawdownPercent: row.max_drawdown_percent,
    maxDrawdownLowPercent: row.max_drawdown_low_percent,
    maxFloatingLoss: row.max_floating_loss,
    closedDeals: row.closed_deals,
    winRatePercent: row.win_rate_percent,
    stopLosses: row.stop_losses,
    openDeal: row.open_deal === null ? null : row.open_deal === 1,
    dealDuration: {
      average: row.deal_duration_average_minutes,
      median: row.deal_duration_median_minutes,
      p95: row.deal_duration_p95_minutes,
      max: row.deal_duration_max_minutes,
    },
    safetyOrdersFilled: {
      average: row.safety_orders_average,
      max: row.safety_orders_max,
      histogram: parsed(row.safety_orders_histogram_json) ?? [],
    },
    timeInDealPercent: row.time_in_deal_percent,
    timeFullyInvestedPercent: row.time_fully_invested_percent,
    usedCapital: { max: row.used_capital_max, average: row.used_capital_average },
    profitFactor: row.profit_factor,
    sharpe: row.sharpe,
    sortino: row.sortino,
    cagrPercent: row.cagr_percent,
    calmar: row.calmar,
    feesPaid: row.fees_paid,
    orders: row.orders,
    volume: row.volume,
    buyAndHoldPercent: row.buy_and_hold_percent,
    buyAndHoldMaxDrawdownPercent: row.buy_and_hold_max_drawdown_percent,
    ambiguousCandles: row.ambiguous_candles,
    missingInDeals: row.missing_in_deals,
    unaffordableOrders: row.unaffordable_orders,
    outOfCash: row.out_of_cash === null ? null : row.out_of_cash === 1,
    monthlyReturns: parsed(row.monthly_returns_json) ?? [],
    dailyEquity: parsed(row.daily_equity_json) ?? [],
    confidence: row.confidence,
  }
  return metrics as Metrics // unreadable numbers are null, as TrialRecord says
}

export function flagsFromColumns(row: Pick<StoredMetrics, 'metric_flags_json'>): Readonly<Record<string, string>> {
  return parsed(row.metric_flags_json) ?? {}
}

/** JSON that this module wrote. */
export function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T) // written by resultColumns from the same type
}
