/**
 * Drawdowns and daily returns of configs, observed deal by deal as they are walked. The walk itself bounds what a deal was worth and sees in
 * O(1) that nearly all of them change no record but the peak; here is what it calls where bounds do not decide, and the ends of days.
 *
 * While a deal holds the same quantity its lows stay above the next level and its closes below the take profit. Every fill leaves a larger
 * holding at a lower price, so the worth of the last holding at its next level bounds the whole deal. Where that does not decide, the lowest
 * low of that holding mostly does; otherwise the candles of all holdings are searched (stretches.ts), once for a family: what a deal was worth
 * at its lowest and highest, over the cash it began with, stands in the memo for all that make the same deal.
 *
 * `observe.ts` finds the same from the log of one config.
 */
import {
  BLOCK,
  CASH,
  COST,
  DAY,
  DAY_EQUITY,
  DEEPEST,
  DEEPEST_AT_LOW,
  FLOATING_LOSS,
  LOSS_SQUARE_SUM,
  MOST_DAY_ENDS,
  NEXT,
  ORDERS_SHIFT,
  PEAK,
  QUANTITY,
  RETURN_SUM,
  ROW,
  SHIFT_4,
  SOLD,
  SOLD_AFTER_LOW,
  SQUARE_SUM,
  STOPPED_OUT,
  TAKE_PROFIT,
  TRAIL_ENTRY,
} from '../layout'
import { foldHighCloses, foldStretch, highestClose, lowestClose, lowestLow } from './extremes'
import { BEFORE } from './memo'
import { Days, isHeldAtLow } from './observe'
import { above, close, dayEnds, dayEquities, keep, low, lowest4, toHighestClose, trail } from './scene'
import { Search } from './search'
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
let blockEnd: i32 = 0
/** The next candle that ends a day of the config at hand, and that day. */
export let dayCandle: i32 = 0
let day: i32 = 0
/** Where the config's equity at the next day end goes. Before the first one stands that of the day before. */
let endOfDays: usize = 0
/** Worths at day ends that are kept for the family; of them, where those of the deal observed last begin. */
let kept: i32 = 0
let daysAt: i32 = 0

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
  blockEnd = to
  blockLow = Infinity
  blockTop = -Infinity
  for (let node = from >> SHIFT_4; node <= (to - 1) >> SHIFT_4; node++) {
    const at = lowest4 + (usize(node) << 3)
    blockLow = min(blockLow, load<f64>(at))
    blockTop = max(blockTop, load<f64>(at + toHighestClose))
  }
}

/** Call before a config is walked; `isFirst` of its family, or without one. */
export function beginConfig(watch: usize, isFirst: bool): void {
  if (isFirst) kept = 0
  day = i32(load<f64>(watch, DAY * 8))
  dayCandle = Days.nextEnd(day, blockEnd)
  store<f64>(dayEquities, load<f64>(watch, DAY_EQUITY * 8))
  endOfDays = dayEquities + 8
}

/** Call after a config was walked: adds the returns of the days that ended. Days without candles have a return of 0 and change no sum. */
export function endConfig(watch: usize): void {
  if (endOfDays == dayEquities + 8) return
  const last = load<f64>(endOfDays - 8)
  store<f64>(endOfDays, last) // makes the number of days even with a return of 0
  const one = f64x2.splat(1)
  const zero = f64x2.splat(0)
  let sum = zero
  let squares = zero
  let lossSquares = zero
  for (let at = dayEquities; at + 8 < endOfDays; at += 16) {
    const before = v128.load(at)
    const returns = v128.and(f64x2.sub(f64x2.div(v128.load(at, 8), before), one), f64x2.gt(before, zero))
    const losses = f64x2.pmin(returns, zero)
    sum = f64x2.add(sum, returns)
    squares = f64x2.add(squares, f64x2.mul(returns, returns))
    lossSquares = f64x2.add(lossSquares, f64x2.mul(losses, losses))
  }
  addLanes(watch + RETURN_SUM * 8, sum)
  addLanes(watch + SQUARE_SUM * 8, squares)
  addLanes(watch + LOSS_SQUARE_SUM * 8, lossSquares)
  store<f64>(watch, last, DAY_EQUITY * 8)
  store<f64>(watch, f64(day), DAY * 8)
}

/** The holdings of the open deal in this block, in their order. */
export class Trail {
  /** Begins a holding with candle `i`; returns the new end. */
  @inline
  static hold(end: usize, i: i32, row: usize): usize {
    store<i32>(end, i)
    store<i32>(end, i32(row), 4)
    return end + TRAIL_ENTRY
  }
}

/**
 * Records what a deal that closed on candle `i` with this profit makes of peak and falls, where the walk's bounds do not tell. `most` bounds the
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
    if (cash + highest > load<f64>(watch, PEAK * 8)) raisePeak(watch, end, i, scale, cash)
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
    const top = max(peak, equity)
    if (isNoRecord(watch, cash, top)) {
      store<f64>(watch, top, PEAK * 8)
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

/**
 * Finds the peak where it may lie in the part of the open deal before this block, candles start ≤ i < from: on its closes, with the orders
 * filled that the lows until then had reached.
 */
