/** The price of a period in few points: the lowest and the highest of each stretch, in the order in which they came. Pure. */
import type { Candles } from '../../engine/candles.ts'

export interface PricePoint {
  /** Open time of its candle, ms UTC. */
  readonly time: number
  readonly price: number
}

/** @param most points; at least 4. First open and last close are among them. Empty without candles. */
export function priceLine({ openTime, open, high, low, close }: Candles, most: number): PricePoint[] {
  const count = close.length
  if (count === 0) return []
  const stretches = Math.min(count, Math.floor((most - 2) / 2))
  const points: PricePoint[] = [{ time: openTime[0], price: open[0] }]
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * count) / stretches)
    const to = Math.floor(((stretch + 1) * count) / stretches)
    let [lowest, highest] = [from, from]
    for (let i = from + 1; i < to; i++) {
      if (low[i] < low[lowest]) lowest = i
      if (high[i] > high[highest]) highest = i
    }
    const ends = [
      { time: openTime[lowest], price: low[lowest] },
      { time: openTime[highest], price: high[highest] },
    ]
    points.push(...(lowest <= highest ? ends : ends.toReversed()))
  }
  points.push({ time: openTime[count - 1], price: close[count - 1] })
  return points
}
