import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Metrics } from '../contract/metrics.ts'
import type { Candles } from './candles.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'
import { runJump } from './jump/jump.ts'

/**
 * One DCA_SPOT config on these candles: what happened? A bot buys a base order at the open of a candle, averages down with resting
 * safety orders, and sells everything at one take profit (or stop); then it begins again. The choices on which platforms differ are in
 * `conventions.ts`, levels in `levels.ts`, the way through a candle in `candle-path.ts`, the walk in `reference.ts` (said plainly) and `jump/` (the same, fast), measures in `metrics.ts`.
 */

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

/** Recorded with every local result; changes when any number may. */
export const ENGINE_VERSION = 'jump-2'

/**
 * Runs one backtest. Takes valid input: a config within `CONFIG_BOUNDS`, resolved conventions, fee and slippage in [0, 100) percent,
 * candles in time order with 0 < low ≤ open, close ≤ high. Without candles the result is empty, not an error.
 */
export function backtest(input: BacktestInput): BacktestResult {
  return runJump(input)
}
