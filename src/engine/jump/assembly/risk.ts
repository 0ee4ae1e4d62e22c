/**
 * Drawdowns of configs, observed deal by deal as they are walked. The walk itself bounds what a deal was worth and sees in O(1) that nearly
 * all of them change no record but the peak; here is what it calls where bounds do not decide. day-ends.ts has the daily returns.
 *
 * While a deal holds the same quantity its lows stay above the next level and its closes below the take profit. Every fill leaves a larger
 * holding at a lower price, so the worth of the last holding at its next level bounds the whole deal. Where that does not decide, the lowest
 * low of that holding mostly does; otherwise the candles of all holdings are searched (stretches.ts), once for a family: what a deal was worth
 * at its lowest and highest, over the cash it began with, stands in the memo for all that make the same deal.
 *
 * `observe.ts` finds the same from the log of one config.
 */
import {
  CASH,
  COST,
  DEEPEST,
  DEEPEST_AT_LOW,
  FLOATING_LOSS,
  NEXT,
  PEAK,
  QUANTITY,
  SHIFT_4,
  SOLD,
  SOLD_AFTER_LOW,
  STOPPED_OUT,
  TAKE_PROFIT,
  TRAIL_ENTRY,
} from '../layout'
import { foldHighCloses, foldStretch, highestClose, lowestClose, lowestLow } from './extremes'
import { topOf, Worth } from './holdings'
import { isStopped } from './memo'
import { isHeldAtLow } from './observe'
import { keep, low, lowest4, toHighestClose, trail } from './scene'
import { observeEquity, observeFall, observeFallAtLow, searchFalls } from './stretches'

// What the memo says of a deal, or of its part in a block. Worths are over the cash that it began with.
const USED: usize = 24
/** A bound, or exact. */
const LOWEST: usize = 32
/** Exact, or IS_BOUND: then the other two are bounds. */
const LOWEST_AT_CLOSE: usize = 40
/** At closes: of a closed deal before its last holding, or of all of it where that was searched; of an open deal always of all of it. A bound, or exact. */
const HIGHEST: usize = 48
const MOST_COST: usize = 56

const IS_BOUND: f64 = NaN

/** The lowest low and the highest close of the block. */
export let blockLow: f64 = 0
export let blockTop: f64 = 0

/** The extremes of the last holding of a deal. */
let lastLow: f64 = 0
let lastLowClose: f64 = 0
let lastHighClose: f64 = 0

// Of the deal that was resolved last.
export let lowest: f64 = 0
export let lowestAtClose: f64 = IS_BOUND
export let highest: f64 = 0

/** Call before a block. */
export function beginRisk(from: i32, to: i32): void {
  blockLow = Infinity
  blockTop = -Infinity
  for (let node = from >> SHIFT_4; node <= (to - 1) >> SHIFT_4; node++) {
    const at = lowest4 + (usize(node) << 3)
    blockLow = min(blockLow, load<f64>(at))
    blockTop = max(blockTop, load<f64>(at + toHighestClose))
  }
}

/**
 * Records what a deal that closed on candle `i` with this profit makes of peak and falls, where the walk's bounds do not decide. `most` bounds the
 * worth at closes before the last holding; `row` is as after that candle, the ceiling as before it. `lowest`, `lowestAtClose` and `highest` then say what the deal was worth.
 */
export function resolveClosed(
  watch: usize,
  end: usize,
  i: i32,
  kind: i32,
  row: usize,
  scale: f64,
  ceiling: f64,
  profit: f64,
  most: f64,
  sharesStops: bool,
): void {
  const cash = load<f64>(watch, CASH * 8)
  const equity = cash + profit
  lowestAtClose = IS_BOUND
  highest = most
  if (kind == STOPPED_OUT) {
    // A stop sells below all lows of the deal, so the fall to it from the highest close is the deepest of the deal.
    const held = usize(load<i32>(end - TRAIL_ENTRY, 4))
    const target = load<f64>(held, TAKE_PROFIT * 8) * scale
    highest = max(highest, Worth.at(held, scale, min(target, blockTop)))
    const peak = load<f64>(watch, PEAK * 8)
    if (sharesStops || cash + highest > peak) {
      highest = topOf(end, i, scale)
      store<f64>(watch, max(peak, cash + highest), PEAK * 8)
    }
    lowest = profit
    lowestAtClose = profit
    seeLow(watch, profit)
    observeEquity(watch, equity, equity)
    return
  }
  const peak = load<f64>(watch, PEAK * 8)
  // What the position was worth at the low of the last candle, if it was held there; else what it was sold for.
  let atLow = profit
  if (kind == SOLD_AFTER_LOW) atLow = Worth.at(row, scale, load<f64>(low + (usize(i) << 3)))
  const isTopKnown = profit >= highest || cash + highest <= peak
  const isHeld = kind == SOLD && isHeldAtLow(i, ceiling)
  if (isHeld) atLow = Worth.at(row, scale, load<f64>(low + (usize(i) << 3)))
  foldLast(end, i)
  if (isTopKnown) {
    narrowLowest(end, scale)
    lowest = min(lowest, atLow)
    if (isNoRecord(watch, cash, max(peak, equity))) {
      observeEquity(watch, equity, equity)
      return
    }
  }
  searchHoldings(watch, end, i, scale)
  if (isHeld || kind == SOLD_AFTER_LOW) seeLow(watch, atLow)
  observeEquity(watch, cash + atLow, equity)
}

