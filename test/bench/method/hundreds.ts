/** Twenty times the best of a hundred random jobs: what the same money buys without a screen. */
import { mean } from '../../../src/workbench/analysis/quantiles.ts'
import { rowOfMost } from './ranks.ts'

const HUNDRED = 100
const HUNDREDS = 20

export const RANDOM_CONFIGS = HUNDRED * HUNDREDS

/** The row of the best of each hundred. @param profits of the random configurations on train */
export function winnersOf(profits: ArrayLike<number>): readonly number[] {
  return Array.from({ length: Math.floor(profits.length / HUNDRED) }, (_, at) =>
    rowOfMost(profits, at * HUNDRED, (at + 1) * HUNDRED),
  )
}

/** (a): the share of hundreds whose best is not better than the best of `confirmed`. */
export function shareMatched(confirmed: readonly number[], profits: ArrayLike<number>): number {
  const best = Math.max(...confirmed)
  return mean(winnersOf(profits).map((row) => (best >= profits[row] ? 1 : 0))) ?? Number.NaN
}
