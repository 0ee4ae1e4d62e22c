/**
 * Exact peaks and falls over stretches of candles on which a deal's holding does not change. Equity there is cash − cost +
 * quantity · keep · price, so a node's lowest low and highest close bound what its candles can add.
 */
import {
  CASH,
  DEEPEST,
  DEEPEST_AT_LOW,
  LOG_FLOATS,
  LOG_INTS,
  MOST_PUT_OFF,
  PEAK,
  POSSIBLE_PEAK,
  PUT_OFF,
  PUT_OFF_COUNT,
  SHIFT_1,
  SHIFT_2,
  SHIFT_3,
  SHIFT_4,
} from '../layout'
import { foldStretch, highestClose } from './extremes'
import {
  close,
  keep,
  logFloats,
  logInts,
  low,
  lowest1,
  lowest2,
  lowest3,
  lowest4,
  noFall,
  toHighestClose,
  toLowestClose,
} from './scene'

/** Records one candle's equity at its low and at its close. */
export function observeEquity(watch: usize, equityAtLow: f64, equityAtClose: f64): void {
  const peak = load<f64>(watch, PEAK * 8)
  observeFallAtLow(watch, peak, equityAtLow)
  if (equityAtClose > peak) {
    store<f64>(watch, equityAtClose, PEAK * 8)
    return
  }
  observeFall(watch, peak, equityAtClose)
}

export function observeFallAtLow(watch: usize, peak: f64, equity: f64): void {
  const deepest = load<f64>(watch, DEEPEST_AT_LOW * 8)
  if (isNoDeeper(equity, peak, deepest)) return
  const fall = 1 - equity / peak
  if (fall > noFall && fall > deepest) store<f64>(watch, fall, DEEPEST_AT_LOW * 8)
}

export function observeFall(watch: usize, peak: f64, equity: f64): void {
  const deepest = load<f64>(watch, DEEPEST * 8)
  if (isNoDeeper(equity, peak, deepest)) return
  const fall = 1 - equity / peak
  if (fall > noFall && fall > deepest) store<f64>(watch, fall, DEEPEST * 8)
}

/** True for most equities, without a division. Those very near to the deepest fall are decided by a division. */
function isNoDeeper(equity: f64, peak: f64, deepest: f64): bool {
  return equity > peak * (1 - deepest) * (1 + 1e-12)
}

/** Records the low of a candle on which the holding was sold after the low. */
export function observeLow(watch: usize, candle: i32, quantity: f64, cost: f64): void {
  const equity = load<f64>(watch, CASH * 8) - cost + quantity * keep * load<f64>(low + (usize(candle) << 3))
  observeFallAtLow(watch, load<f64>(watch, PEAK * 8), equity)
}

/**
 * Peak and falls over a holding whose extremes are known. When no close is above the peak, the lowest prices are the deepest
 * falls. When a close is above it, nothing more is needed if even a fall from the highest close would not be deeper than the
 * deepest so far. Only otherwise does the order of the candles matter.
 */
export function searchFalls(
  watch: usize,
  from: i32,
  to: i32,
  quantity: f64,
  cost: f64,
  leastLow: f64,
  leastClose: f64,
  mostClose: f64,
): void {
  if (from >= to) return
  const worth = quantity * keep
  const base = load<f64>(watch, CASH * 8) - cost
  if (isSettled(watch, base + worth * leastLow, base + worth * leastClose, base + worth * mostClose)) return
  let i = from
  while (i < to) {
    let shift = widestNode(i, to)
    for (; shift > 0; shift -= SHIFT_1) {
      const node = nodeOf(i, shift)
      const equityAtLow = base + worth * load<f64>(node)
      const lowestEquity = base + worth * load<f64>(node + toLowestClose)
      if (isSettled(watch, equityAtLow, lowestEquity, base + worth * load<f64>(node + toHighestClose))) break
    }
    if (shift == 0) {
      const at = usize(i) << 3
      observeEquity(watch, base + worth * load<f64>(low + at), base + worth * load<f64>(close + at))
    }
    i += 1 << shift
  }
}

/** Records a stretch whose extremes decide its peak and falls; returns false when they do not. */
function isSettled(watch: usize, equityAtLow: f64, lowestEquity: f64, highestEquity: f64): bool {
  if (highestEquity <= load<f64>(watch, PEAK * 8)) {
    observeEquity(watch, equityAtLow, lowestEquity)
    return true
  }
  if (
    equityAtLow >= highestEquity * (1 - load<f64>(watch, DEEPEST_AT_LOW * 8)) &&
    lowestEquity >= highestEquity * (1 - load<f64>(watch, DEEPEST * 8))
  ) {
    store<f64>(watch, highestEquity, PEAK * 8)
    return true
  }
  return false
}

