/** The top of a ranking: candidates, as closely as the ranking needs, are measured from the best downwards; where that is not enough, closer ones. */
import type { Objective } from '../study/study.ts'
import { depthsOf } from './appraise.ts'
import { type Folded, foldInto, NOTHING_YET } from './fold.ts'
import type { Depth } from './measures.ts'
import type { ScreenCrew } from './messages.ts'
import type { Shortlist } from './shortlist.ts'
import { walkDown } from './walk-down.ts'

/**
 * Places beyond those wanted: for scores that differ only in their last bits, for bounds that a pass does not know, and for configs that
 * trade exactly alike, of which the top shows one. A walk to the end of them costs seconds, as much as a pass over a large grid. The same
 * number for every grid, so that a larger one takes no more memory.
 */
export const SPARE_PLACES = 8192

export interface FoundTop {
  readonly best: Folded
  /** How many of the best were compared, where these hold fewer behaviours than wanted; null = the top is full, or there are no others. */
  readonly comparedOnly: number | null
  /** False where something was interrupted. */
  readonly complete: boolean
}

export interface TopRequest {
  readonly crew: ScreenCrew
  readonly objective: Objective
  readonly wanted: number
  readonly signal?: AbortSignal
}

/** All candidates at a depth. */
export interface RankedGrid {
  readonly shortlist: Shortlist
  /** False where not every point was looked at. */
  readonly complete: boolean
}

/** @param rank asked for one depth after the other until the top is filled, mostly for the first alone */
export async function findTop(
  { crew, objective, wanted, signal }: TopRequest,
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
    const walk = await walkDown(candidates, { crew, ...options, depth, ...stop })
    // The results of an earlier walk stay valid when a closer pass is interrupted.
    const { found } = walk
    best = foldInto({ ...found, equal: new Map([...best.equal, ...found.equal]) }, best.top, options)
    complete = ranked.complete && walk.isSettled
    comparedOnly = complete && found.top.length < wanted && ranked.shortlist.isFull() ? candidates.length : null
    if (walk.isSettled || signal?.aborted) break
  }
  return { best, comparedOnly, complete }
}
