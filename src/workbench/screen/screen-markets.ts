/** Screens a study's grid on its markets at once, with a crew of threads. */
import type { CandlesBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { createCrew } from '../../workers/crew.ts'
import type { Study } from '../study/study.ts'
import type {
  MeasuredConfig,
  ScreenCrew,
  ScreenedMarket,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
} from './messages.ts'
import { createPointColumns } from './point-columns.ts'
import { planPortions } from './portions.ts'
import { PORTION_POINTS } from './prune/descend.ts'
import { pruneGrid } from './prune/prune-grid.ts'
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
  /** Drops what a bound keeps out of the top; only what `demandPrunable` lets through, and without `points`. */
  readonly prune?: boolean
  readonly signal?: AbortSignal
  /** Monotonic, in milliseconds; with it the time left is told. */
  readonly now?: () => number
  readonly onProgress?: (progress: ScreenProgress) => void
}

export interface MarketsScreening extends GridScreening {
  /** Threads that worked on it. */
  readonly workers: number
  /** The configs that were asked for beside the top, measured, in that order. */
  readonly asked: readonly MeasuredConfig[]
}

/** Candles times points that a pruned screen gives to one thread before it starts others: about what another takes to start and to compile. */
const CANDLE_POINTS_ALONE = 1e10

/**
 * All markets are screened together, portion by portion, so that no value of a point outlives its portion. Aborted, it resolves with the
 * best so far and `complete: false`.
 * @param configs measured besides, points of the grid or not
 */
export async function screenMarkets(
  { workerFile, study, markets, workers, top, points, prune = false, signal, now, onProgress }: MarketsToScreen,
  configs: readonly DcaSpotConfig[] = [],
): Promise<MarketsScreening> {
  const candles = markets.reduce((sum, { prepared }) => sum + prepared.count, 0)
  const setting = { study, portions: planPortions(study, candles), markets, points: createPointColumns(study) }
  const aloneFor = prune ? Math.ceil(CANDLE_POINTS_ALONE / (candles * PORTION_POINTS)) : 0
  const size = workers
  const crew = createCrew<ScreenSetting, ScreenRequest, ScreenReply>({ workerFile, size, setting, aloneFor })
  try {
    const request = {
      crew,
      setting,
      top,
      ...(signal === undefined ? {} : { signal }),
      ...(now === undefined ? {} : { now }),
      ...(onProgress === undefined ? {} : { onProgress }),
    }
    const screening = prune
      ? await pruneGrid(request)
      : await screenGrid({ ...request, ...(points === undefined ? {} : { points }) })
    return { ...screening, workers: crew.started(), asked: await measureConfigs(crew, configs) }
  } finally {
    await crew.close()
  }
}

/** Whole backtests per request to a worker. */
const PER_QUESTION = 8

async function measureConfigs(crew: ScreenCrew, configs: readonly DcaSpotConfig[]): Promise<readonly MeasuredConfig[]> {
  const questions: Promise<ScreenReply>[] = []
  for (let next = 0; next < configs.length; next += PER_QUESTION)
    questions.push(crew.ask({ kind: 'measureConfigs', configs: configs.slice(next, next + PER_QUESTION) }))
  const replies = await Promise.all(questions)
  return replies.flatMap((reply) => {
    if (reply.kind !== 'measure') throw new Error(`metrics were asked for, and the answer is a ${reply.kind}`)
    return reply.configs
  })
}
