/**
 * The probability of backtest overfitting (PBO): how often the configuration that was best in one half of the days lies in the lower half of all
 * configurations in the other days. Combinatorially symmetric cross-validation of D. H. Bailey, J. Borwein, M. López de Prado and Q. J. Zhu, "The
 * probability of backtest overfitting", Journal of Computational Finance 20, 2017.
 *
 * Days are cut into blocks, every half of the blocks is once in sample. A half's mean return is a sum of block sums, so days are read once, and
 * the blocks of a half are looked up in two tables instead of being added: one for each set of the first blocks, one for each set of the others.
 */
import { splitEvenly } from './split-evenly.ts'

export const OVERFITTING_BLOCKS = 16

interface Overfitting {
  /** Share of halves, 0–1, whose winner is not above the middle of the other half: logit ln(ω / (1 − ω)) ≤ 0. */
  readonly probability: number
  /** C(S, S/2) of S blocks. */
  readonly halves: number
}

/**
 * @param columns daily returns of each configuration, fractions, all over the same days. Callers sort them by fingerprint, since of two winners in
 * sample the first counts, and give configurations of equal behaviour once. Of them the winner's rank out of sample (1 = worst, ties share their
 * mean rank) makes ω = rank / (N + 1).
 * @param blocks S, even; spans of days as numpy's `array_split`
 * @returns null with fewer than two configurations or with fewer days than blocks
 */
export function backtestOverfitting(
  columns: readonly (readonly number[])[],
  blocks: number = OVERFITTING_BLOCKS,
): Overfitting | null {
  const days = columns.at(0)?.length ?? 0
  const spans = splitEvenly(days, blocks)
  if (columns.length < 2 || spans.length === 0) return null

  // One row per block, in it one sum per configuration.
  const sums = spans.map(({ start, end }) =>
    Float64Array.from(columns, (returns) => returns.slice(start, end).reduce((sum, value) => sum + value, 0)),
  )
  const split = blocks / 2
  const tables = { first: sumsOfSets(sums.slice(0, split)), rest: sumsOfSets(sums.slice(split)) }
  const everyBlock = 2 ** blocks - 1
  const lowBits = 2 ** split - 1
  const [inSample, outOfSample] = [new Float64Array(columns.length), new Float64Array(columns.length)]
  let halves = 0
  let lost = 0
  for (let half = 0; half <= everyBlock; half++) {
    if (countBits(half) !== split) continue
    const other = everyBlock - half
    addColumns(tables.first[half & lowBits], tables.rest[half >>> split], inSample)
    addColumns(tables.first[other & lowBits], tables.rest[other >>> split], outOfSample)
    halves++
    if (isInLowerHalf(outOfSample, indexOfFirstLargest(inSample))) lost++
  }
  return { probability: lost / halves, halves }
}

/** For each set of the blocks (bit k = block k), the sums of each configuration over the blocks in it. */
function sumsOfSets(sums: readonly Float64Array[]): readonly Float64Array[] {
  let sets = [new Float64Array(sums[0].length)]
  for (const block of sums) {
    const withBlock = sets.map((set) => {
      const sum = new Float64Array(block.length)
      addColumns(set, block, sum)
      return sum
    })
    sets = [...sets, ...withBlock]
  }
  return sets
}

function addColumns(a: Float64Array, b: Float64Array, sum: Float64Array): void {
  for (let index = 0; index < sum.length; index++) sum[index] = a[index] + b[index]
}

function indexOfFirstLargest(values: Float64Array): number {
  let largest = 0
  for (let index = 1; index < values.length; index++) if (values[index] > values[largest]) largest = index
  return largest
}

/** ω = rank / (N + 1) ≤ 1/2, which is a logit ≤ 0; as 2·rank ≤ N + 1 it needs no rounding. Rank = values below + (equal ones + 1) / 2. */
function isInLowerHalf(values: Float64Array, winner: number): boolean {
  const own = values[winner]
  let twiceRank = 1
  for (const value of values) {
    if (value < own) twiceRank += 2
    else if (value === own) twiceRank++
  }
  return twiceRank <= values.length + 1
}

function countBits(set: number): number {
  let bits = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++
  return bits
}
