/**
 * Finds the best of a whole grid exactly, and evaluates configs only as closely as needed (decision 0007).
 *
 *     pass       every point, as closely as the ranking needs ──► shortlist: a fixed number of places, best score first
 *     walk down  the shortlist with every metric, until the top is filled with configs inside all bounds
 *     not filled, and the shortlist was full? a closer pass, which applies more of the bounds itself
 */

import type { ParameterSummary } from '../store/screen-record.ts'
import { createGrid } from '../study/grid.ts'
import { signOf } from './appraise.ts'
import { findTop, type RankedGrid, SPARE_PLACES } from './find-top.ts'
import { countFolded } from './fold.ts'
import type { Depth } from './measures.ts'
import type { ChunkReply, MeasuredConfig, ScreenSetting, ScreenWorkers } from './messages.ts'
import { nameConfigs } from './name-configs.ts'
import { createShortlist } from './shortlist.ts'
import { type Pass, sweepGrid } from './sweep-grid.ts'
import { createTally, mergeTallies, summarizeTally } from './tally.ts'

export interface ScreenProgress {
  readonly pass: Depth
  /** Points of this pass; the first pass is mostly the only one. */
  readonly done: number
  readonly total: number
  /** Milliseconds until this pass is through; null = not known. Asking takes microseconds. */
  readonly leftMs: () => number | null
}

export interface GridScreening {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones inside the study's `where`: they have a result. */
  readonly feasible: number
  readonly complete: boolean
  /** Best first by the objective, inside the objective's bounds on every market, no two of the same behaviour. */
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

export type PointSink = (depth: Depth, reply: ChunkReply) => void

export interface GridRequest {
  readonly workerGroup: ScreenWorkers
  /** What the worker group was given. */
  readonly setting: Pick<ScreenSetting, 'study' | 'chunks' | 'markets'>
  /** How many of the best to return. */
  readonly top: number
  /** Gets the metrics of every point, as closely as the first pass knows them, in the order of the grid. */
  readonly points?: PointSink
  /** Once aborted, the best so far is measured and `complete` is false. */
  readonly signal?: AbortSignal
  /** Monotonic, in milliseconds; with it the time left is told. */
  readonly now?: () => number
  readonly onProgress?: (progress: ScreenProgress) => void
}

export async function screenGrid({
  workerGroup,
  setting: { study, chunks, markets },
  top,
  points: pointSink,
  signal,
  now,
  onProgress,
}: GridRequest): Promise<GridScreening> {
  const { objective } = study
  const grid = createGrid(study, chunks.order)
  const nameOf = nameConfigs(study)
  const fingerprintOf = (index: number) => nameOf(grid.configAt(index))
  const whole = { from: 0, to: grid.points }
  const stop = signal === undefined ? {} : { signal }
  const tallies = markets.map(() => createTally(chunks.order))
  let first: Pass | undefined

  async function rank(depth: Depth): Promise<RankedGrid> {
    const shortlist = createShortlist(top + SPARE_PLACES, fingerprintOf)
    const isFirst = first === undefined
    const pass = await sweepGrid({
      workerGroup,
      depth,
      ...whole,
      chunk: chunks.size,
      markets: markets.length,
      shortlist,
      wantsPoints: isFirst && pointSink !== undefined,
      onChunk: (reply) => {
        if (!isFirst) return
        mergeTallies(tallies, reply.tallies)
        pointSink?.(depth, reply)
      },
      onPoints: (done, leftMs) => onProgress?.({ pass: depth, done, total: grid.points, leftMs }),
      ...(now === undefined ? {} : { now }),
      ...stop,
    })
    first ??= pass
    return { shortlist, complete: pass.complete }
  }

  const { best, comparedOnly, complete } = await findTop({ workerGroup, objective, wanted: top, ...stop }, rank)
  if (first === undefined) throw new Error('a screen has at least one pass')
  const { points, feasible, simulated } = first
  const folded = countFolded(best, { objective, wanted: top })
  const sums = tallies.map((tally, market) => ({
    simulated: simulated[market],
    parameters: summarizeTally(tally, chunks.order, signOf(objective)),
  }))
  return { points, feasible, complete, top: best.top, folded, comparedOnly, markets: sums }
}