/** True when the lowest low of the last holding shows that a deal which is open as the block ends sets no record, whatever the peak. */
export function narrowOpen(watch: usize, end: usize, to: i32, scale: f64, possiblePeak: f64, most: f64): bool {
  foldLast(end, to)
  narrowLowest(end, scale)
  lowestAtClose = IS_BOUND
  highest = most
  return isNoRecord(watch, load<f64>(watch, CASH * 8), possiblePeak)
}

/** Finds the extremes of the last holding, up to candle `until`. */
function foldLast(end: usize, until: i32): void {
  foldStretch(load<i32>(end - TRAIL_ENTRY), until)
  lastLow = lowestLow
  lastLowClose = lowestClose
  lastHighClose = highestClose
}

/** Bounds the deal by the lowest low of its last holding. */
function narrowLowest(end: usize, scale: f64): void {
  const at = end - TRAIL_ENTRY
  lowest = Worth.at(usize(load<i32>(at, 4)), scale, lastLow)
  if (at == trail) return
  const before = usize(load<i32>(at - TRAIL_ENTRY, 4))
  const atNext = load<f64>(before, QUANTITY * 8) * load<f64>(before, NEXT * 8) * keep - load<f64>(before, COST * 8)
  lowest = min(lowest, atNext)
}

/** True when `lowest` shows that no fall of the deal is a record, from a peak that is at most `top`. */
function isNoRecord(watch: usize, cash: f64, top: f64): bool {
  return lowest >= load<f64>(watch, FLOATING_LOSS * 8) && cash + lowest >= top * (1 - load<f64>(watch, DEEPEST * 8))
}

/**
 * Searches the candles of all holdings, in their order; the extremes of the last one are known. Lows of another holding are not searched where
 * its next level shows that they set no record.
 */
export function searchHoldings(watch: usize, end: usize, until: i32, scale: f64): void {
  const cash = load<f64>(watch, CASH * 8)
  const last = end - TRAIL_ENTRY
  let atNext: f64 = Infinity
  lowest = Infinity
  lowestAtClose = Infinity
  highest = -Infinity
  for (let at = trail; at < last; at += TRAIL_ENTRY) {
    const from = load<i32>(at)
    const to = load<i32>(at, TRAIL_ENTRY)
    if (from >= to) continue
    const row = usize(load<i32>(at, 4))
    const least = load<f64>(row, QUANTITY * 8) * load<f64>(row, NEXT * 8) * keep - load<f64>(row, COST * 8)
    const most = Worth.at(row, scale, load<f64>(row, TAKE_PROFIT * 8) * scale)
    const peak = load<f64>(watch, PEAK * 8)
    const top = max(peak, cash + most)
    if (least >= load<f64>(watch, FLOATING_LOSS * 8) && cash + least >= top * (1 - load<f64>(watch, DEEPEST * 8))) {
      foldHighCloses(from, to)
      highest = max(highest, Worth.at(row, scale, highestClose))
      store<f64>(watch, max(peak, cash + highest), PEAK * 8)
      atNext = least
    } else {
      foldStretch(from, to)
      searchHolding(watch, from, to, row, scale, lowestLow, lowestClose, highestClose)
    }
  }
  const from = load<i32>(last)
  if (from < until)
    searchHolding(watch, from, until, usize(load<i32>(last, 4)), scale, lastLow, lastLowClose, lastHighClose)
  if (atNext >= lowest && atNext >= lowestAtClose) return
  lowest = min(lowest, atNext)
  lowestAtClose = IS_BOUND
}

