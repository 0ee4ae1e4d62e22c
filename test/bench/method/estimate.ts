/** Figures over stretches, with the interval that their clusters leave open (PROTOCOL.md, "Intervals and n"). */
import { ascending, mean, median, quantile } from '../../../src/workbench/analysis/quantiles.ts'
import { randomFor } from './hidden-settings.ts'

/** One number of one stretch; null = undefined there, and left out. */
export interface Observation {
  readonly value: number | null
  /** Those of one cluster are drawn together. */
  readonly cluster: string
  readonly month: string
}

/** To four significant digits: what is printed and what is kept are the same numbers. */
export interface Estimate {
  /** null = no stretch has it. */
  readonly value: number | null
  /** 90 %; null where there are too few clusters to draw from. */
  readonly interval: Interval90 | null
  /** The same with whole months as clusters. */
  readonly byMonths: Interval90 | null
  /** Stretches that have a value, and their clusters. */
  readonly n: number
  readonly clusters: number
}

type Interval90 = readonly [low: number, high: number]

/** Of the values in hand, at least one. */
export type Statistic = (values: readonly number[]) => number

export const STATISTICS = {
  mean: (values) => mean(values) ?? Number.NaN,
  median: (values) => median(values) ?? Number.NaN,
  p90: (values) => quantile(ascending(values), 0.9) ?? Number.NaN,
  shareAbove0: (values) => values.filter((value) => value > 0).length / values.length,
} as const satisfies Record<string, Statistic>

const DRAWS = 2000
/** The spread of fewer says little about the spread of all. */
const FEWEST_CLUSTERS = 5

/** The same observations give the same interval, whatever else was computed before. */
export function estimate(observations: readonly Observation[], statistic: Statistic): Estimate {
  const known = observations.filter((observation): observation is Known => observation.value !== null)
  const clusters = groupBy(known, ({ cluster }) => cluster)
  return {
    value: known.length === 0 ? null : rounded(statistic(known.map(({ value }) => value))),
    interval: intervalOf(clusters, statistic),
    byMonths: intervalOf(
      groupBy(known, ({ month }) => month),
      statistic,
    ),
    n: known.length,
    clusters: clusters.length,
  }
}

type Known = Observation & { readonly value: number }

function groupBy(known: readonly Known[], keyOf: (observation: Known) => string): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>()
  for (const observation of known) {
    const values = groups.get(keyOf(observation)) ?? []
    groups.set(keyOf(observation), values)
    values.push(observation.value)
  }
  return [...groups.values()]
}

function intervalOf(groups: readonly (readonly number[])[], statistic: Statistic): Interval90 | null {
  if (groups.length < FEWEST_CLUSTERS) return null
  const random = randomFor('bootstrap', 'clusters')
  const drawn = Array.from({ length: DRAWS }, () =>
    statistic(groups.flatMap(() => groups[Math.floor(groups.length * random.uniform())])),
  )
  const sorted = ascending(drawn)
  const end = (p: number) => rounded(quantile(sorted, p) ?? Number.NaN)
  return [end(0.05), end(0.95)]
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
