import { type MetricsAsRead, metricValue } from '../../contract/metrics.ts'
import type { Objective } from './study.ts'

export interface Ranking<T> {
  /** Inside the objective's bounds, best first; ties by lower fingerprint. */
  readonly ranked: T[]
  /** Outside some bound; a metric without a value is outside. Same order. */
  readonly outside: T[]
  /** Without a value of the objective: unfinished, failed, or undefined for this run. In the order given. */
  readonly unranked: T[]
}

/**
 * Orders rows by a study's objective. Every row is in one of the three lists.
 * @param scoreOf what they are ordered by instead of the objective's value, in its direction: another score of a row with metrics
 */
export function rankByObjective<T extends { readonly fingerprint: string; readonly metrics: MetricsAsRead | null }>(
  rows: readonly T[],
  objective: Objective,
  scoreOf: (row: T, metrics: MetricsAsRead) => number | null = (_, metrics) => metricValue(metrics, objective.metric),
): Ranking<T> {
  const sign = objective.direction === 'maximize' ? -1 : 1
  const unranked: T[] = []
  const valued: { readonly row: T; readonly metrics: MetricsAsRead; readonly value: number }[] = []
  for (const row of rows) {
    const value = row.metrics === null ? null : scoreOf(row, row.metrics)
    if (row.metrics === null || value === null) unranked.push(row)
    else valued.push({ row, metrics: row.metrics, value })
  }
  valued.sort((a, b) => sign * (a.value - b.value) || compareText(a.row.fingerprint, b.row.fingerprint))
  const [ranked, outside] = [true, false].map((wanted) =>
    valued.filter(({ metrics }) => isInside(metrics, objective) === wanted).map(({ row }) => row),
  )
  return { ranked, outside, unranked }
}

function isInside(metrics: MetricsAsRead, { where }: Objective): boolean {
  return where.every(({ metric, bounds: { min = -Infinity, max = Infinity } }) => {
    const value = metricValue(metrics, metric)
    return value !== null && value >= min && value <= max
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
