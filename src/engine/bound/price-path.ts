/** Candles for many passes that look for few turning points: what happens within a block of candles is known without reading them. */
import type { Candles } from '../candles.ts'

export interface PricePath extends Pick<Candles, 'open' | 'high' | 'low'> {
  readonly blocks: {
    /** Candles of a block; the last may have fewer. */
    readonly width: number
    readonly count: number
    readonly highestOpen: Float64Array
    readonly highest: Float64Array
    readonly lowest: Float64Array
  }
}

const WIDTH = 32

export function createPricePath({ open, high, low }: Pick<Candles, 'open' | 'high' | 'low'>): PricePath {
  const count = Math.ceil(open.length / WIDTH)
  const highestOpen = new Float64Array(count)
  const highest = new Float64Array(count)
  const lowest = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  for (let i = 0; i < open.length; i++) {
    const block = Math.floor(i / WIDTH)
    if (open[i] > highestOpen[block]) highestOpen[block] = open[i]
    if (high[i] > highest[block]) highest[block] = high[i]
    if (low[i] < lowest[block]) lowest[block] = low[i]
  }
  return { open, high, low, blocks: { width: WIDTH, count, highestOpen, highest, lowest } }
}
