/** The top of a ranking: candidates, as closely as the ranking needs, are measured from the best downwards; where that is not enough, closer ones. */

import { rankAcrossMarkets } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import { depthsOf, signOf } from './appraise.ts'
import { type Depth, slackOf } from './measures.ts'
import type { MeasuredConfig, ScreenWorkers } from './messages.ts'
import type { Candidate, Shortlist } from './shortlist.ts'

interface Folded {
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

// Measures the candidates in the order of their rank, until enough of them are inside all bounds and no two alike.

/** Whole backtests per request to a worker. */
const PER_QUESTION = 8

interface WalkRequest {
  readonly workerGroup: ScreenWorkers
  readonly objective: Objective
  readonly wanted: number
  /** How the candidates were scored. */
  readonly depth: Depth
  /** Once aborted, it measures no more candidates than are wanted. */
  readonly signal?: AbortSignal
}

/**
 * When so many candidates beyond the wanted ones hold too few inside all bounds, the walk ends: to measure more would cost as much as a
 * closer pass, which applies more of the bounds itself.
 */
const MOST_OUTSIDE = 2048

interface Walk {
  /** The best of the candidates by their measured scores, inside all bounds and no two alike; at most `wanted`. */
  readonly found: Folded
  /** False where the walk ended early: it was interrupted, or too many candidates lie outside some bound. */
  readonly isSettled: boolean
}

const NOTHING_YET: Folded = { top: [], equal: new Map() }

/** @param candidates best first by their scores */
async function walkDown(candidates: readonly Candidate[], request: WalkRequest): Promise<Walk> {
  const { workerGroup, objective, wanted, depth, signal } = request
  let found = NOTHING_YET
  let measuredSoFar = 0
  let isInterrupted = false
  const areEnoughInside = () => found.top.length + found.equal.size >= wanted
  const end = wanted + MOST_OUTSIDE
  await walk(candidates.slice(0, end))
  if (areEnoughInside()) await walk(candidates.slice(end))
  return { found, isSettled: !isInterrupted && (areEnoughInside() || candidates.length <= end) }

  async function walk(stretch: readonly Candidate[]): Promise<void> {
    for (let next = 0; next < stretch.length; ) {
      if (signal?.aborted && measuredSoFar >= wanted) {
        isInterrupted = true
        return
      }
      const last = found.top.at(wanted - 1)
      if (last !== undefined && isBeyond(stretch[next].score, last)) break
      const questions: Promise<readonly MeasuredConfig[]>[] = []
      for (let worker = 0; worker < workerGroup.size && next < stretch.length; worker++) {
        questions.push(measure(workerGroup, stretch.slice(next, next + PER_QUESTION)))
        next += PER_QUESTION
      }
      const measured = (await Promise.all(questions)).flat()
      measuredSoFar += measured.length
      found = foldInto(found, measured, { objective, wanted })
    }
  }

  /**
   * A score may differ from the measured value. Only a candidate that is further behind than this difference can be is skipped unmeasured, so
   * that all that are as good as the last one are known, whatever the number of workers.
   */
  function isBeyond(score: number, last: MeasuredConfig): boolean {
    return score < signOf(objective) * scoreOf(last) - slackOf(last.scale, depth, objective.metric)
  }
}

async function measure(
  workerGroup: ScreenWorkers,
  candidates: readonly Candidate[],
): Promise<readonly MeasuredConfig[]> {
  const reply = await workerGroup.ask({ kind: 'measure', indices: candidates.map(({ index }) => index) })
  if (reply.kind !== 'measure') throw new Error(`metrics were asked for, and the answer is a ${reply.kind}`)
  return reply.configs
}

/**
 * Places beyond those wanted: for scores that differ only in their last bits, for bounds that a pass does not know, and for configs that
 * trade exactly alike, of which the top shows one. A walk to the end of them costs seconds, as much as a pass over a large grid. The same
 * number for every grid, so that a larger one takes no more memory.
 */
export const SPARE_PLACES = 8192

interface FoundTop {
  readonly best: Folded
  /** How many of the best were compared, where these hold fewer behaviours than wanted; null = the top is full, or there are no others. */
  readonly comparedOnly: number | null
  /** False where something was interrupted. */
  readonly complete: boolean
}

interface TopRequest {
  readonly workerGroup: ScreenWorkers
  readonly objective: Objective
  readonly wanted: number
  readonly signal?: AbortSignal
}

/** All candidates at a depth. */
export interface RankedGrid {
  readonly shortlist: Shortlist
  /** False where not every point was computed. */
  readonly complete: boolean
}

/** @param rank asked for one depth after the other until the top is filled, mostly for the first alone */
export async function findTop(
  { workerGroup, objective, wanted, signal }: TopRequest,
  rank: (depth: Depth) => Promise<RankedGrid>,
): Promise<FoundTop> {
  const options = { objective, wanted }
  const stop = signal === undefined ? {} : { signal }
  let best = NOTHING_YET
  let comparedOnly: number | null = null
  let complete = false
  for (const depth of depthsOf(objective)) {
    const ranked = await rank(depth)
    const candidates = ranked.shortlist.ranked()
    const walk = await walkDown(candidates, { workerGroup, ...options, depth, ...stop })
    // The results of an earlier walk stay valid when a closer pass is interrupted.
    const { found } = walk
    best = foldInto({ ...found, equal: new Map([...best.equal, ...found.equal]) }, best.top, options)
    complete = ranked.complete && walk.isSettled
    comparedOnly = complete && found.top.length < wanted && ranked.shortlist.isFull() ? candidates.length : null
    if (walk.isSettled || signal?.aborted) break
  }
  return { best, comparedOnly, complete }
}

/**
 * A top shows every behaviour once. Configurations may differ in something without effect on these candles, such as a stop that is never
 * touched: of those whose deals and equity are the same on every market, the best by rank stays, which is the one of the lowest fingerprint.
 * Adds measured configs to what was folded so far. The order in which they come makes no difference.
 */
function foldInto(before: Folded, measured: readonly MeasuredConfig[], { objective, wanted }: FoldOptions): Folded {
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
function scoreOf({ value }: MeasuredConfig): number {
  return value ?? Number.NaN
}
