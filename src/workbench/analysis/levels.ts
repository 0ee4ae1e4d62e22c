/** The levels of one parameter in tables and heat maps. */
import { ascending } from './quantiles.ts'

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
export function ownLevels(values: readonly number[]): Level[] {
  const distinct = new Set(ascending(values.filter(Number.isFinite)))
  return Array.from(distinct, (value) => ({ low: value, high: value }))
}

/** Index of the level that holds `value`, or −1. */
export function levelIndex(levels: readonly Level[], value: number): number {
  return levels.findIndex(({ low, high }) => low <= value && value <= high)
}
