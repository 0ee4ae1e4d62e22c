/** How often the price can fall from an open and rise again: the largest number of such patterns that share no candle, the last of them perhaps unfinished. */
import type { Blocks, PricePath } from './price-path.ts'

export interface PatternCounts {
  /**
   * At most so many disjoint stretches of candles hold an open, then a low that lies the fraction of `fallStep` or more below it, then a high that lies the
   * fraction of `riseStep` or more above the lowest low since that fall; low and high may be of one candle. One more counts where the price has fallen and not
   * risen yet when the candles end: the deal that is open then.
   */
  readonly atMost: (fallStep: number, riseStep: number) => number
  /** The same of what ends on later candles than the first `cuts[cut]`: one more may have begun before. */
  readonly afterCut: (fallStep: number, riseStep: number, cut: number) => number
}

/** Neighbours on the grid differ by this ratio. Finer, bounds get tighter by less than the counting costs. */
const RATIO = 1.05
/** What is smaller counts as nothing. */
const SMALLEST = 1e-5
/** What rises more than 1000-fold counts as 1000-fold. */
const LARGEST = 1000
const STEPS_PER_LOG = 1 / Math.log(RATIO)
const STEPS = 2 + Math.ceil(Math.log(LARGEST / SMALLEST) * STEPS_PER_LOG)
const VALUES = new Float64Array(STEPS)
for (let step = 1; step < STEPS; step++) VALUES[step] = step === 1 ? SMALLEST : VALUES[step - 1] * RATIO
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

/** Counts are kept, so that each is made once. @param cuts numbers of candles, ascending */
export function createPatternCounts(path: PricePath, cuts: readonly number[]): PatternCounts {
  /** For each cell the count, then how many ended before each cut. */
  const width = 1 + cuts.length
  const known = new Int32Array(STEPS * STEPS * width).fill(UNKNOWN)
  return {
    atMost: (fallStep, riseStep) => known[countedAt(fallStep, riseStep)],
    afterCut(fallStep, riseStep, cut) {
      const at = countedAt(fallStep, riseStep)
      return known[at] - known[at + 1 + cut] + 1
    },
  }

  function countedAt(fallStep: number, riseStep: number): number {
    const at = (fallStep * STEPS + riseStep) * width
    if (known[at] !== UNKNOWN) return at
    known.fill(0, at, at + width)
    known[at] = countPatterns(path, { fall: VALUES[fallStep], rise: VALUES[riseStep] }, (candle) => {
      for (let cut = cuts.length - 1; cut >= 0 && candle < cuts[cut]; cut--) known[at + 1 + cut]++
    })
    return at
  }
}

/**
 * Takes each pattern as early as it can end: no other choice fits in more, nor has it more candles left for one that is unfinished. Of the opens before a fall
 * the highest counts: it is the first that a low lies deep enough below, and every later pattern rises from a low that is not lower than the lowest since then.
 */
function countPatterns(
  { open, high, low, fine, coarse }: PricePath,
  { fall, rise }: { readonly fall: number; readonly rise: number },
  onEnd: (candle: number) => void,
): number {
  const [reach, climb] = [1 - fall, 1 + rise]
  let count = 0
  let highestOpen = 0
  let lowest = Number.POSITIVE_INFINITY

  /** Nothing falls far enough in a block, nothing rises: only its highest open may matter. */
  const skips = (blocks: Blocks, block: number): boolean => {
    const mostOpen = Math.max(highestOpen, blocks.highestOpen[block])
    const low = blocks.lowest[block]
    if ((low < lowest && low <= mostOpen * reach) || blocks.highest[block] >= lowest * climb) return false
    highestOpen = mostOpen
    return true
  }

  const read = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      if (open[i] > highestOpen) highestOpen = open[i]
      if (low[i] < lowest && low[i] <= highestOpen * reach) lowest = low[i]
      if (high[i] < lowest * climb) continue
      count++
      onEnd(i)
      highestOpen = 0
      lowest = Number.POSITIVE_INFINITY
    }
  }

  const perCoarse = coarse.width / fine.width
  for (let outer = 0; outer < coarse.count; outer++) {
    if (skips(coarse, outer)) continue
    const end = Math.min(fine.count, (outer + 1) * perCoarse)
    for (let block = outer * perCoarse; block < end; block++)
      if (!skips(fine, block)) read(block * fine.width, Math.min(open.length, (block + 1) * fine.width))
  }
  return lowest === Number.POSITIVE_INFINITY ? count : count + 1
}
