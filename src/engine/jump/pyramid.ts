import { SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4, TOP_STRETCH } from './layout.ts'
import type { Room } from './memory.ts'

/**
 * Lowest low and highest high of ever longer stretches of candles. A search for the next candle with `low ≤ a` or `high ≥ b`
 * skips stretches that cannot contain one and descends into the first that does.
 *
 *     level 4   ┌───────────────────────── 4096 candles ─────────────────────────┐
 *     level 3   │512│512│ …                                                      │
 *     level 2   │64│64│ …            each node: min(low), max(high), min and max(close)
 *     level 1   │8│8│8│ …
 *     candles   ││││││││ …
 *
 * A minimum compares with a threshold exactly as the candle that holds it, so nothing is rounded and nothing is missed. Columns
 * hold levels 1 to 4 one after another; level 1 starts at 0. Nodes beyond the last candle touch nothing (+∞, −∞).
 */
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

/** Where the levels of a pyramid over `count` candles begin, and how many nodes it has: about 0.57 doubles per candle in its four columns. */
export function pyramidLevels(count: number): { level2: number; level3: number; level4: number; nodes: number } {
  const padded = Math.ceil(count / TOP_STRETCH) * TOP_STRETCH
  const level2 = padded >> SHIFT_1
  const level3 = level2 + (padded >> SHIFT_2)
  const level4 = level3 + (padded >> SHIFT_3)
  // Nodes are read in groups of eight.
  return { level2, level3, level4, nodes: level4 + Math.ceil((padded >> SHIFT_4) / 8) * 8 }
}

export function buildPyramid({ low, high, close }: Columns, room: Room): Pyramid {
  const count = low.length
  const { level2, level3, level4, nodes } = pyramidLevels(count)
  const lowest = room.floats(nodes).fill(Number.POSITIVE_INFINITY)
  const highest = room.floats(nodes).fill(Number.NEGATIVE_INFINITY)
  const lowestClose = room.floats(nodes).fill(Number.POSITIVE_INFINITY)
  const highestClose = room.floats(nodes).fill(Number.NEGATIVE_INFINITY)

  for (let i = 0; i < count; i++) {
    const node = i >> SHIFT_1
    if (low[i] < lowest[node]) lowest[node] = low[i]
    if (high[i] > highest[node]) highest[node] = high[i]
    if (close[i] < lowestClose[node]) lowestClose[node] = close[i]
    if (close[i] > highestClose[node]) highestClose[node] = close[i]
  }
  const levels = [0, level2, level3, level4, nodes]
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
