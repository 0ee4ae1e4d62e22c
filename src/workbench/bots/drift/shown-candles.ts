/**
 * Candles as a bot's fills show them: where it bought or sold at a price that our candle does not reach, the service's candle did, and
 * ours is widened to it. Only what a fill contradicts is changed. Pure.
 */
import type { Candles } from '../../../engine/candles.ts'
import type { TradedFill } from './traded-life.ts'

/** Prices of fills are rounded to a step of the price; nearer than this they are the same. */
const SAME_PRICE = 1e-6

export interface ShownCandles {
  readonly candles: Candles
  /** Open times of those that were changed, ms UTC. */
  readonly changed: readonly number[]
}

/** @param slippagePercent of market orders: a base order fills that much above the open */
export function candlesShownBy(
  fills: readonly TradedFill[],
  candles: Candles,
  { slippagePercent }: { readonly slippagePercent: number },
): ShownCandles {
  const rows = new Map(Array.from(candles.openTime, (at, index) => [at, index]))
  const columns = { open: candles.open.slice(), high: candles.high.slice(), low: candles.low.slice() }
  const changed = new Set<number>()
  for (const { role, at, price } of fills) {
    const row = rows.get(at)
    if (row === undefined || role === 'close' || role === 'stopLoss') continue
    if (role === 'base') {
      const open = price / (1 + slippagePercent / 100)
      if (Math.abs(open / candles.open[row] - 1) <= SAME_PRICE) continue
      columns.open[row] = open
      columns.high[row] = Math.max(columns.high[row], open)
      columns.low[row] = Math.min(columns.low[row], open)
      changed.add(at)
    } else if (role === 'safety' && price < columns.low[row] * (1 - SAME_PRICE)) {
      columns.low[row] = price
      changed.add(at)
    } else if (role === 'takeProfit' && price > columns.high[row] * (1 + SAME_PRICE)) {
      columns.high[row] = price
      changed.add(at)
    }
  }
  return { candles: changed.size === 0 ? candles : { ...candles, ...columns }, changed: [...changed] }
}
