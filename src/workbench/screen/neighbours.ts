/**
 * The two neighbours of every level of an axis, for `score: plateau`: on each side the nearest level that is at least one level and 5 % of
 * the axis's range away. On a fine axis the next level would be almost the same bot.
 */
import { power } from '../../engine/power.ts'
import type { Axis } from '../study/study.ts'

const LEAST_SHARE_OF_RANGE = 0.05
/** Of the range: 20 equal steps are 5 % each, and their last bits must not skip a level. */
const ROUNDING = 1e-9

export const NO_LEVEL = -1

/** By digit of the axis: the digit of the neighbour, or NO_LEVEL beyond the edge. */
export interface Neighbours {
  readonly below: Int32Array
  readonly above: Int32Array
}

/** @param isLog distances are ratios; the values of such an axis are above 0 */
export function neighboursOf(axis: Axis, isLog: boolean): Neighbours {
  const places = Float64Array.from(axis.values, (value) => placeOf(axis, value))
  const digits = Int32Array.from(places.keys()).sort((a, b) => places[a] - places[b])
  const isFar = distanceRule(places, isLog)
  const below = new Int32Array(digits.length).fill(NO_LEVEL)
  const above = new Int32Array(digits.length).fill(NO_LEVEL)
  // Levels are sorted, so the neighbour never moves back while the level moves on: an axis of millions takes one walk per side.
  for (let level = 0, next = 0; level < digits.length; level++) {
    while (next < digits.length && (next <= level || !isFar(places[digits[level]], places[digits[next]]))) next++
    if (next < digits.length) above[digits[level]] = digits[next]
  }
  for (let level = digits.length - 1, next = level; level >= 0; level--) {
    while (next >= 0 && (next >= level || !isFar(places[digits[next]], places[digits[level]]))) next--
    if (next >= 0) below[digits[level]] = digits[next]
  }
  return { below, above }
}

/** No stop is the loosest of all: it lies beyond every other, at any distance. */
function placeOf({ field }: Axis, value: number): number {
  return field === 'stopLoss' && value === 0 ? Number.POSITIVE_INFINITY : value
}

/** Whether two places, the lower first, are far enough apart. "No stop" is no part of the range. */
function distanceRule(places: Float64Array, isLog: boolean): (lower: number, upper: number) => boolean {
  const finite = places.filter((place) => Number.isFinite(place))
  const lowest = finite.reduce((least, place) => Math.min(least, place), Number.POSITIVE_INFINITY)
  const highest = finite.reduce((most, place) => Math.max(most, place), Number.NEGATIVE_INFINITY)
  if (isLog) {
    const least = power(highest / lowest, LEAST_SHARE_OF_RANGE) * (1 - ROUNDING)
    return (lower, upper) => upper / lower >= least
  }
  const least = (LEAST_SHARE_OF_RANGE - ROUNDING) * (highest - lowest)
  return (lower, upper) => upper - lower >= least
}
