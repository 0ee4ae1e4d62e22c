/**
 * Lowest low and highest high of ever longer stretches of candles. A search that asks for the next candle with `low ≤ a` or `high ≥ b`
 * climbs over stretches that cannot hold one and comes down where one must be.
 *
 *     level 4   ┌───────────────────────── 4096 candles ─────────────────────────┐
 *     level 3   │512│512│ …                                                      │
 *     level 2   │64│64│ …            each node: min(low), max(high), min and max(close)
 *     level 1   │8│8│8│ …
 *     candles   ││││││││ …
 *
 * A minimum compares with a threshold exactly as the candle that holds it, so nothing is rounded and nothing is missed. Fan-out 8 and four
 * levels were measured: 4 and 16, deeper pyramids and interleaved nodes were slower.
 */

/** log2 of the candles under one node, by level; level 0 is the candles themselves. */
export const SHIFT_1 = 3
export const SHIFT_2 = 6
export const SHIFT_3 = 9
export const SHIFT_4 = 12
/** Candles under one node of the top level: stretches are padded to it. */
export const TOP_STRETCH = 1 << SHIFT_4

/** Columns hold levels 1 to 4 one after another; level 1 starts at 0. Nodes beyond the last candle touch nothing (+∞, −∞). */
export interface Pyramid {
  readonly lowest: Float64Array
  readonly highest: Float64Array
  readonly lowestClose: Float64Array
  readonly highestClose: Float64Array
  /** Index of the first node of levels 2, 3 and 4. */
  readonly level2: number
  readonly level3: number
  readonly level4: number
}

export interface Columns {
  readonly low: Float64Array
  readonly high: Float64Array
  readonly close: Float64Array
}

/** Bytes of a pyramid over `count` candles: about 4.6 per candle. */
export function buildPyramid({ low, high, close }: Columns): Pyramid {
  const count = low.length
  const padded = Math.ceil(count / TOP_STRETCH) * TOP_STRETCH
  const level2 = padded >> SHIFT_1
  const level3 = level2 + (padded >> SHIFT_2)
  const level4 = level3 + (padded >> SHIFT_3)
  const size = level4 + (padded >> SHIFT_4)
  const lowest = sharedColumn(size).fill(Number.POSITIVE_INFINITY)
  const highest = sharedColumn(size).fill(Number.NEGATIVE_INFINITY)
  const lowestClose = sharedColumn(size).fill(Number.POSITIVE_INFINITY)
  const highestClose = sharedColumn(size).fill(Number.NEGATIVE_INFINITY)

  for (let i = 0; i < count; i++) {
    const node = i >> SHIFT_1
    if (low[i] < lowest[node]) lowest[node] = low[i]
    if (high[i] > highest[node]) highest[node] = high[i]
    if (close[i] < lowestClose[node]) lowestClose[node] = close[i]
    if (close[i] > highestClose[node]) highestClose[node] = close[i]
  }
  const levels = [0, level2, level3, level4, size]
  for (let level = 1; level < levels.length - 1; level++) {
    for (let from = levels[level - 1]; from < levels[level]; from++) {
      const node = levels[level] + ((from - levels[level - 1]) >> SHIFT_1)
      if (lowest[from] < lowest[node]) lowest[node] = lowest[from]
      if (highest[from] > highest[node]) highest[node] = highest[from]
      if (lowestClose[from] < lowestClose[node]) lowestClose[node] = lowestClose[from]
      if (highestClose[from] > highestClose[node]) highestClose[node] = highestClose[from]
    }
  }
  return { lowest, highest, lowestClose, highestClose, level2, level3, level4 }
}

/** Workers read one copy. */
export function sharedColumn(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
