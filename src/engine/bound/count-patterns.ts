/** How often the price can fall from an open and rise again: the largest number of such patterns that share no candle. */
import type { PricePath } from './price-path.ts'

export interface PatternCounts {
  /**
   * At most so many disjoint stretches of candles hold an open, then a low that lies the fraction `fall` or more below it, then a high that lies the fraction
   * `rise` or more above the lowest low since that fall; low and high may be of one candle. Never less than the true number, sometimes more: both fractions are
   * rounded down to a grid, so that a count serves many configs.
   */
  readonly atMost: (fall: number, rise: number) => number
}

/** Neighbours on the grid differ by this ratio. Finer, bounds get tighter by less than the counting costs. */
const RATIO = 1.05
/** What is smaller counts as nothing. */
const SMALLEST = 1e-5
/** A fall never reaches 100 %; what rises above 1000-fold counts as 1000-fold. */
const FALL_STEPS = 1 + stepOf(1)
const RISE_STEPS = 1 + stepOf(1000)
const UNKNOWN = -1

/** Counts are kept, so that each is made once. */
export function createPatternCounts(path: PricePath): PatternCounts {
  const known = new Int32Array(FALL_STEPS * RISE_STEPS).fill(UNKNOWN)
  return {
    atMost(fall, rise) {
      const [fallStep, riseStep] = [Math.min(stepOf(fall), FALL_STEPS - 1), Math.min(stepOf(rise), RISE_STEPS - 1)]
      const cell = fallStep * RISE_STEPS + riseStep
      if (known[cell] === UNKNOWN) known[cell] = countPatterns(path, gridValue(fallStep), gridValue(riseStep))
      return known[cell]
    },
  }
}

/** The last step of the grid that is not above the value; 0 = nothing. */
function stepOf(value: number): number {
  if (value < SMALLEST) return 0
  const step = 1 + Math.floor(Math.log(value / SMALLEST) / Math.log(RATIO))
  return gridValue(step) > value ? step - 1 : step // a logarithm is rounded
}

function gridValue(step: number): number {
  return step === 0 ? 0 : SMALLEST * RATIO ** (step - 1)
}

/**
 * Takes each pattern as early as it can end: no other choice fits in more. Of the opens before a fall the highest counts: it is the first that a low lies
 * deep enough below, and every later pattern rises from a low that is not lower than the lowest since then.
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
  return count
}
