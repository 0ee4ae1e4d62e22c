/** How often the price can fall from an open and rise again: the largest number of such patterns that share no candle, the last of them perhaps unfinished. */
import type { PricePath } from './price-path.ts'

export interface PatternCounts {
  /**
   * At most so many disjoint stretches of candles hold an open, then a low that lies the fraction of `fallStep` or more below it, then a high that lies the
   * fraction of `riseStep` or more above the lowest low since that fall; low and high may be of one candle. One more counts where the price has fallen and not
   * risen yet when the candles end: the deal that is open then.
   */
  readonly atMost: (fallStep: number, riseStep: number) => number
}

/** Neighbours on the grid differ by this ratio. Finer, bounds get tighter by less than the counting costs. */
const RATIO = 1.05
/** What is smaller counts as nothing. */
const SMALLEST = 1e-5
/** What rises more than 1000-fold counts as 1000-fold. */
const LARGEST = 1000
const STEPS_PER_LOG = 1 / Math.log(RATIO)
const STEPS = 2 + Math.ceil(Math.log(LARGEST / SMALLEST) * STEPS_PER_LOG)
const VALUES = Float64Array.from({ length: STEPS }, (_, step) => (step === 0 ? 0 : SMALLEST * RATIO ** (step - 1)))
const UNKNOWN = -1

/**
 * The last step of a grid of fractions that does not lie above this one; 0 = nothing. A count for a smaller fall or rise is never less than for a larger one,
 * so that one serves many configs.
 */
export function stepBelow(fraction: number): number {
  if (!(fraction >= SMALLEST)) return 0
  const step = Math.min(STEPS - 1, 1 + Math.floor(Math.log(fraction / SMALLEST) * STEPS_PER_LOG))
  return VALUES[step] > fraction ? step - 1 : step // a logarithm is rounded
}

/** Counts are kept, so that each is made once. */
export function createPatternCounts(path: PricePath): PatternCounts {
  const known = new Int32Array(STEPS * STEPS).fill(UNKNOWN)
  return {
    atMost(fallStep, riseStep) {
      const cell = fallStep * STEPS + riseStep
      if (known[cell] === UNKNOWN) known[cell] = countPatterns(path, VALUES[fallStep], VALUES[riseStep])
      return known[cell]
    },
  }
}

/**
 * Takes each pattern as early as it can end: no other choice fits in more, nor has it more candles left for one that is unfinished. Of the opens before a fall
 * the highest counts: it is the first that a low lies deep enough below, and every later pattern rises from a low that is not lower than the lowest since then.
 */
function countPatterns({ open, high, low, blocks }: PricePath, fall: number, rise: number): number {
  const [reach, climb] = [1 - fall, 1 + rise]
  let count = 0
  let highestOpen = 0
  let lowest = Number.POSITIVE_INFINITY
  for (let block = 0; block < blocks.count; block++) {
    const mostOpen = Math.max(highestOpen, blocks.highestOpen[block])
    const falls = blocks.lowest[block] < lowest && blocks.lowest[block] <= mostOpen * reach
    if (!falls && blocks.highest[block] < lowest * climb) {
      highestOpen = mostOpen
      continue
    }
    const end = Math.min(open.length, (block + 1) * blocks.width)
    for (let i = block * blocks.width; i < end; i++) {
      if (open[i] > highestOpen) highestOpen = open[i]
      if (low[i] < lowest && low[i] <= highestOpen * reach) lowest = low[i]
      if (high[i] < lowest * climb) continue
      count++
      highestOpen = 0
      lowest = Number.POSITIVE_INFINITY
    }
  }
  return lowest === Number.POSITIVE_INFINITY ? count : count + 1
}
