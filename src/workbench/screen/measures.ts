/**
 * Reads the metrics that a sweep knows from its columns. The formulas are those of `computeMetrics`. Counts equal those of a
 * backtest; sums of money are added in another order, so their last bits may differ (`NEARLY_EQUAL` is the limit).
 */
import { METRIC_NAMES, type MetricName } from '../../contract/metrics.ts'
import type { SweepColumns } from '../../engine/jump/columns.ts'
import type { PreparedCandles } from '../../engine/jump/prepared.ts'
import { cagrPercent } from '../../engine/risk-adjusted.ts'

/**
 * How configs are evaluated: by the profit sweep, by the one that also sums what deals use, by the one that observes risk as well, by one of these and a
 * second one under stress, by one backtest each, or by that and the two other runs of its ambiguity pair.
 */
export const DEPTHS = ['profit', 'used', 'risk', 'stress', 'backtest', 'pair'] as const
export type Depth = (typeof DEPTHS)[number]

/** Reads a metric of one config; null where it is undefined. Only for metrics that are known at the depth at hand. */
export type ReadMetric = (metric: MetricName) => number | null

/** A row of a sweep, and what its metrics are computed from. */
interface SweptRow {
  readonly columns: SweepColumns
  readonly row: number
  readonly investment: number
  readonly candles: CandleFacts
}

interface CandleFacts {
  readonly count: number
  /** From the first open to the end of the last candle. */
  readonly days: number
}

/** Values of a sweep and of a backtest differ relatively by less than this (the engines guarantee it; in fact it is about 1e-13). */
const NEARLY_EQUAL = 1e-9

/** Values are those of a sweep, not of a backtest. */
export function isSwept(depth: Depth): depth is 'profit' | 'used' | 'risk' | 'stress' {
  return depth !== 'backtest' && depth !== 'pair'
}

/** Above this a profit factor divides by losses so small that the rounding of the turnover shows in them. */
const EXACT_FACTOR = 1000

/** How far a value at some depth may be from the backtest's value. */
export function slackOf(value: number, depth: Depth, metric?: MetricName): number {
  if (!isSwept(depth)) return 0
  const size = Math.max(1, Math.abs(value))
  return NEARLY_EQUAL * size * (metric === 'profitFactor' ? Math.max(1, size / EXACT_FACTOR) : 1)
}

const DAY_MS = 86_400_000

export function candleFacts({ count, openTime, intervalMs }: PreparedCandles): CandleFacts {
  return { count, days: count === 0 ? 0 : (openTime[count - 1] + intervalMs - openTime[0]) / DAY_MS }
}

type Reader = (row: SweptRow) => number | null

const BY_PROFIT: Partial<Record<MetricName, Reader>> = {
  netProfit: ({ columns, row }) => columns.netProfit[row],
  realizedProfit: ({ columns, row }) => columns.realizedProfit[row],
  unrealizedProfit: ({ columns, row }) => columns.netProfit[row] - columns.realizedProfit[row],
  roiPercent: ({ columns, row, investment }) => (100 * columns.netProfit[row]) / investment,
  closedDeals: ({ columns, row }) => columns.closedDeals[row],
  winRatePercent: ({ columns, row }) =>
    columns.closedDeals[row] === 0 ? null : (100 * columns.wins[row]) / columns.closedDeals[row],
  stopLosses: ({ columns, row }) => columns.stopLosses[row],
  profitFactor: ({ columns, row }) => {
    const lost = columns.lostProfit[row]
    return lost === 0 ? null : (columns.realizedProfit[row] - lost) / -lost
  },
  openDeal: ({ columns, row }) => columns.openDeal[row],
  'dealDuration.max': ({ columns, row }) => (dealsOf(columns, row) === 0 ? null : columns.longestDealMinutes[row]),
  'safetyOrdersFilled.average': ({ columns, row }) =>
    dealsOf(columns, row) === 0 ? null : columns.safetyOrders[row] / dealsOf(columns, row),
  timeInDealPercent: ({ columns, row, candles }) => percentOf(columns.candlesInDeal[row], candles),
  cagrPercent: ({ columns, row, investment, candles }) =>
    candles.count === 0 ? null : cagrPercent(1 + columns.netProfit[row] / investment, candles.days),
  orders: ({ columns, row }) => columns.safetyOrders[row] + 2 * columns.closedDeals[row] + columns.openDeal[row],
  ambiguousCandles: ({ columns, row }) => columns.ambiguousCandles[row],
  unaffordableOrders: ({ columns, row }) => columns.unaffordableOrders[row],
  unplacedOrders: ({ columns, row }) => columns.unplacedOrders[row],
  outOfCash: ({ columns, row }) => columns.outOfCash[row],
}