/**
 * Finds the peak: searches the holdings postponed in earlier blocks, and at the holdings that began with entries first ≤ entry <
 * end of the log, the last of which ends before candle `to`. Holdings that stayed below the peak are passed over.
 */
export function searchPeaks(watch: usize, first: i32, end: i32, to: i32): void {
  const putOff = watch + PUT_OFF * 8
  const count = usize(load<f64>(watch, PUT_OFF_COUNT * 8))
  for (let at = putOff; at < putOff + (count << 3); at += 32) {
    searchPeak(watch, i32(load<f64>(at)), i32(load<f64>(at, 8)), load<f64>(at, 16), load<f64>(at, 24))
  }
  store<f64>(watch, 0, PUT_OFF_COUNT * 8)
  for (let entry = first; entry < end; entry++) {
    const ints = logInts + usize(entry) * (LOG_INTS * 4)
    const floats = logFloats + usize(entry) * (LOG_FLOATS * 8)
    const quantity = load<f64>(floats)
    const cost = load<f64>(floats, 8)
    const highest = load<f64>(watch, CASH * 8) - cost + quantity * keep * load<f64>(floats, 24)
    if (highest <= load<f64>(watch, PEAK * 8)) continue
    searchPeak(watch, load<i32>(ints), entry + 1 < end ? load<i32>(ints, LOG_INTS * 4) : to, quantity, cost)
  }
}

function searchPeak(watch: usize, from: i32, to: i32, quantity: f64, cost: f64): void {
  foldStretch(from, to)
  const equity = load<f64>(watch, CASH * 8) - cost + quantity * keep * highestClose
  if (equity > load<f64>(watch, PEAK * 8)) store<f64>(watch, equity, PEAK * 8)
}

/** Postpones the holdings of these entries. When there is no room left, searches for the peak now. */
export function putOffPeaks(watch: usize, first: i32, end: i32, to: i32): void {
  if (i32(load<f64>(watch, PUT_OFF_COUNT * 8)) + 4 * (end - first) > MOST_PUT_OFF) {
    searchPeaks(watch, first, end, to)
    store<f64>(watch, load<f64>(watch, PEAK * 8), POSSIBLE_PEAK * 8)
    return
  }
  for (let entry = first; entry < end; entry++) {
    const ints = logInts + usize(entry) * (LOG_INTS * 4)
    const floats = logFloats + usize(entry) * (LOG_FLOATS * 8)
    const until = entry + 1 < end ? load<i32>(ints, LOG_INTS * 4) : to
    putOffHolding(watch, load<i32>(ints), until, load<f64>(floats), load<f64>(floats, 8))
  }
}

/** Postpones one holding. The caller has checked that there is room. */
export function putOffHolding(watch: usize, from: i32, to: i32, quantity: f64, cost: f64): void {
  const count = load<f64>(watch, PUT_OFF_COUNT * 8)
  const at = watch + PUT_OFF * 8 + (usize(count) << 3)
  store<f64>(at, f64(from))
  store<f64>(at, f64(to), 8)
  store<f64>(at, quantity, 16)
  store<f64>(at, cost, 24)
  store<f64>(watch, count + 4, PUT_OFF_COUNT * 8)
}

/** Address, in the column of lowest lows, of the node of this width that begins at candle `i`. */
function nodeOf(i: i32, shift: i32): usize {
  const level = shift == SHIFT_1 ? lowest1 : shift == SHIFT_2 ? lowest2 : shift == SHIFT_3 ? lowest3 : lowest4
  return level + ((usize(i) >> shift) << 3)
}

/** The shift of the widest node that begins at candle `from` and ends by `to`; 0 = the candle itself. */
function widestNode(from: i32, to: i32): i32 {
  if (from == 0) {
    let shift = 0
    while (shift < SHIFT_4 && 1 << (shift + SHIFT_1) <= to) shift += SHIFT_1
    return shift
  }
  // The width is limited by the power of two that divides `from`, and by the distance to `to`.
  const bits = min(ctz(from), 31 - clz(to - from))
  return min(SHIFT_4, bits - (bits % SHIFT_1))
}
