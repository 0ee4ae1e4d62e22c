/** Screens a study's grid on its markets at once, with a worker group of threads. */
import type { CandlesBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { createWorkerGroup } from '../../workers/worker-group.ts'
import { createGrid } from '../study/grid.ts'
import type { Study } from '../study/study.ts'
import { signOf } from './appraise.ts'
import { planChunks } from './chunks.ts'
import { countFolded, findTop, type RankedGrid, SPARE_PLACES } from './find-top.ts'
import type { Depth } from './measures.ts'
import type {
  MeasuredConfig,
  ScreenedMarket,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
  ScreenWorkers,
} from './messages.ts'
import { type GridScreening, type Pass, type PointSink, type ScreenProgress, sweepGrid } from './screen-grid.ts'
import { createShortlist, nameConfigs } from './shortlist.ts'
import { createTally, mergeTallies, summarizeTally } from './tally.ts'

interface GridRequest {
  readonly workerGroup: ScreenWorkers
  /** What the worker group was given. */
  readonly setting: Pick<ScreenSetting, 'study' | 'chunks' | 'markets'>
  /** How many of the best to return. */
  readonly top: number
  /** Gets the metrics of every point, as closely as the first pass knows them, in the order of the grid. */
  readonly points?: PointSink | undefined
  /** Once aborted, the best so far is measured and `complete` is false. */
  readonly signal?: AbortSignal | undefined
  /** Monotonic, in milliseconds; with it the time left is reported. */
  readonly now?: (() => number) | undefined
  readonly onProgress?: ((progress: ScreenProgress) => void) | undefined
}

/** A market, and on which candles it is screened. */
export interface MarketOnCandles extends ScreenedMarket {
  readonly info: CandlesBody
}

export interface MarketsToScreen {
  /** The built `screen-worker.js`. */
  readonly workerFile: URL
  readonly study: Study
  /** Of the study's markets those that have candles, in its order; at least one. */
  readonly markets: readonly MarketOnCandles[]
  readonly workers: number
  /** How many of the best to return. */
  readonly top: number
  /** Gets the metrics of every point. */
  readonly points?: PointSink
  readonly signal?: AbortSignal
  /** Monotonic, in milliseconds; with it the time left is reported. */
  readonly now?: () => number
  readonly onProgress?: (progress: ScreenProgress) => void
}

export interface MarketsScreening extends GridScreening {
  /** Threads that worked on it. */
  readonly workers: number
  /** The configs that were asked for beside the top, measured, in that order. */
  readonly asked: readonly MeasuredConfig[]
}

/**
 * All markets are screened together, chunk by chunk, so that no value of a point outlives its chunk. Aborted, it resolves with the
 * best so far and `complete: false`.
 * @param configs measured besides, points of the grid or not
 */
export async function screenMarkets(
  { workerFile, study, markets, workers, top, points, signal, now, onProgress }: MarketsToScreen,
  configs: readonly DcaSpotConfig[] = [],
): Promise<MarketsScreening> {
  const candles = markets.reduce((sum, { prepared }) => sum + prepared.count, 0)
  const setting = { study, chunks: planChunks(study, candles), markets }
  const workerGroup = createWorkerGroup<ScreenSetting, ScreenRequest, ScreenReply>({
    workerFile,
    size: workers,
    setting,
  })
  try {
    const screening = await screenGrid({
      workerGroup,
      setting,
      top,
      points,
      signal,
      now,
      onProgress,
    })
    return { ...screening, workers: workerGroup.size, asked: await measureConfigs(workerGroup, configs) }
  } finally {
    await workerGroup.close()
  }
}

/** Whole backtests per request to a worker. */
const PER_QUESTION = 8

async function measureConfigs(
  workerGroup: ScreenWorkers,
  configs: readonly DcaSpotConfig[],
): Promise<readonly MeasuredConfig[]> {
  const questions: Promise<ScreenReply>[] = []
  for (let next = 0; next < configs.length; next += PER_QUESTION)
    questions.push(workerGroup.ask({ kind: 'measureConfigs', configs: configs.slice(next, next + PER_QUESTION) }))
  const replies = await Promise.all(questions)
  return replies.flatMap((reply) => {
    if (reply.kind !== 'measure') throw new Error(`metrics were asked for, and the answer is a ${reply.kind}`)
    return reply.configs
  })
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
