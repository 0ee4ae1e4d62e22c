/**
 * Whether the service agrees with the local engine that chose what to spend units on. It is a rule for spending, not a test of significance: the rank
 * correlation over a few samples has a wide interval, so it is shown and decides nothing.
 */
import { type RankCorrelation, rankCorrelation } from '../analysis/correlation.ts'
import { reduceAcross } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import type { Confirmed, Pair } from './confirmed.ts'

/** Of the samples: `n` pairs of local run and service that both have a value, and their rank correlation. */
export interface Agreement extends RankCorrelation {
  /** Median objective of the chosen; null where half of them or more failed or have no value. */
  readonly median: number | null
  /** The same of the samples; null also where there are none. */
  readonly samples: number | null
  /** Share of `signPairs` whose profit has the same sign in both, 0–1; null without such pairs. */
  readonly signs: number | null
  /** Trials for which the local engine's profit is more than 0.2 % of the investment. */
  readonly signPairs: number
  /** Share of the trials that meet the bounds in both or in neither, 0–1; null where the objective has no bounds. */
  readonly bounds: number | null
  /** What did not hold; empty where it passed. */
  readonly failed: readonly ('median' | 'signs' | 'bounds')[]
  readonly passed: boolean
}

/** Share of pairs that must be alike. */
const ALIKE = 0.8
/** A smaller profit of the local engine has a sign by chance: share of the investment. */
const CLEAR_PROFIT = 0.002

/**
 * Passes when the chosen's median is not worse than the samples' (a failed trial counts as worst), profits have the same sign and bounds are met or
 * broken alike in at least 80 % of the pairs. Without samples there is no median to compare, without bounds no bound; without one clear profit it fails.
 * @param chosen of the first batch; a configuration may be among the samples, too
 */
export function testAgreement(
  { chosen, samples }: { readonly chosen: readonly Confirmed[]; readonly samples: readonly Confirmed[] },
  objective: Pick<Objective, 'direction' | 'where'>,
): Agreement {
  const { direction } = objective
  const median = medianOf(chosen, direction)
  const medianOfSamples = medianOf(samples, direction)
  const pairs = distinct([...samples, ...chosen]).flatMap((one) => one.pairs)
  const clear = pairs.filter(({ investment, local }) => Math.abs(local.netProfit) > CLEAR_PROFIT * investment)
  const signs = shareOf(clear, hasSameSign)
  const bounds = objective.where.length === 0 ? null : shareOf(pairs, isBoundAlike)
  const failed = [
    ...(isAtLeast(median, medianOfSamples, direction) ? [] : (['median'] as const)),
    ...(signs !== null && signs >= ALIKE ? [] : (['signs'] as const)),
    ...(objective.where.length === 0 || (bounds !== null && bounds >= ALIKE) ? [] : (['bounds'] as const)),
  ]
  const correlation = rankCorrelation(
    samples.flatMap(({ value, localValue }) => (value === null || localValue === null ? [] : [[localValue, value]])),
  )
  return {
    median,
    samples: medianOfSamples,
    signs,
    signPairs: clear.length,
    bounds,
    failed,
    passed: failed.length === 0,
    ...correlation,
  }
}

/** Without a value counts as worst: as one that is infinitely bad in the objective's direction. */
function medianOf(confirmed: readonly Confirmed[], direction: Objective['direction']): number | null {
  const worst = direction === 'maximize' ? -Infinity : Infinity
  const values = confirmed.map(({ value }) => value ?? worst)
  const median = reduceAcross(values, { across: 'median', direction })
  return median === worst ? null : median
}

/** null is worse than every number. */
function isAtLeast(value: number | null, other: number | null, direction: Objective['direction']): boolean {
  if (value === null || other === null) return value !== null
  return direction === 'maximize' ? value >= other : value <= other
}

function distinct(confirmed: readonly Confirmed[]): readonly Confirmed[] {
  return [...new Map(confirmed.map((one) => [one.fingerprint, one])).values()]
}

function shareOf(pairs: readonly Pair[], holds: (pair: Pair) => boolean): number | null {
  return pairs.length === 0 ? null : pairs.filter(holds).length / pairs.length
}

function hasSameSign({ local, service }: Pair): boolean {
  const netProfit = service?.netProfit ?? null
  return netProfit !== null && Math.sign(netProfit) === Math.sign(local.netProfit)
}

function isBoundAlike({ local, service }: Pair): boolean {
  return service !== null && service.isInside === local.isInside
}
