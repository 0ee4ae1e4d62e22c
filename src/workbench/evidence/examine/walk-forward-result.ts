/** What a walk-forward test finds. Every value is of a run that starts flat with the investment; a deal that is open at the end is valued, not carried. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { Fold } from '../../study/folds.ts'

/** What the price did on a span: last close against first open. */
export interface PriceMove {
  readonly direction: 'rose' | 'fell' | 'flat'
  readonly percent: number
}

export interface MovesOnMarket {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** null = it has no candles there. */
  readonly train: PriceMove | null
  readonly test: PriceMove | null
}

export interface ChosenOnMarket extends MovesOnMarket {
  /** Of the objective; null = undefined for this run. */
  readonly trainValue: number | null
  readonly testValue: number | null
  /** In quote. */
  readonly testNetProfit: number
}

/** A fold in which a configuration was chosen on train. */
export interface ChosenFold extends Fold {
  readonly kind: 'chosen'
  /** Of the configuration, whatever the market and the period (`configFingerprint`). */
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  /** Of the objective under the given terms, reduced over the markets; null = undefined on one of them. */
  readonly trainValue: number | null
  readonly testValue: number | null
  /** In quote, reduced over the markets as the objective is, `worst` = lowest; null = they are paid in unlike currencies. */
  readonly testNetProfit: number | null
  /** Of its test value among those of all configurations, ties half; null = it has no value there. */
  readonly percentile: number | null
  /** In the order given. */
  readonly markets: readonly ChosenOnMarket[]
}

/** A fold in which none could be chosen. */
export interface EmptyFold extends Fold {
  readonly kind: 'none'
  readonly why: string
  readonly markets: readonly MovesOnMarket[]
}

export type FoldResult = ChosenFold | EmptyFold

/** Over all folds. A fold without a winner, or without the value in question, is left out of it. */
export interface FoldsTogether {
  /** null = no fold has one. */
  readonly meanPercentile: number | null
  /** Which fold has the worst test value, from 0, the first of equals; null = no fold has a value. */
  readonly worstFold: number | null
  /** The test values, made one by the objective's `folds`; null where `testValueMissing` says why. */
  readonly testValue: number | null
  readonly testValueMissing: string | null
  /** Net profits of the tests added, never compounded, in quote; null where a fold's is. */
  readonly testNetProfit: number | null
  /** The same on each market. */
  readonly markets: readonly { readonly market: string; readonly testNetProfit: number }[]
}

export interface WalkForwardResult extends FoldsTogether {
  /** Different configurations that were compared in every fold. */
  readonly configs: number
  /** In the order of time. */
  readonly folds: readonly FoldResult[]
}
