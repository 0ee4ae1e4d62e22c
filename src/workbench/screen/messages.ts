/** The messages between a screen and its workers. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../../contract/market.ts'
import type { Metrics } from '../../contract/metrics.ts'
import type { SymbolRules } from '../../engine/conventions.ts'
import type { PreparedCandles } from '../../engine/jump/prepared.ts'
import type { WorkerGroup } from '../../workers/worker-group.ts'
import type { Study } from '../study/study.ts'
import type { Chunks } from './chunks.ts'
import type { Depth } from './measures.ts'
import type { TallyRows } from './tally.ts'

/** A market that is screened. Its candle columns are in memory that all workers share. */
export interface ScreenedMarket {
  readonly market: Market
  readonly prepared: PreparedCandles
  readonly symbol: SymbolRules
}

/** What every worker gets once. */
export interface ScreenSetting {
  readonly study: Study
  readonly chunks: Chunks
  /** At least one; of the study's markets those that have candles, in its order. */
  readonly markets: readonly ScreenedMarket[]
}

/** A place in the ranking: higher scores first, then lower fingerprints. */
export interface GridPlace {
  readonly score: number
  readonly fingerprint: string
}

export type ScreenRequest =
  | {
      readonly kind: 'chunk'
      readonly depth: Depth
      /** Points from ≤ index < to. */
      readonly from: number
      readonly to: number
      /** Points behind this place are not needed any more; null = all may be needed. */
      readonly floor: GridPlace | null
      /** Whether the reply has `trials` as well. */
      readonly wantsPoints?: boolean
    }
  /** Every metric of these points. */
  | { readonly kind: 'measure'; readonly indices: readonly number[] }
  /** The same of configs that may be no points of the grid. */
  | { readonly kind: 'measureConfigs'; readonly configs: readonly DcaSpotConfig[] }

export interface ChunkReply {
  readonly kind: 'chunk'
  readonly points: number
  readonly breaksLimit: number
  /** Points within the limits that have the fingerprint of another one. */
  readonly duplicates: number
  /** Configs that were really run on each market. */
  readonly simulated: readonly number[]
  /** Trials inside all bounds that this depth knows and not behind the floor: point and score (higher is better). */
  readonly indices: Float64Array
  readonly scores: Float64Array
  /** One for each market. */
  readonly tallies: readonly TallyRows[]
  /** null = not asked for. */
  readonly trials: ChunkTrials | null
}

/** Every trial of a chunk, as columns. */
export interface ChunkTrials {
  /** Points of the grid. */
  readonly indices: Float64Array
  /** 1 = inside the bounds that the depth knows, on every market. */
  readonly inside: Uint8Array
  /** What it is ranked by, in the unit and direction of the objective; NaN = undefined. */
  readonly scores: Float64Array
  /** For each market the metrics of one trial after the other, those of `metricsKnownAt`; NaN = undefined. */
  readonly metrics: readonly Float64Array[]
}

/** A configuration on one market. */
interface MeasuredTrial {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** Of the trial. */
  readonly fingerprint: string
  readonly metrics: Metrics
  /** Equal for trials whose deals and equity are the same (`study/behaviour.ts`). */
  readonly behaviourHash: string
}

export interface MeasuredConfig {
  /** Orders ties: the trial's where the study has one market, the configuration's where it has several. */
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  /** In the order of the setting. */
  readonly markets: readonly MeasuredTrial[]
  /** What it is ranked by: the objective, reduced over the markets; null = undefined on one of them. */
  readonly value: number | null
  /** The largest amount that went into the value: its rounding is a share of that. */
  readonly scale: number
  /** Equal for configurations that do the same on every market. */
  readonly behaviourHash: string
}

interface MeasureReply {
  readonly kind: 'measure'
  readonly configs: readonly MeasuredConfig[]
}

export type ScreenReply = ChunkReply | MeasureReply
export type ScreenWorkers = WorkerGroup<ScreenRequest, ScreenReply>
