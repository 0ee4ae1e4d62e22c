/** What a backtest takes, and the deals and the result that it gives: the types which every engine and every measure share. */
import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Deal, UnclosedDeal } from '../contract/deal.ts'
import type { Metrics } from '../contract/metrics.ts'
import type { Candles } from './candles.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'

/** Everything one backtest depends on. Same input, same result, on any machine. */
export interface BacktestInput {
  readonly candles: Candles
  readonly config: DcaSpotConfig
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

/** Times are open times of candles, ms UTC. */
export type ClosedDeal = Deal<number> & LowestValue

export type OpenDeal = UnclosedDeal<number> & LowestValue

/** An engine always gives it. */
interface LowestValue {
  readonly lowestValue: number
}

export interface BacktestResult {
  readonly metrics: Metrics
  readonly deals: readonly ClosedDeal[]
  readonly openDeal: OpenDeal | null
}
