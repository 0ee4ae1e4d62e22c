/** The words of heat maps: what stands in a cell, and what its colour measures. Pure. */
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import type { HeatClass } from '../charts/heat-classes.ts'
import { formatMetricWithUnit, formatNumber, type Quote } from '../format.ts'
import type { Aggregate } from './heat-grid.ts'

/** A cell has room for three digits. */
export function cellLabel(value: number): string {
  const size = Math.abs(value)
  const decimals = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2
  return formatNumber(value, decimals)
}

/** "mean of Net profit", "best Net profit", "trials". */
export function aggregateTitle(aggregate: Aggregate, metric: MetricName): string {
  if (aggregate === 'count') return 'trials'
  return aggregate === 'mean' ? `mean of ${METRICS[metric].title}` : `best ${METRICS[metric].title}`
}

/** With its unit. */
export function aggregateText(value: number, aggregate: Aggregate, metric: MetricName, quote: Quote): string {
  return aggregate === 'count' ? formatNumber(value, 0) : formatMetricWithUnit(metric, value, quote)
}

/** "100 to 150", of a class of colours. */
export function rangeText(from: number, to: number, decimalsOfQuote: number): string {
  const decimals = Math.abs(to - from) < 1 ? decimalsOfQuote : 2
  const write = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : decimals)
  return from === to ? write(from) : `${write(from)} to ${write(to)}`
}

/** A class of colours; the first and the last also have what lies beyond all of them. */
export function classText(
  classes: readonly HeatClass[],
  {
    index,
    reach,
    decimals,
  }: {
    readonly index: number
    readonly reach: { readonly low: number; readonly high: number }
    readonly decimals: number
  },
): string {
  const { from, to } = classes[index]
  const text = rangeText(from, to, decimals)
  if (index === classes.length - 1 && reach.high > to) return `${text} and above`
  return index === 0 && reach.low < from ? `${text} and below` : text
}

/** ", USDT", behind a metric whose numbers stand without their unit. */
export function unitText(metric: MetricName, quote: Quote): string {
  const { unit } = METRICS[metric]
  if (unit === 'quote') return `, ${quote.asset}`
  return unit === 'percent' ? ', %' : unit === 'minutes' ? ', minutes' : ''
}
