/**
 * Finds the best of a whole grid exactly, and evaluates configs only as closely as needed (decision 0007).
 *
 *     pass       every point, as closely as the ranking needs ──► shortlist: a fixed number of places, best score first
 *     walk down  the shortlist with every metric, until the top is filled with configs inside all bounds
 *     not filled, and the shortlist was full? a closer pass, which applies more of the bounds itself
 */

import type { ParameterSummary } from '../store/screen-record.ts'
import { trialFingerprint } from '../study/fingerprint.ts'
import { createGrid } from '../study/grid.ts'
import { rankByObjective } from '../study/objective.ts'
import type { Study } from '../study/study.ts'
import { depthsOf, signOf } from './appraise.ts'
import { DEPTHS, type Depth } from './measures.ts'
import type { MeasuredTrial, ScreenCrew } from './messages.ts'
import type { Portions } from './portions.ts'
import { createShortlist } from './shortlist.ts'
import { type Pass, sweepGrid } from './sweep-grid.ts'
import { summarizeTally } from './tally.ts'
import { walkDown } from './walk-down.ts'

/** Places beyond those wanted, for scores that differ only in their last bits. */
const SPARE_PLACES = 256
/** Places where bounds are still unknown. Measuring more than this costs as much as a closer pass. */
const PLACES_TO_WALK = 2048

export interface ScreenProgress {
  readonly depth: Depth
  /** Points of this pass; the first pass is mostly the only one. */
  readonly done: number
  readonly total: number
}

export interface GridScreening {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones inside the study's `where`: they have a result. */
  readonly feasible: number
  /** Simulations that all these results took. */
  readonly simulated: number
  readonly complete: boolean
  /** Best first by the study's objective, inside its bounds. */
  readonly top: readonly MeasuredTrial[]
  /** Every value of every axis, over all trials of the first pass. */
  readonly parameters: readonly ParameterSummary[]
}

export interface GridRequest {
  readonly crew: ScreenCrew
  readonly study: Study
  readonly portions: Portions
  /** How many of the best to return. */
  readonly top: number
  /** Once aborted, the best so far is measured and `complete` is false. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ScreenProgress) => void
}

export async function screenGrid({
  crew,
  study,
  portions,
  top,
  signal,
  onProgress,
}: GridRequest): Promise<GridScreening> {
  const { market, period, objective } = study
  const grid = createGrid(study, portions.order)
  const fingerprintOf = (index: number) => trialFingerprint({ market, period, config: grid.configAt(index) })
  const { passes, boundsKnownAt } = depthsOf(objective)
  const stop = signal === undefined ? {} : { signal }
  let first: Pass | undefined
  let best: readonly MeasuredTrial[] = []
  let complete = false

  for (const depth of passes) {
    const areBoundsKnown = DEPTHS.indexOf(depth) >= DEPTHS.indexOf(boundsKnownAt)
    const shortlist = createShortlist(top + (areBoundsKnown ? SPARE_PLACES : PLACES_TO_WALK), fingerprintOf)
    const pass = await sweepGrid({
      crew,
      depth,
      points: grid.points,
      portion: portions.size,
      axes: portions.order,
      shortlist,
      onPoints: (done) => onProgress?.({ depth, done, total: grid.points }),
      ...stop,
    })
    first ??= pass
    const found = await walkDown(shortlist.ranked(), { crew, objective, wanted: top, depth, ...stop })
    best = merge(best, found)
    const isSettled = found.length === top || !shortlist.isFull() || depth === 'backtest'
    complete = pass.complete && isSettled
    if (isSettled || signal?.aborted) break
  }

  if (first === undefined) throw new Error('a screen has at least one pass')
  const { points, feasible, simulated, tally } = first
  const parameters = summarizeTally(tally, portions.order, signOf(objective))
  return { points, feasible, simulated, complete, top: best, parameters }

  /** The results of an earlier walk stay valid when a closer pass is interrupted. */
  function merge(one: readonly MeasuredTrial[], other: readonly MeasuredTrial[]): readonly MeasuredTrial[] {
    const byName = new Map([...one, ...other].map((trial) => [trial.fingerprint, trial]))
    return rankByObjective([...byName.values()], objective).ranked.slice(0, top)
  }
}
