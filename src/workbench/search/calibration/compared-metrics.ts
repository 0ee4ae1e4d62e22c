/** Which metrics of a result distinguish hypotheses, and when a service's value is a predicted one. */
import { METRICS, type MetricName, type MetricsAsRead, metricValue } from '../../../contract/metrics.ts'

/**
 * Those that a sweep knows and services commonly report, the most decisive first: profits are hardly ever equal by chance, numbers of deals
 * often.
 */
export const COMPARED = [
  'netProfit',
  'roiPercent',
  'realizedProfit',
  'closedDeals',
  'stopLosses',
  'winRatePercent',
  'maxDrawdownPercent',
] as const satisfies readonly MetricName[]
export type ComparedMetric = (typeof COMPARED)[number]

const MONEY: readonly ComparedMetric[] = ['netProfit', 'roiPercent', 'realizedProfit']

export function isMoney(metric: ComparedMetric): boolean {
  return MONEY.includes(metric)
}

/** A metric that answers give, and how far a predicted value may be from the service's to be the same. */
export interface Gauge {
  readonly metric: ComparedMetric
  readonly resolution: number
}

/** What answers give, in the order of COMPARED. */
export function gaugesOf(answers: readonly MetricsAsRead[]): readonly Gauge[] {
  return COMPARED.flatMap((metric): Gauge[] => {
    const values = answers.flatMap((metrics) => metricValue(metrics, metric) ?? [])
    return values.length === 0 ? [] : [{ metric, resolution: resolutionOf(metric, values) }]
  })
}

/**
 * What rounding or cutting off at the decimals that are seen may take away: a unit of the last one. They are those of the value that has
 * most, because 12.30 is written 12.3.
 */
function resolutionOf(metric: ComparedMetric, values: readonly number[]): number {
  return METRICS[metric].whole ? 0 : resolutionAt(values)
}

/** A unit of the last decimal of the value that has most; 0 without values. */
export function resolutionAt(values: readonly number[]): number {
  return values.length === 0 ? 0 : Number(`1e-${values.reduce((most, value) => Math.max(most, decimalsOf(value)), 0)}`)
}

/** Decimals after the point in the shortest text of a number. */
function decimalsOf(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  const written = digits.split('.').at(1)?.length ?? 0
  return Math.max(0, written - Number(exponent))
}

/** Sums of the same amounts in another order differ relatively by less than this. */
const NEARLY_EQUAL = 1e-9

export function slackAt(value: number): number {
  return NEARLY_EQUAL * Math.max(1, Math.abs(value))
}

export function isSame(service: number, predicted: number | null, { resolution }: Gauge): boolean {
  return predicted !== null && Math.abs(service - predicted) <= resolution + slackAt(service)
}
