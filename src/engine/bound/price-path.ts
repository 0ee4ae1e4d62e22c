/** Candles for many passes that look for few turning points: what happens within a block of candles, or of blocks, is known without reading them. */
import type { Candles } from '../candles.ts'

export interface PricePath extends Pick<Candles, 'open' | 'high' | 'low'> {
  readonly fine: Blocks
  readonly coarse: Blocks
}

export interface Blocks {
  /** Candles of a block; the last may have fewer. */
  readonly width: number
  readonly count: number
  readonly highestOpen: Float64Array
  readonly highest: Float64Array
  readonly lowest: Float64Array
}

const FINE = 32
/** A multiple of it. */
const COARSE = 512

export function createPricePath({ open, high, low }: Pick<Candles, 'open' | 'high' | 'low'>): PricePath {
  const fine = blocksOf({ highestOpen: open, highest: high, lowest: low }, FINE, FINE)
  return { open, high, low, fine, coarse: blocksOf(fine, COARSE / FINE, COARSE) }
}

/** @param together how many of the columns' rows are one block */
function blocksOf(
  { highestOpen: open, highest: high, lowest: low }: Pick<Blocks, 'highestOpen' | 'highest' | 'lowest'>,
  together: number,
  width: number,
): Blocks {
  const count = Math.ceil(open.length / together)
  const highestOpen = new Float64Array(count)
  const highest = new Float64Array(count)
  const lowest = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  for (let row = 0; row < open.length; row++) {
    const block = Math.floor(row / together)
    if (open[row] > highestOpen[block]) highestOpen[block] = open[row]
    if (high[row] > highest[block]) highest[block] = high[row]
    if (low[row] < lowest[block]) lowest[block] = low[row]
  }
  return { width, count, highestOpen, highest, lowest }
}
