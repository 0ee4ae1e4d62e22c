import type { Candles } from './candles.ts'
import { createDrawdownMeter, observeEquity } from './drawdown.ts'

/** The result of buying once and holding to the end. Depends on candles and fee alone, not on the config. */
export interface BuyAndHold {
  readonly returnPercent: number
  readonly maxDrawdownPercent: number
}

/** Of money that buys and is sold again, the share that fees leave. @param feeRate of one trade, a share */
export function keptOfFees(feeRate: number): number {
  return (1 - feeRate) / (1 + feeRate)
}

/** Invests everything at the first open and sells at the last close, both less the fee. Every close is valued in the same way, for the drawdown. */
export function buyAndHold(candles: Candles, feeRate: number): BuyAndHold {
  const { open, close } = candles
  if (close.length === 0) return { returnPercent: 0, maxDrawdownPercent: 0 }
  const kept = keptOfFees(feeRate)
  const meter = createDrawdownMeter(1)
  for (let i = 0; i < close.length; i++) {
    const equity = (close[i] / open[0]) * kept
    observeEquity(meter, equity, equity)
  }
  const last = (close[close.length - 1] / open[0]) * kept
  return { returnPercent: 100 * (last - 1), maxDrawdownPercent: 100 * meter.deepest }
}
