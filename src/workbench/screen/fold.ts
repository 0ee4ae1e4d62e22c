/**
 * A top shows every behaviour once. Configurations may differ in something without effect on these candles, such as a stop that is never
 * touched: of those whose deals and equity are the same on every market, the best by rank stays, which is the one of the lowest fingerprint.
 */
import { rankAcrossMarkets } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import { signOf } from './appraise.ts'
import type { MeasuredConfig } from './messages.ts'

export interface Folded {
  /** Inside all bounds, best first, no two of them alike. */
  readonly top: readonly MeasuredConfig[]
  /** Those inside all bounds that are like a better one, by fingerprint. Only what is needed to count them. */
  readonly equal: ReadonlyMap<string, EqualConfig>
}

interface EqualConfig {
  readonly behaviourHash: string
  readonly score: number
}

interface FoldOptions {
  readonly objective: Objective
  /** The most that `top` may hold. */
  readonly wanted: number
}

/** Adds measured configs to what was folded so far. The order in which they come makes no difference. */
export function foldInto(
  before: Folded,
  measured: readonly MeasuredConfig[],
  { objective, wanted }: FoldOptions,
): Folded {
  const byName = new Map([...before.top, ...measured].map((one) => [one.fingerprint, one]))
  const seen = new Set<string>()
  const top: MeasuredConfig[] = []
  const equal = new Map(before.equal)
  for (const one of rankAcrossMarkets([...byName.values()], objective).ranked) {
    const { fingerprint, behaviourHash } = one
    if (seen.has(behaviourHash)) equal.set(fingerprint, { behaviourHash, score: scoreOf(one) })
    else {
      seen.add(behaviourHash)
      if (top.length < wanted) top.push(one)
    }
  }
  return { top, equal }
}

/**
 * How many configs are like one of the top. Of a full top, only those count that are as good as its last: how many others
 * were measured depends on the number of workers.
 */
export function countFolded({ top, equal }: Folded, { objective, wanted }: FoldOptions): number {
  const shown = new Set(top.map(({ behaviourHash }) => behaviourHash))
  const last = top.at(wanted - 1)
  const sign = signOf(objective)
  const least = last === undefined ? Number.NEGATIVE_INFINITY : sign * scoreOf(last)
  return [...equal.values()].filter(({ behaviourHash, score }) => shown.has(behaviourHash) && sign * score >= least)
    .length
}

/** What was ranked has a value. */
export function scoreOf({ value }: MeasuredConfig): number {
  return value ?? Number.NaN
}
