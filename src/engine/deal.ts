/** What a backtest takes, and the deals and the result that it gives: the types which every engine and every measure share. */
import type { DcaSpotConfig } from '../contract/bot.ts'
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

export interface ClosedDeal {
  /** Open time of the candle on which the base order filled, ms UTC. */
  readonly openedAt: number
  /** Open time of the candle on which the deal closed, ms UTC. */
  readonly closedAt: number
  readonly exit: 'takeProfit' | 'stopLoss'
  readonly safetyOrders: number
  /** Base bought and sold. */
  readonly quantity: number
  /** Quote, fees included. */
  readonly cost: number
  /** Quote, net of the selling fee. */
  readonly proceeds: number
  readonly profit: number
  /** Exit fill price. */
  readonly price: number
}

export interface OpenDeal {
  readonly openedAt: number
  readonly safetyOrders: number
  readonly quantity: number
  readonly cost: number
  /** At the last close less the fee of selling; no slippage. */
  readonly value: number
  readonly profit: number
}

export interface BacktestResult {
  readonly metrics: Metrics
  readonly deals: readonly ClosedDeal[]
  readonly openDeal: OpenDeal | null
}