export function settlePeak(watch: usize, table: usize, scale: f64, start: i32, from: i32, filled: i32): void {
  if (start >= from) return
  const last = table + usize(filled) * (ROW * 8)
  const cash = load<f64>(watch, CASH * 8)
  let peak = load<f64>(watch, PEAK * 8)
  let since = start
  let row = table
  for (let i = start; i < from; ) {
    const floor = row < last ? load<f64>(row, NEXT * 8) * scale * above : -Infinity
    const end = min(from, (i | (BLOCK - 1)) + 1)
    i = Search.nextTouch(i, end, floor, Infinity)
    const isFilled = i < end
    if (!isFilled) i = end
    if (i > since) {
      foldHighCloses(since, i)
      peak = max(peak, cash + Worth.at(row, scale, highestClose))
      since = i
    }
    if (!isFilled) continue
    const lowPrice = load<f64>(low + (usize(i) << 3))
    while (row < last && lowPrice <= load<f64>(row, NEXT * 8) * scale * above) row += ROW * 8
    i++
  }
  if (since < from) {
    foldHighCloses(since, from)
    peak = max(peak, cash + Worth.at(row, scale, highestClose))
  }
  store<f64>(watch, peak, PEAK * 8)
}

/** The highest worth at the closes of all holdings up to candle `until`. */
function foldTop(end: usize, until: i32, scale: f64): void {
  highest = -Infinity
  let at = trail
  for (; at < end; at += TRAIL_ENTRY) {
    foldHoldingTop(at, end, until, scale)
    if (highest > -Infinity) break
  }
  if (at + TRAIL_ENTRY >= end) return
  // A price that falls has its highest close in the first holding. One more search shows that for all the others.
  foldHighCloses(load<i32>(at, TRAIL_ENTRY), until)
  const most = highestClose
  for (at += TRAIL_ENTRY; at < end; at += TRAIL_ENTRY) {
    if (Worth.at(usize(load<i32>(at, 4)), scale, most) > highest) foldHoldingTop(at, end, until, scale)
  }
}

function foldHoldingTop(at: usize, end: usize, until: i32, scale: f64): void {
  foldHighCloses(load<i32>(at), endOfHolding(at, end, until))
  if (highestClose == -Infinity) return
  highest = max(highest, Worth.at(usize(load<i32>(at, 4)), scale, highestClose))
}

function raisePeak(watch: usize, end: usize, until: i32, scale: f64, cash: f64): void {
  foldTop(end, until, scale)
  store<f64>(watch, max(load<f64>(watch, PEAK * 8), cash + highest), PEAK * 8)
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

/**
 * Ends the days whose last candle is before `until`, and keeps what the deal was worth there. A deal that closed on candle `until` ends the
 * day of that candle, too, with `equity`.
 */
export function endDays(end: usize, until: i32, scale: f64, cash: f64, equity: f64): void {
  daysAt = kept
  let at = trail
  while (dayCandle < until) {
    while (at + TRAIL_ENTRY < end && load<i32>(at, TRAIL_ENTRY) <= dayCandle) at += TRAIL_ENTRY
    const worth = Worth.at(usize(load<i32>(at, 4)), scale, load<f64>(close + (usize(dayCandle) << 3)))
    if (kept < MOST_DAY_ENDS) store<f64>(dayEnds + (usize(kept) << 3), worth)
    kept++
    endDay(cash + worth)
  }
  if (dayCandle == until && until < blockEnd) endDay(equity)
}

/** The same for a remembered deal. */
export function endKnownDays(entry: usize, until: i32, cash: f64, equity: f64): void {
  let at = dayEnds + (usize(load<i32>(entry, BEFORE) >> ORDERS_SHIFT) << 3)
  while (dayCandle < until) {
    endDay(cash + load<f64>(at))
    at += 8
  }
  if (dayCandle == until && until < blockEnd) endDay(equity)
}

function endDay(equity: f64): void {
  store<f64>(endOfDays, equity)
  endOfDays += 8
  day++
  dayCandle = Days.nextEnd(day, blockEnd)
}

/** True when the deal observed last can be remembered. */
export function fitsMemo(): bool {
  return kept <= MOST_DAY_ENDS
}

/** What the memo says beside the deal itself. */
export class Told {
  @inline
  static used(entry: usize): f64 {
    return load<f64>(entry, USED)
  }

  @inline
  static mostCost(entry: usize): f64 {
    return load<f64>(entry, MOST_COST)
  }

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
  static add(entry: usize, used: f64, cost: f64, least: f64, leastAtClose: f64, most: f64): void {
    store<f64>(entry, used, USED)
    store<f64>(entry, least, LOWEST)
    store<f64>(entry, leastAtClose, LOWEST_AT_CLOSE)
    store<f64>(entry, most, HIGHEST)
    store<f64>(entry, cost, MOST_COST)
    store<i32>(entry, load<i32>(entry, BEFORE) | (daysAt << ORDERS_SHIFT), BEFORE)
  }
}

/** What a holding is worth over the cash that its deal began with. */
export class Worth {
  @inline
  static at(row: usize, scale: f64, price: f64): f64 {
    return (load<f64>(row, QUANTITY * 8) / scale) * keep * price - load<f64>(row, COST * 8)
  }
}

/**
 * Records what a remembered deal, or its part up to the end of the block, makes of peak and falls, where its bounds do not tell: `profit` = NaN for
 * one that is open then. Returns false where it takes the order of its candles to know; then nothing has been recorded.
 */
export function resolveKnown(watch: usize, entry: usize, profit: f64): bool {
  const atClose = load<f64>(entry, LOWEST_AT_CLOSE)
  const cash = load<f64>(watch, CASH * 8)
  const peak = load<f64>(watch, PEAK * 8)
  lowest = load<f64>(entry, LOWEST)
  highest = load<f64>(entry, HIGHEST)
  const top = cash + highest
  if (isNaN(atClose)) {
    // Bounds may be enough now that the peak is settled.
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

/** The first candle after a holding of the trail. */
function endOfHolding(at: usize, end: usize, until: i32): i32 {
  return at + TRAIL_ENTRY < end ? load<i32>(at, TRAIL_ENTRY) : until
}

function addLanes(at: usize, lanes: v128): void {
  store<f64>(at, load<f64>(at) + f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1))
}