const BY_USED: Partial<Record<MetricName, Reader>> = {
  'usedCapital.max': (row) => observed('used', row).max[row.row],
  'usedCapital.average': (row) => observed('used', row).average[row.row],
  roiOnMaxUsedPercent: (row) => {
    const most = observed('used', row).max[row.row]
    return most === 0 ? null : (100 * row.columns.netProfit[row.row]) / most
  },
  netProfitPerUsedPercent: (row) => {
    const average = observed('used', row).average[row.row]
    return average === 0 ? null : (100 * row.columns.netProfit[row.row]) / average
  },
}

const BY_RISK: Partial<Record<MetricName, Reader>> = {
  maxDrawdownPercent: (row) => observed('risk', row).maxDrawdownPercent[row.row],
  maxDrawdownLowPercent: (row) => observed('risk', row).maxDrawdownLowPercent[row.row],
  maxFloatingLoss: (row) => observed('risk', row).maxFloatingLoss[row.row],
  timeFullyInvestedPercent: (row) => percentOf(observed('risk', row).candlesFullyInvested[row.row], row.candles),
  calmar: (row) => {
    const cagr = BY_PROFIT.cagrPercent?.(row) ?? null
    const drawdown = observed('risk', row).maxDrawdownPercent[row.row]
    return cagr === null || drawdown === 0 ? null : cagr / drawdown
  },
}

const BY_RETURNS: Partial<Record<MetricName, Reader>> = {
  sharpe: (row) => observed('returns', row).sharpe[row.row],
  sortino: (row) => observed('returns', row).sortino[row.row],
}

/** Known to every sweep that counts durations. */
const BY_DURATIONS: Partial<Record<MetricName, Reader>> = {
  'dealDuration.average': (row) => observed('durations', row).average[row.row],
  'dealDuration.median': (row) => observed('durations', row).median[row.row],
  'dealDuration.p95': (row) => observed('durations', row).p95[row.row],
}

/** Whether one of these metrics needs a sweep that counts how long deals take, and whether one needs drawdowns. */
export function needsOf(metrics: readonly MetricName[]): { readonly durations: boolean; readonly falls: boolean } {
  const needs = (readers: typeof BY_RISK) => metrics.some((metric) => readers[metric] !== undefined)
  return { durations: needs(BY_DURATIONS), falls: needs(BY_RISK) }
}

type Observed = 'used' | 'returns' | 'risk' | 'durations'

function observed<Part extends Observed>(part: Part, { columns }: SweptRow): NonNullable<SweepColumns[Part]> {
  const found = columns[part]
  if (found === null) throw new Error(`a sweep that does not observe ${part} was asked for it`)
  return found
}

function dealsOf(columns: SweepColumns, row: number): number {
  return columns.closedDeals[row] + columns.openDeal[row]
}

function percentOf(count: number, candles: CandleFacts): number {
  return candles.count === 0 ? 0 : 100 * (count / candles.count)
}

const BY_PAIR: readonly MetricName[] = ['netProfitPessimistic', 'netProfitOptimistic']

/** Net profit per capital used of a run under stressed terms. */
export const BY_STRESS = 'stressedPerUsed'

/** The first depth at which a metric is known. */
export function depthOf(metric: MetricName): Depth {
  if (BY_PROFIT[metric] !== undefined || BY_DURATIONS[metric] !== undefined) return 'profit'
  if (BY_PAIR.includes(metric)) return 'pair'
  if (metric === BY_STRESS) return 'stress'
  if (BY_USED[metric] !== undefined) return 'used'
  return (BY_RETURNS[metric] ?? BY_RISK[metric]) === undefined ? 'backtest' : 'risk'
}

/** The metrics that can be read at a depth. */
export function metricsKnownAt(depth: Depth): readonly MetricName[] {
  return METRIC_NAMES.filter((metric) => DEPTHS.indexOf(depthOf(metric)) <= DEPTHS.indexOf(depth))
}

/** The value of a metric at a row, as `metricValue` would give it; null where it is undefined. Only for metrics that a sweep knows. */
export function sweptValue(metric: MetricName, row: SweptRow): number | null {
  const read = BY_PROFIT[metric] ?? BY_DURATIONS[metric] ?? BY_USED[metric] ?? BY_RETURNS[metric] ?? BY_RISK[metric]
  if (read === undefined) throw new Error(`no sweep knows ${metric}`)
  const value = read(row)
  return value === null || !Number.isFinite(value) ? null : value
}
