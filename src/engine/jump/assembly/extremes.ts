/**
 * Lowest low, lowest close and highest close of any stretch of candles within a block: its first eight candles and its last eight, then the
 * first eight and the last eight of the nodes that lie between, and so on upwards. Eights may overlap, which changes no minimum, so few
 * branches depend on where a stretch begins and ends.
 */
import { SHIFT_1 } from '../layout'
import { close, low, lowest1, lowest2, lowest3, lowest4, toHighestClose, toLowestClose } from './scene'

export let lowestLow: f64 = 0
export let lowestClose: f64 = 0
export let highestClose: f64 = 0

/** Folds the candles from ≤ i < to into `lowestLow`, `lowestClose` and `highestClose`. Without candles these are +∞, +∞ and −∞. */
export function foldStretch(from: i32, to: i32): void {
  Stretch.fold(from, to, true, true)
}

/** Folds them into `lowestLow` alone. */
export function foldLows(from: i32, to: i32): void {
  Stretch.fold(from, to, true, false)
}

/** Folds them into `highestClose` alone. */
export function foldHighCloses(from: i32, to: i32): void {
  Stretch.fold(from, to, false, true)
}

class Stretch {
  /** Inlined into each caller, where the flags are constants: the compiler removes what a caller does not use. */
  @inline
  static fold(from: i32, to: i32, ofLows: bool, ofHighs: bool): void {
    const ofBoth = ofLows && ofHighs
    let lowFold = f64x2.splat(Infinity)
    let lowCloseFold = f64x2.splat(Infinity)
    let highCloseFold = f64x2.splat(-Infinity)
    let lows = low
    let lowCloses = close
    let highCloses = close
    let first = from
    let end = to
    let level = 0
    for (; end - first >= 8; level++) {
      const head = usize(first) << 3
      const tail = usize(end - 8) << 3
      if (ofLows) lowFold = Eight.least(Eight.least(lowFold, lows + head), lows + tail)
      if (ofBoth) lowCloseFold = Eight.least(Eight.least(lowCloseFold, lowCloses + head), lowCloses + tail)
      if (ofHighs) highCloseFold = Eight.most(Eight.most(highCloseFold, highCloses + head), highCloses + tail)
      // The nodes that cover what lies between the two.
      first = (first >> SHIFT_1) + 1
      end = (end - 1) >> SHIFT_1
      lows = level == 0 ? lowest1 : level == 1 ? lowest2 : level == 2 ? lowest3 : lowest4
      lowCloses = lows + toLowestClose
      highCloses = lows + toHighestClose
    }
    if (end > first) {
      const count = f64x2.splat(f64(end - first))
      const at = usize(first) << 3
      for (let n: usize = 0; n < 64; n += 16) {
        // All bits set where a place is outside. A value or-ed with that is NaN, which pmin and pmax ignore.
        const place = f64(n >> 3)
        const outside = f64x2.ge(f64x2.replace_lane(f64x2.splat(place), 1, place + 1), count)
        if (ofLows) lowFold = f64x2.pmin(lowFold, v128.or(v128.load(lows + at + n), outside))
        if (ofBoth) lowCloseFold = f64x2.pmin(lowCloseFold, v128.or(v128.load(lowCloses + at + n), outside))
        if (ofHighs) highCloseFold = f64x2.pmax(highCloseFold, v128.or(v128.load(highCloses + at + n), outside))
      }
    }
    if (ofLows) lowestLow = min(f64x2.extract_lane(lowFold, 0), f64x2.extract_lane(lowFold, 1))
    if (ofBoth) lowestClose = min(f64x2.extract_lane(lowCloseFold, 0), f64x2.extract_lane(lowCloseFold, 1))
    if (ofHighs) highestClose = max(f64x2.extract_lane(highCloseFold, 0), f64x2.extract_lane(highCloseFold, 1))
  }
}

class Eight {
  /** The minimum of a fold and of the eight values from an address on. */
  @inline
  static least(fold: v128, values: usize): v128 {
    const a = f64x2.pmin(v128.load(values), v128.load(values, 16))
    const b = f64x2.pmin(v128.load(values, 32), v128.load(values, 48))
    return f64x2.pmin(fold, f64x2.pmin(a, b))
  }

  @inline
  static most(fold: v128, values: usize): v128 {
    const a = f64x2.pmax(v128.load(values), v128.load(values, 16))
    const b = f64x2.pmax(v128.load(values, 32), v128.load(values, 48))
    return f64x2.pmax(fold, f64x2.pmax(a, b))
  }
}
