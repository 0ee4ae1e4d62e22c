/** Results for tests that care about a few of their numbers. */
import {
  everyMetric,
  METRICS,
  type MetricName,
  type MetricScalar,
  type Metrics,
  sampleSizeOf,
} from '../../src/contract/metrics.ts'

/** A result with these numbers, 1 and 0 for yes and no; its series are empty. */
export function metricsWith(read: (name: MetricName) => number | null): Metrics {
  const scalars = everyMetric<{ readonly [Name in MetricName]: MetricScalar<Name> }>((name) =>
    METRICS[name].unit === 'yes/no' ? read(name) === 1 : read(name),
  )
  return {
    ...scalars,
    safetyOrdersFilled: { ...scalars.safetyOrdersFilled, histogram: [] },
    monthlyReturns: [],
    dailyEquity: [],
    sampleSize: sampleSizeOf(0),
  }
}

/** A run in which nothing happened: 0 and no everywhere, null where a metric may be null. */
export function idleMetrics(): Metrics {
  return metricsWith((name) => (METRICS[name].nullWhen === null ? 0 : null))
}
