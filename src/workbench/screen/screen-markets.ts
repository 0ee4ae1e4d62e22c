/** Screens a study's grid on its markets at once, with a worker group of threads. */
import type { CandlesBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { createWorkerGroup } from '../../workers/worker-group.ts'
import type { Study } from '../study/study.ts'
import { planChunks } from './chunks.ts'
import type {
  MeasuredConfig,
  ScreenedMarket,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
  ScreenWorkers,
} from './messages.ts'
import { type GridScreening, type PointSink, type ScreenProgress, screenGrid } from './screen-grid.ts'

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
