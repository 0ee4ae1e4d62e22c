/** The result of a screen, as `dcalab screen` reports it and the store saves it. */
import type { CandlesBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Metrics } from '../../contract/metrics.ts'
import type { SearchScore } from '../study/study.ts'

/** The JSON of `dcalab screen`. */
export interface ScreenReport {
  readonly study: string
  /** Points of the grid that were looked at; all of them when `complete`. */
  readonly configs: number
  /** Simulations it took: points outside `where` need none, and equal configs share one. */
  readonly distinct: number
  readonly candles: CandlesBody
  readonly workers: number
  readonly elapsedMs: number
  readonly complete: boolean
  /** Points with a result × years of candles, per minute that passed. */
  readonly configYearsPerMinute: number
  /** No two of them have the same deals and equity: of equal ones the one of the lowest fingerprint stands here. */
  readonly top: readonly {
    readonly rank: number
    readonly fingerprint: string
    readonly config: DcaSpotConfig
    readonly metrics: Metrics
    /** Equal for configs, and for results of services, whose deals and equity are the same. */
    readonly behaviourHash: string
    /** What it is ranked by, in the unit of the objective: its own value, the one under worse costs, or the mean over its neighbours too. */
    readonly score: number | null
  }[]
  /** Of the configs that were compared, those left out of the top: they trade exactly like one of it, and are as good as its last. */
  readonly folded: number
  /** How many of the best were compared, where they hold fewer different ones than were asked for; null = there are no others to compare. */
  readonly comparedOnly: number | null
  /** The study's `search.score`. */
  readonly score: SearchScore
}

/** One value of one varied field, over all trials that have it. Objective values count where they are defined, inside the bounds or not. */
export interface ParameterSummary {
  readonly field: string
  readonly value: number
  readonly trials: number
  readonly profitable: number
  readonly netProfit: { readonly average: number; readonly best: number } | null
  readonly objective: { readonly average: number; readonly best: number } | null
}
