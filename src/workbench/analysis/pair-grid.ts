/** The mean, best and number of results for each pair of levels of two parameters, all others varying. Pure. */
import type { Objective } from '../study/study.ts'
import { ascending } from './quantiles.ts'

/** One parameter of every result. */
interface Levelled {
  readonly levels: readonly Level[]
  /** The level of each result; −1 = none. */
  readonly of: ArrayLike<number>
}

/** Cells row by row: the one of levels `x` and `y` is at `y * width + x`. */
export interface PairGrid {
  readonly width: number
  readonly height: number
  /** Results with a value. */
  readonly count: Int32Array
  /** NaN in a cell without results, like `best`. */
  readonly mean: Float64Array
  readonly best: Float64Array
}

interface Scored {
  /** Of each result; NaN = not known. */
  readonly scores: Float64Array
  readonly direction: Objective['direction']
  /** 1 for each result that counts; null = all are. */
  readonly mask: Uint8Array | null
}

export function pairGrid(x: Levelled, y: Levelled, { scores, direction, mask }: Scored): PairGrid {
  const [width, height] = [x.levels.length, y.levels.length]
  const count = new Int32Array(width * height)
  const mean = new Float64Array(width * height)
  const best = new Float64Array(width * height).fill(Number.NaN)
  const sign = direction === 'maximize' ? 1 : -1
  for (let result = 0; result < scores.length; result++) {
    const score = scores[result]
    const cell = cellOf(x, y, result)
    if (cell === null || Number.isNaN(score) || (mask !== null && mask[result] === 0)) continue
    count[cell]++
    mean[cell] += (score - mean[cell]) / count[cell]
    if (!(sign * score <= sign * best[cell])) best[cell] = score
  }
  for (let cell = 0; cell < count.length; cell++) if (count[cell] === 0) mean[cell] = Number.NaN
  return { width, height, count, mean, best }
}

/** Where a result lies; null = its values are not among the levels. */
export function cellOf(x: Levelled, y: Levelled, result: number): number | null {
  const [column, row] = [x.of[result], y.of[result]]
  return column < 0 || row < 0 ? null : row * x.levels.length + column
}

// The levels of one parameter in tables and heat maps.

/** Up to this many distinct values, each is a level; more are grouped into ranges. */
const mostOwnLevels = 12
const rangeCount = 8

/** Values from `low` to `high`, both included; equal for a level of one value. */
export interface Level {
  readonly low: number
  readonly high: number
}

/**
 * Ascending levels that cover every value once. A grid axis keeps its values; a parameter with more than 12 distinct values (a
 * random search) is cut into at most 8 ranges of about equally many rows, since groups of one row would explain everything.
 */
export function levelsOf(values: readonly number[]): Level[] {
  const sorted = ascending(values.filter(Number.isFinite))
  const own = ownLevels(sorted)
  if (own.length <= mostOwnLevels) return own
  const levels: Level[] = []
  let start = 0
  for (let range = 1; range <= rangeCount && start < sorted.length; range++) {
    const wanted = Math.max(start, Math.ceil((sorted.length * range) / rangeCount) - 1)
    const end = sorted.lastIndexOf(sorted[wanted]) // equal values stay in one level
    levels.push({ low: sorted[start], high: sorted[end] })
    start = end + 1
  }
  return levels
}

/** Each distinct value as a level, ascending, however many there are. */
function ownLevels(values: readonly number[]): Level[] {
  const distinct = new Set(ascending(values.filter(Number.isFinite)))
  return Array.from(distinct, (value) => ({ low: value, high: value }))
}

/** Index of the level that holds `value`, or −1. */
export function levelIndex(levels: readonly Level[], value: number): number {
  return levels.findIndex(({ low, high }) => low <= value && value <= high)
}
