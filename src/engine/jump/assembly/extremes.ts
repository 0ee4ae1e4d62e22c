/**
 * Lowest low, lowest close and highest close of any stretch of candles within a block: the ends of the stretch from groups of
 * eight candles, what lies between them from groups of eight nodes, and so on upwards. A group is always folded as a whole, and
 * values outside the stretch are masked out, so that few branches depend on where a stretch begins and ends.
 */
import { SHIFT_1 } from '../layout'
import { close, low, lowest1, lowest2, lowest3, lowest4, toHighestClose, toLowestClose } from './scene'

export let lowestLow: f64 = 0
export let lowestClose: f64 = 0
export let highestClose: f64 = 0

/** Folds the candles from ≤ i < to into `lowestLow`, `lowestClose` and `highestClose`. Without candles these are +∞, +∞ and −∞. */
export function foldStretch(from: i32, to: i32): void {
  Stretch.fold(from, to, true, true, true)
}

/** Folds them into `lowestLow` alone. */
export function foldLows(from: i32, to: i32): void {
  Stretch.fold(from, to, true, false, false)
}

/** Folds them into `highestClose` alone. */
export function foldHighCloses(from: i32, to: i32): void {
  Stretch.fold(from, to, false, false, true)
}

class Stretch {
  /** Inlined into each caller, where the three flags are constants: the compiler removes what a caller does not use. */
  @inline
  static fold(from: i32, to: i32, leastLow: bool, leastClose: bool, mostClose: bool): void {
    let lowFold = f64x2.splat(Infinity)
    let lowCloseFold = f64x2.splat(Infinity)
    let highCloseFold = f64x2.splat(-Infinity)
    let lows = low
    let lowCloses = close
    let highCloses = close
    let first = from
    let end = to
    let level = 0
    for (;;) {
      // The candles before the first whole group and those after the last one. Without a whole group the two ranges meet.
      const headEnd = min((first + 7) & ~7, end)
      const tail = max(headEnd, end & ~7)
      for (let n = 0; n < 2; n++) {
        const start = n == 0 ? first : tail
        const group = start & ~7
        const firsts = f64x2.splat(f64(start - group))
        const ends = f64x2.splat(f64((n == 0 ? headEnd : end) - group))
        const a = Eight.outside(f64x2(0, 1), firsts, ends)
        const b = Eight.outside(f64x2(2, 3), firsts, ends)
        const c = Eight.outside(f64x2(4, 5), firsts, ends)
        const d = Eight.outside(f64x2(6, 7), firsts, ends)
        const at = usize(group) << 3
        if (leastLow) lowFold = Eight.least(lowFold, lows + at, a, b, c, d)
        if (leastClose) lowCloseFold = Eight.least(lowCloseFold, lowCloses + at, a, b, c, d)
        if (mostClose) highCloseFold = Eight.most(highCloseFold, highCloses + at, a, b, c, d)
      }
      if (headEnd == tail) break
      first = headEnd >> SHIFT_1
      end = tail >> SHIFT_1
      lows = level == 0 ? lowest1 : level == 1 ? lowest2 : level == 2 ? lowest3 : lowest4
      lowCloses = lows + toLowestClose
      highCloses = lows + toHighestClose
      level++
    }
    if (leastLow) lowestLow = min(f64x2.extract_lane(lowFold, 0), f64x2.extract_lane(lowFold, 1))
    if (leastClose) lowestClose = min(f64x2.extract_lane(lowCloseFold, 0), f64x2.extract_lane(lowCloseFold, 1))
    if (mostClose) highestClose = max(f64x2.extract_lane(highCloseFold, 0), f64x2.extract_lane(highCloseFold, 1))
  }
}

class Eight {
  /** All bits set where a place is outside. A value or-ed with that is NaN, which pmin and pmax ignore. */
  @inline
  static outside(places: v128, firsts: v128, ends: v128): v128 {
    return v128.or(f64x2.lt(places, firsts), f64x2.ge(places, ends))
  }

  /** The minimum of a fold and of those among eight values that are not outside. */
  @inline
  static least(fold: v128, values: usize, a: v128, b: v128, c: v128, d: v128): v128 {
    const withA = f64x2.pmin(fold, v128.or(v128.load(values), a))
    const withB = f64x2.pmin(withA, v128.or(v128.load(values, 16), b))
    const withC = f64x2.pmin(withB, v128.or(v128.load(values, 32), c))
    return f64x2.pmin(withC, v128.or(v128.load(values, 48), d))
  }

  @inline
  static most(fold: v128, values: usize, a: v128, b: v128, c: v128, d: v128): v128 {
    const withA = f64x2.pmax(fold, v128.or(v128.load(values), a))
    const withB = f64x2.pmax(withA, v128.or(v128.load(values, 16), b))
    const withC = f64x2.pmax(withB, v128.or(v128.load(values, 32), c))
    return f64x2.pmax(withC, v128.or(v128.load(values, 48), d))
  }
}
