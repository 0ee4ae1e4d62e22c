import type { BacktestInput, BacktestResult } from './deal.ts'
import { runJump } from './jump/jump.ts'

/**
 * Answers what one DCA_SPOT config would have done on these candles. A bot buys a base order at the open of a candle, averages
 * down with resting safety orders, and sells everything at one take profit (or stop); then it begins again. The choices on which
 * platforms differ are in `conventions.ts`, levels in `levels.ts`, the price path inside a candle in `candle-path.ts`, the loop
 * over candles in `reference.ts` (easy to read) and `jump/` (fast, same result), metrics in `metrics.ts`, input and output types
 * in `deal.ts`.
 */

/** Recorded with every local result. Change it when a change of the engine may change any number. */
export const ENGINE_VERSION = 'jump-2'

/**
 * Runs one backtest. Takes valid input: a config within `CONFIG_BOUNDS`, resolved conventions, fee and slippage in [0, 100) percent,
 * candles in time order with 0 < low ≤ open, close ≤ high. Without candles the result is empty, not an error.
 */
export function backtest(input: BacktestInput): BacktestResult {
  return runJump(input)
}
