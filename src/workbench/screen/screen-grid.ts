/**
 * Finds the best of a whole grid exactly, and evaluates configs only as closely as needed (decision 0007).
 *
 *     pass       every point, as closely as the ranking needs ──► shortlist: a fixed number of places, best score first
 *                (by plateaus: ──► shared columns; a second pass over these puts the means on the shortlist)
 *     walk down  the shortlist with every metric, until the top is filled with configs inside all bounds
 *     not filled, and the shortlist was full? a closer pass, which applies more of the bounds itself
 */

import type { ParameterSummary } from '../store/screen-record.ts'
import { createGrid } from '../study/grid.ts'
import { depthsOf, signOf } from './appraise.ts'
import { countFolded, foldInto, NOTHING_YET } from './fold.ts'
import type { Depth } from './measures.ts'
import type { MeasuredConfig, ScreenCrew, ScreenSetting } from './messages.ts'
import { nameConfigs } from './name-configs.ts'
import { POINTS_PER_STRETCH, rankPlateaus } from './rank-plateaus.ts'
import { createShortlist } from './shortlist.ts'
import { type Pass, sweepGrid } from './sweep-grid.ts'
import { summarizeTally } from './tally.ts'
import { walkDown } from './walk-down.ts'

/**
 * Places beyond those wanted: for scores that differ only in their last bits, for bounds that a pass does not know, and for configs that
 * trade exactly alike, of which the top shows one. A walk to the end of them costs seconds, as much as a pass over a large grid. The same
 * number for every grid, so that a larger one takes no more memory.
 */
const SPARE_PLACES = 8192

export interface ScreenProgress {
  readonly pass: Depth | 'plateaus'
  /** Points of this pass; the first pass is mostly the only one. */
  readonly done: number
  readonly total: number
}

export interface GridScreening {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones inside the study's `where`: they have a result. */
  readonly feasible: number
  readonly complete: boolean
  /** Best first by the study's score, inside the objective's bounds on every market, no two of the same behaviour. */
  readonly top: readonly MeasuredConfig[]
  /** Configs that were left out of it, because they trade exactly like one of it. */
  readonly folded: number
  /** How many of the best were compared, where these hold fewer behaviours than wanted; null = the top is full, or there are no others. */
  readonly comparedOnly: number | null
  /** In the order of the setting. */
  readonly markets: readonly MarketSums[]
}

/** What the first pass took and found on one market. */
interface MarketSums {
  readonly simulated: number
  /** Every value of every axis, over all trials. */
  readonly parameters: readonly ParameterSummary[]
}

export interface GridRequest {
  readonly crew: ScreenCrew
  /** What the crew was given. */
  readonly setting: Pick<ScreenSetting, 'study' | 'portions' | 'markets'>
  /** How many of the best to return. */
  readonly top: number
  /** Once aborted, the best so far is measured and `complete` is false. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ScreenProgress) => void
}

export async function screenGrid({
  crew,
  setting: { study, portions, markets },
  top,
  signal,
  onProgress,
}: GridRequest): Promise<GridScreening> {
  const { objective } = study
  const grid = createGrid(study, portions.order)
  const nameOf = nameConfigs(study)
  const fingerprintOf = (index: number) => nameOf(grid.configAt(index))
  const options = { objective, wanted: top }
  const stop = signal === undefined ? {} : { signal }
  let first: Pass | undefined
  let best = NOTHING_YET
  let comparedOnly: number | null = null
  let complete = false

  for (const depth of depthsOf(objective)) {
    const shortlist = createShortlist(top + SPARE_PLACES, fingerprintOf)
    const showing = (pass: ScreenProgress['pass']) => (done: number) => onProgress?.({ pass, done, total: grid.points })
    const pass = await sweepGrid({
      crew,
      depth,
      points: grid.points,
      portion: portions.size,
      axes: portions.order,
      markets: markets.length,
      shortlist,
      onPoints: showing(depth),
      ...stop,
    })
    if (study.search.score === 'plateau') {
      const { points } = grid
      await rankPlateaus({ crew, points, portion: POINTS_PER_STRETCH, shortlist, onPoints: showing('plateaus') })
    }
    first ??= pass
    const walk = await walkDown(shortlist.ranked(), { crew, ...options, depth, ...stop })
    // The results of an earlier walk stay valid when a closer pass is interrupted.
    const { found } = walk
    best = foldInto({ ...found, equal: new Map([...best.equal, ...found.equal]) }, best.top, options)
    complete = pass.complete && walk.isSettled
    comparedOnly = complete && found.top.length < top && shortlist.isFull() ? shortlist.ranked().length : null
    if (walk.isSettled || signal?.aborted) break
  }

  if (first === undefined) throw new Error('a screen has at least one pass')
  const { points, feasible, simulated, tallies } = first
  const folded = countFolded(best, options)
  const sums = tallies.map((tally, market) => ({
    simulated: simulated[market],
    parameters: summarizeTally(tally, portions.order, signOf(objective)),
  }))
  return { points, feasible, complete, top: best.top, folded, comparedOnly, markets: sums }
}
