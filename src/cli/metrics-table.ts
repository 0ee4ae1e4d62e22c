import { withCompanions } from '../contract/companions.ts'
import type { Unit } from '../contract/metric-row.ts'
import { metricValue } from '../contract/metric-values.ts'
import { METRIC_NAMES, METRICS, type MetricName, type MetricsAsRead } from '../contract/metrics.ts'
import { sharpeError } from '../engine/risk-adjusted.ts'
import { formatNumber } from './output.ts'
import type { Column } from './table.ts'
import { toneOfGain } from './tone.ts'

const UNIT_DIGITS: Readonly<Record<Unit, number>> = {
  quote: 4,
  percent: 2,
  minutes: 0,
  count: 0,
  ratio: 2,
  'yes/no': 0,
}

/** One line per metric: title, value, unit. An undefined number is a dash. `period`: what was asked for, ms UTC; null = not known. */
export function describeMetrics(metrics: MetricsAsRead, period: Span | null): string[] {
  const width = Math.max(...METRIC_NAMES.map((name) => METRICS[name].title.length))
  const lines = METRIC_NAMES.map((name) => {
    const { title, unit } = METRICS[name]
    const error = name === 'sharpe' ? shownError(metrics, period) : ''
    return `${title.padEnd(width)}  ${describeValue(metricValue(metrics, name), unit)}${error}`
  })
  return [...lines, `${'Sample size'.padEnd(width)}  ${metrics.sampleSize ?? '-'}`]
}

type Span = { readonly from: number; readonly to: number }

const DAY_MS = 86_400_000

/** " ± 2.01": one standard error of the Sharpe ratio of a result, by its daily returns, or where they are not kept by the days asked for. */
function shownError(metrics: MetricsAsRead | null, period: Span | null): string {
  if (metrics === null || metrics.sharpe === null) return ''
  const asked = period === null ? 0 : (period.to - period.from) / DAY_MS
  const error = sharpeError(metrics.dailyEquity.length || asked)
  return ` ± ${error === null ? 'unknown' : formatNumber(error, UNIT_DIGITS.ratio)}`
}

/** Columns of a metric, and of those that it must not be shown without, each named after `prefix`. */
export function metricColumns<Row>(
  name: MetricName,
  resultOf: (row: Row) => Measured | null,
  prefix = '',
): Column<Row>[] {
  return withCompanions(name).map((each) => {
    const title = prefix === '' ? metricTitle(each) : each === name ? prefix : `${prefix} ${metricTitle(each)}`
    return { title, value: (row) => cellOf(each, resultOf(row)), ...(isGain(each) ? { tone: toneOfGain } : {}) }
  })
}

/** Money won or lost, or the share that it is of money: its sign says which. A rate of wins has no sign. */
export function isGain(name: MetricName): boolean {
  const { unit, better } = METRICS[name]
  return better === 'higher' && (unit === 'quote' || unit === 'percent') && name !== 'winRatePercent'
}

interface Measured {
  readonly metrics: MetricsAsRead | null
  readonly period: Span
}

function cellOf(name: MetricName, result: Measured | null) {
  const metrics = result?.metrics ?? null
  return metrics === null ? null : withError(name, metricValue(metrics, name), result)
}

/**
 * A value as a table shows it: a Sharpe ratio as text with its standard error. One that is reduced from several markets has the error of one of
 * them: they rise and fall together, so that more of them do not make it smaller.
 */
export function withError(name: MetricName, value: number | null, result: Measured | null): number | string | null {
  if (name !== 'sharpe' || value === null || result === null) return value
  return `${formatNumber(value, UNIT_DIGITS.ratio)}${shownError(result.metrics, result.period)}`
}

/** Text after the number of missing candles: how many of them were missing while a deal was open. Empty when there are none. */
export function inDeals(metrics: MetricsAsRead | null): string {
  return metrics?.missingInDeals ? ` (${metrics.missingInDeals} while a deal was open)` : ''
}

/** One line per convention, in the form of a configuration's fields; a service may return any JSON here. */
export function describeConventions(conventions: object): string[] {
  return Object.entries(conventions).map(
    ([name, value]) => `${name.padEnd(24)} ${typeof value === 'string' ? value : (JSON.stringify(value) ?? '-')}`,
  )
}

/** Metrics without their series: what lists and summaries print. */
export function scalarMetrics(metrics: MetricsAsRead | null) {
  if (metrics === null) return null
  const { monthlyReturns, dailyEquity, ...scalars } = metrics
  return scalars
}

/** Columns of the objective first, then of the metrics of every ranking. */
export function rankingColumns<Row>(objective: MetricName, resultOf: Parameters<typeof metricColumns<Row>>[1]) {
  const usual: readonly MetricName[] = [
    'netProfit',
    'netProfitPerUsedPercent',
    'roiPercent',
    'maxDrawdownPercent',
    'closedDeals',
    'winRatePercent',
    'stopLosses',
    'ambiguousCandles',
  ]
  const columns = [objective, ...usual].flatMap((name) => metricColumns(name, resultOf))
  return columns.filter(({ title }, at) => columns.findIndex((other) => other.title === title) === at)
}

/** A metric's title for a column head, with the unit where the numbers below it do not tell. */
export function metricTitle(name: MetricName): string {
  const { title, unit } = METRICS[name]
  return unit === 'percent' ? `${title} %` : unit === 'minutes' ? `${title} min` : title
}

function describeValue(value: number | null, unit: Unit): string {
  if (value === null) return '-'
  if (unit === 'yes/no') return value === 1 ? 'yes' : 'no'
  const digits = unit === 'count' && !Number.isInteger(value) ? 2 : UNIT_DIGITS[unit]
  const text = formatNumber(value, digits)
  return unit === 'percent' ? `${text} %` : unit === 'minutes' ? `${text} min` : text
}
