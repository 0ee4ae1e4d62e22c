import type { BacktestInput, BacktestResult } from './deal.ts'
import { runJump } from './jump/jump.ts'

/**
 * One DCA_SPOT config on these candles: what happened? A bot buys a base order at the open of a candle, averages down with resting
 * safety orders, and sells everything at one take profit (or stop); then it begins again. The choices on which platforms differ are in
 * `conventions.ts`, levels in `levels.ts`, the way through a candle in `candle-path.ts`, the walk in `reference.ts` (said plainly) and
 * `jump/` (the same, fast), measures in `metrics.ts`; what goes in and comes out in `deal.ts`.
 */

/** Recorded with every local result; changes when any number may. */
export const ENGINE_VERSION = 'jump-2'

/**
 * Runs one backtest. Takes valid input: a config within `CONFIG_BOUNDS`, resolved conventions, fee and slippage in [0, 100) percent,
 * candles in time order with 0 < low ≤ open, close ≤ high. Without candles the result is empty, not an error.
 */
export function backtest(input: BacktestInput): BacktestResult {
  return runJump(input)
}
