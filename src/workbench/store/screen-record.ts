/** The result of a screen, as `dcalab screen` reports it and the store saves it. */
import type { CandlesBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { MetricName, Metrics } from '../../contract/metrics.ts'
import type { Reducer } from '../study/study.ts'

/** What the JSON of `dcalab screen` says in either form. */
interface ScreenWork {
  readonly study: string
  /** What it ranks by. */
  readonly metric: MetricName
  /** Points of the grid that were computed; all of them when `complete`. */
  readonly configs: number
  /** Simulations it took: points outside `where` need none, and equal configs share one. */
  readonly distinct: number
  readonly workers: number
  readonly elapsedMs: number
  readonly complete: boolean
  /** Points with a result × years of candles, per minute that passed. */
  readonly configYearsPerMinute: number
  /** Of the configs that were compared, those left out of the top: they trade exactly like one of it, and are as good as its last. */
  readonly folded: number
  /** How many of the best were compared, where they hold fewer different ones than were asked for; null = there are no others to compare. */
  readonly comparedOnly: number | null
}

/** The JSON of `dcalab screen` for a study of one market. */
export interface ScreenReport extends ScreenWork {
  readonly candles: CandlesBody
  /** No two of them have the same deals and equity: of equal ones the one of the lowest fingerprint stands here. */
  readonly top: readonly {
    readonly rank: number
    readonly fingerprint: string
    readonly config: DcaSpotConfig
    readonly metrics: Metrics
    /** Equal for configs, and for results of services, whose deals and equity are the same. */
    readonly behaviourHash: string
  }[]
}

/** The JSON of `dcalab screen` for a study of several markets: `markets` in place of `candles`, and in the top in place of `metrics`. */
export interface ScreenReportAcross extends ScreenWork {
  /** Those that were screened, in the order of the study. `distinct` above is their sum. */
  readonly markets: readonly { readonly candles: CandlesBody; readonly distinct: number }[]
  /** Whether a market of the study was left out: then all values are reduced over the others. */
  readonly partial: boolean
  /** The markets that were left out, because their candles are missing or damaged. */
  readonly missing: readonly string[]
  /** How values on several markets became one. */
  readonly across: Reducer
  /** No two of them have the same deals and equity on every market: of equal ones the one of the lowest fingerprint stands here. */
  readonly top: readonly {
    readonly rank: number
    /** Of the configuration alone; the trials in `markets` have their own. */
    readonly fingerprint: string
    readonly config: DcaSpotConfig
    /** The objective, reduced over the markets. */
    readonly value: number | null
    /** Equal for configs that do the same on every market. */
    readonly behaviourHash: string
    readonly markets: readonly {
      readonly market: string
      readonly fingerprint: string
      readonly metrics: Metrics
      readonly behaviourHash: string
    }[]
  }[]
}

/** What is saved of a screen for each of its markets. Rank, what was folded and how long it took are those of the whole screen. */
export interface MarketScreen {
  readonly report: ScreenReport
  /** Tick, lot and minimum order that were enforced. */
  readonly symbol: object
  readonly parameters: readonly ParameterSummary[]
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
