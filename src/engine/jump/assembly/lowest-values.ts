/**
 * The lowest value of each deal, from the log of a walk: its worst open loss, at the lows of its candles.
 *
 * `observe.ts` searches only what may be the lowest of all deals. Here each deal has its own, and its last holding has it nearly always,
 * because every fill leaves a larger position at a lower price. So the log is read backwards, and an earlier holding is searched only
 * when its floor, above which all its lows lie, would be lower than what is known.
 *
 *     log         opened      bought      bought      sold
 *                   └─ third ───┴─ second ──┴─ first ───┘         the exit is read before all of them
 *
 * Sweeps do not report deals and never come here.
 */
import {
  BOUGHT,
  DEAL_LOWEST,
  HELD_COST,
  HELD_FLOOR,
  HELD_QUANTITY,
  HOLDS,
  KIND_MASK,
  LOG_FLOATS,
  LOG_INTS,
  OPENED,
  SOLD,
  SOLD_BEFORE_LOW,
  STOPPED_OUT,
} from '../layout'
import { foldLows, lowestLow } from './extremes'
import { isHeldAtLow } from './observe'
import { keep, logFloats, logInts, low, watches } from './scene'

/**
 * Writes the lowest value of every deal that closed in this block, candles from ≤ i < to, into the log entry of its exit, where the ceiling
 * was, and that of the open deal into the watch. Call before `observe`, which replaces the holding at the start of the block.
 */
export function logLowestValues(entries: i32, from: i32, to: i32): void {
  const before = load<f64>(watches, DEAL_LOWEST * 8)
  store<f64>(watches, 0, DEAL_LOWEST * 8)
  // Where the value of the deal that is being read belongs, and the first candle after the holding that is read next.
  let place = watches + DEAL_LOWEST * 8
  let until = to
  let lowest: f64 = 0
  for (let entry = entries - 1; entry >= 0; entry--) {
    const ints = logInts + usize(entry) * (LOG_INTS * 4)
    const floats = logFloats + usize(entry) * (LOG_FLOATS * 8)
    const candle = load<i32>(ints)
    const kind = load<i32>(ints, 4) & KIND_MASK
    const worth = load<f64>(floats) * keep
    const cost = load<f64>(floats, 8)
    if (kind == OPENED || kind == BOUGHT) {
      lowest = lowestOf(candle, until, worth, cost, load<f64>(floats, 16), lowest)
      if (kind == OPENED) store<f64>(place, lowest)
    } else {
      place = floats + 24
      lowest = min(0, worth * priceAtExit(candle, kind, floats) - cost)
    }
    until = candle
  }
  // The deal that the block began with has no entry for what it held then.
  if (load<f64>(watches, HOLDS * 8) == 0) return
  const worth = load<f64>(watches, HELD_QUANTITY * 8) * keep
  const floor = load<f64>(watches, HELD_FLOOR * 8)
  store<f64>(place, lowestOf(from, until, worth, load<f64>(watches, HELD_COST * 8), floor, min(before, lowest)))
}

/** The lower of what is known and the lowest value on the candles from ≤ i < to, whose lows are above the floor. */
function lowestOf(from: i32, to: i32, worth: f64, cost: f64, floor: f64, known: f64): f64 {
  if (worth * floor - cost >= known) return known
  foldLows(from, to)
  return min(known, worth * lowestLow - cost)
}

/** The low of the candle that ended a deal, ∞ when it was sold before that; a stop is a loss that was really made. */
function priceAtExit(candle: i32, kind: i32, floats: usize): f64 {
  if (kind == STOPPED_OUT) return load<f64>(floats, 16)
  if (kind == SOLD_BEFORE_LOW || (kind == SOLD && !isHeldAtLow(candle, load<f64>(floats, 24)))) return Infinity
  return load<f64>(low + (usize(candle) << 3))
}