function searchHolding(
  watch: usize,
  from: i32,
  to: i32,
  row: usize,
  scale: f64,
  leastLow: f64,
  leastClose: f64,
  mostClose: f64,
): void {
  const quantity = load<f64>(row, QUANTITY * 8) / scale
  const worth = quantity * keep
  const cost = load<f64>(row, COST * 8)
  seeLow(watch, worth * leastLow - cost)
  lowestAtClose = min(lowestAtClose, worth * leastClose - cost)
  highest = max(highest, worth * mostClose - cost)
  searchFalls(watch, from, to, quantity, cost, leastLow, leastClose, mostClose)
}

function seeLow(watch: usize, worth: f64): void {
  lowest = min(lowest, worth)
  if (worth < load<f64>(watch, FLOATING_LOSS * 8)) store<f64>(watch, worth, FLOATING_LOSS * 8)
}

/** What the memo says of the quote that a deal used. */
export class Use {
  @inline
  static sum(entry: usize): f64 {
    return load<f64>(entry, USED)
  }

  @inline
  static most(entry: usize): f64 {
    return load<f64>(entry, MOST_COST)
  }

  @inline
  static add(entry: usize, used: f64, cost: f64): void {
    store<f64>(entry, used, USED)
    store<f64>(entry, cost, MOST_COST)
  }
}

/** What the memo says beside the deal itself. */
export class DealTotals {
  @inline
  static lowest(entry: usize): f64 {
    return load<f64>(entry, LOWEST)
  }

  @inline
  static highest(entry: usize): f64 {
    return load<f64>(entry, HIGHEST)
  }

  /** Adds what was observed of a deal to its entry. */
  @inline
  static add(entry: usize, least: f64, leastAtClose: f64, most: f64): void {
    store<f64>(entry, least, LOWEST)
    store<f64>(entry, leastAtClose, LOWEST_AT_CLOSE)
    store<f64>(entry, most, HIGHEST)
  }
}

/**
 * Records what a remembered deal, or its part up to the end of the block, makes of peak and falls, where its bounds do not decide: `profit` = NaN for
 * one that is open then. Returns false where it takes the order of its candles to know; then nothing has been recorded.
 */
export function resolveKnown(watch: usize, entry: usize, profit: f64): bool {
  const atClose = load<f64>(entry, LOWEST_AT_CLOSE)
  const cash = load<f64>(watch, CASH * 8)
  let peak = load<f64>(watch, PEAK * 8)
  lowest = load<f64>(entry, LOWEST)
  highest = load<f64>(entry, HIGHEST)
  const top = cash + highest
  // All closes of a deal come before its stop, which is below them: the order of the others makes no deeper fall.
  if (top > peak && isStopped(entry)) {
    peak = top
    store<f64>(watch, peak, PEAK * 8)
  }
  if (isNaN(atClose)) {
    // Bounds may be enough now that the peak is known.
    const isBelow = top <= peak && (isNaN(profit) || cash + profit <= peak)
    if (!isBelow || !isNoRecord(watch, cash, peak)) return false
  } else if (top <= peak) {
    observeFallAtLow(watch, peak, cash + lowest)
    observeFall(watch, peak, cash + atClose)
  } else {
    if (cash + lowest < top * (1 - load<f64>(watch, DEEPEST_AT_LOW * 8))) return false
    if (cash + atClose < top * (1 - load<f64>(watch, DEEPEST * 8))) return false
    store<f64>(watch, top, PEAK * 8)
  }
  if (lowest < load<f64>(watch, FLOATING_LOSS * 8)) store<f64>(watch, lowest, FLOATING_LOSS * 8)
  if (!isNaN(profit)) observeEquity(watch, cash + profit, cash + profit)
  return true
}

/**
 * The same where a closed deal never stood above the peak, which the watch need not hold yet: records its falls alone. Returns false where it
 * did, or where its entry has bounds only.
 */
export function resolveBelow(watch: usize, entry: usize, peak: f64, cash: f64, profit: f64): bool {
  const atClose = load<f64>(entry, LOWEST_AT_CLOSE)
  if (isNaN(atClose) || cash + load<f64>(entry, HIGHEST) > peak) return false
  const equity = cash + profit
  observeFallAtLow(watch, peak, cash + load<f64>(entry, LOWEST))
  observeFall(watch, peak, cash + atClose)
  observeFallAtLow(watch, peak, equity)
  if (equity <= peak) observeFall(watch, peak, equity)
  return true
}
