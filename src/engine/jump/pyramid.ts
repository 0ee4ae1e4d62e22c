import {
  BLOCK,
  CODE_SPAN,
  LAST_CODE,
  LINE,
  LINE_SHIFT,
  SHIFT_1,
  SHIFT_2,
  SHIFT_3,
  SHIFT_4,
  TOP_STRETCH,
  WHOLES,
} from './layout.ts'
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

/**
 * Lows and highs once more, as codes of 16 bits: a search reads sixteen candles in one cache line. Each block has one scale from price to
 * code that never falls as the price rises, so a low that is at most a price has a code that is at most its code. Codes can only
 * show that a candle touches nothing; of one that may, the prices themselves are compared.
 *
 *     lines     16 lows, 16 highs     of candles, then of stretches of 16, then of 256: least low, most high
 *     scales    per block: codes per unit of price, and what is added to these
 */
export interface Codes {
  readonly codes: Uint16Array
  /** Lines of candles; a sixteenth of them follows, and a sixteenth of those. */
  readonly lines: number
  readonly scales: Float64Array
}

/** How long the columns of codes are: 4.3 bytes for each of `count` candles, in whole blocks. */
export function codeLengths(count: number): { lines: number; ints: number; scales: number } {
  const blocks = Math.ceil(count / BLOCK)
  const lines = (blocks * BLOCK) >> LINE_SHIFT
  return { lines, ints: (lines + (lines >> LINE_SHIFT) + (lines >> (2 * LINE_SHIFT))) * (LINE / 4), scales: 2 * blocks }
}

/** The code of a price by a scale, as the kernel computes it (assembly/search.ts). */
export function codeOf(price: number, perUnit: number, added: number): number {
  return Math.min(Math.max(price * perUnit + added, WHOLES), WHOLES + LAST_CODE) - WHOLES
}

export function buildCodes({ low, high }: Pick<Columns, 'low' | 'high'>, room: Room): Codes {
  const { lines, ints, scales: scaleNumbers } = codeLengths(low.length)
  const { buffer, byteOffset } = room.ints(ints)
  const codes = new Uint16Array(buffer, byteOffset, 2 * ints)
  const scales = room.floats(scaleNumbers)
  const width = LINE / 4
  // Candles and nodes beyond the last candle touch nothing.
  for (let at = 0; at < codes.length; at++) codes[at] = at & width ? 0 : LAST_CODE
  for (let from = 0; from < low.length; from += BLOCK) {
    const end = Math.min(low.length, from + BLOCK)
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    for (let i = from; i < end; i++) {
      if (low[i] < least) least = low[i]
      if (high[i] > most) most = high[i]
    }
    const perUnit = most > least ? CODE_SPAN / (most - least) : 1
    const added = WHOLES + 3 - least * perUnit
    const block = (2 * from) / BLOCK
    scales[block] = perUnit
    scales[block + 1] = added
    for (let i = from; i < end; i++) {
      const place = ((i >> LINE_SHIFT) * LINE) / 2 + (i & (width - 1))
      codes[place] = codeOf(low[i], perUnit, added)
      codes[place + width] = codeOf(high[i], perUnit, added)
    }
  }
  let below = 0
  let nodes = lines
  for (let level = 1; level <= 2; level++) {
    const start = below + nodes
    for (let node = 0; node < nodes; node++) {
      const place = ((start + (node >> LINE_SHIFT)) * LINE) / 2 + (node & (width - 1))
      const first = ((below + node) * LINE) / 2
      for (let n = first; n < first + width; n++) {
        if (codes[n] < codes[place]) codes[place] = codes[n]
        if (codes[n + width] > codes[place + width]) codes[place + width] = codes[n + width]
      }
    }
    below = start
    nodes >>= LINE_SHIFT
  }
  return { codes, lines, scales }
}
