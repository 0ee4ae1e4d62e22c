import type { Unit } from '../contract/metric-row.ts'
import { METRIC_NAMES, METRICS, type MetricName, type MetricsAsRead, metricValue } from '../contract/metrics.ts'
import { formatNumber } from './output.ts'

const UNIT_DIGITS: Readonly<Record<Unit, number>> = {
  quote: 4,
  percent: 2,
  minutes: 0,
  count: 0,
  ratio: 2,
  'yes/no': 0,
}

/** One line per metric: title, value, unit. An undefined number is a dash. */
export function describeMetrics(metrics: MetricsAsRead): string[] {
  const width = Math.max(...METRIC_NAMES.map((name) => METRICS[name].title.length))
  const lines = METRIC_NAMES.map((name) => {
    const { title, unit } = METRICS[name]
    return `${title.padEnd(width)}  ${describeValue(metricValue(metrics, name), unit)}`
  })
  return [...lines, `${'Sample size'.padEnd(width)}  ${metrics.sampleSize ?? '-'}`]
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

/** The objective first, then the metrics of every ranking. */
export function shownMetrics(objective: MetricName): MetricName[] {
  const usual: readonly MetricName[] = [
    'netProfit',
    'roiPercent',
    'maxDrawdownPercent',
    'closedDeals',
    'winRatePercent',
    'stopLosses',
    'ambiguousCandles',
  ]
  return [...new Set([objective, ...usual])]
}

/** A metric's title for a column head, with the unit when it is percent. */
export function metricTitle(name: MetricName): string {
  const { title, unit } = METRICS[name]
  return unit === 'percent' ? `${title} %` : title
}

function describeValue(value: number | null, unit: Unit): string {
  if (value === null) return '-'
  if (unit === 'yes/no') return value === 1 ? 'yes' : 'no'
  const digits = unit === 'count' && !Number.isInteger(value) ? 2 : UNIT_DIGITS[unit]
  const text = formatNumber(value, digits)
  return unit === 'percent' ? `${text} %` : unit === 'minutes' ? `${text} min` : text
}
