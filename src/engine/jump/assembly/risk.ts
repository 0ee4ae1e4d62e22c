/**
 * Drawdowns, daily returns and used capital of configs that share deals, observed deal by deal as they are walked.
 *
 * While a deal holds the same quantity its lows stay above the next level and its closes below the take profit. So a closed deal lies
 * between two worths that follow from its rows. Once a deeper fall is known, and when the sale is above all its closes, they decide in O(1)
 * that the deal changes no record but the peak. Otherwise its candles are searched (stretches.ts), once for a family: what a deal was worth
 * at its lowest and highest, over the cash it began with, stands in the memo for all that make the same deal.
 *
 * `observe.ts` finds the same from the log of one config.
 */
import {
  CANDLES_FULL,
  CASH,
  COST,
  DAY,
  DEEPEST,
  DEEPEST_AT_LOW,
  FLOATING_LOSS,
  MOST_DAY_ENDS,
  NEXT,
  PEAK,
  PROFIT,
  QUANTITY,
  SHIFT_4,
  SOLD,
  SOLD_AFTER_LOW,
  STOPPED_OUT,
  TAKE_PROFIT,
  TRAIL_ENTRY,
  USED_MAX,
  USED_SUM,
} from '../layout'
import { foldLows, foldStretch, highestClose, lowestClose, lowestLow } from './extremes'
import { Days, isHeldAtLow } from './observe'
import { close, dayEnds, keep, levelsPerDeal, low, lowest4, memo, riskMemo, toHighestClose, trail } from './scene'
import { observeEquity, observeFall, observeFallAtLow, observeLow, searchFalls } from './stretches'

// What the memo says of a deal, or of its part in a block. Worths are over the cash that it began with.
const USED: usize = 0
const LOWEST: usize = 8
const LOWEST_AT_CLOSE: usize = 16
const HIGHEST: usize = 24
const MOST_COST: usize = 32
const DAYS_AT: usize = 40
/** 1 = the worths are those of candles, not bounds. */
const EXACT: usize = 44

/** The lowest low and the highest close of the block. */
let blockLow: f64 = 0
let blockTop: f64 = 0
let blockEnd: i32 = 0
/** The next candle that ends a day of the config at hand. */
let dayCandle: i32 = 0
/** The family whose worths at day ends are kept, and how many there are. */
let keptFamily: i32 = 0
let kept: i32 = 0

// Of the last deal that was observed, for the memo.
let used: f64 = 0
let lowest: f64 = 0
let lowestAtClose: f64 = 0
let highest: f64 = 0
let mostCost: f64 = 0
let daysAt: i32 = 0
let exact: i32 = 0

/** Call before a block. */
export function beginRisk(from: i32, to: i32): void {
  keptFamily = -1
  blockEnd = to
  blockLow = Infinity
  blockTop = -Infinity
  for (let node = from >> SHIFT_4; node <= (to - 1) >> SHIFT_4; node++) {
    const at = lowest4 + (usize(node) << 3)
    blockLow = min(blockLow, load<f64>(at))
    blockTop = max(blockTop, load<f64>(at + toHighestClose))
  }
}

/** Call before a config is walked. */
export function beginConfig(watch: usize, family: i32): void {
  dayCandle = Days.nextEnd(i32(load<f64>(watch, DAY * 8)), blockEnd)
  if (family == keptFamily) return
  keptFamily = family
  kept = 0
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

/** Observes a deal that closed on candle `i` with this profit; `row` and `last` as after that candle, floor and ceiling as before it. */
export function observeClosed(
  watch: usize,
  end: usize,
  i: i32,
  kind: i32,
  row: usize,
  last: usize,
  scale: f64,
  floor: f64,
  ceiling: f64,
  profit: f64,
): void {
  const cash = load<f64>(watch, CASH * 8)
  const peak = load<f64>(watch, PEAK * 8)
  const equity = cash + profit
  boundHoldings(watch, end, i, last, scale, floor)
  const cost = load<f64>(row, COST * 8)
  used += cost
  mostCost = cost
  if (row == last) add(watch + CANDLES_FULL * 8, 1)
  if (dayCandle < i) endDays(watch, end, i, scale, cash)
  // What the position was worth at the low of the last candle, if it was held there after a fill; else what it was sold for.
  let atLow = profit
  if (kind == SOLD_AFTER_LOW) {
    atLow = (load<f64>(row, QUANTITY * 8) / scale) * keep * load<f64>(low + (usize(i) << 3)) - cost
    lowest = min(lowest, atLow)
  }
  const isLossSeen = kind == SOLD_AFTER_LOW || kind == STOPPED_OUT
  let isBound = kind != STOPPED_OUT && (profit >= highest || cash + highest <= peak)
  if (isBound && !isNoRecord(watch, cash, peak)) {
    narrowLowest(end, i, scale)
    if (kind == SOLD_AFTER_LOW) lowest = min(lowest, atLow)
    isBound = isNoRecord(watch, cash, peak)
  }
  if (isBound) {
    if (equity > peak) store<f64>(watch, equity, PEAK * 8)
  } else {
    searchHoldings(watch, end, i, scale)
    if (kind == SOLD && isHeldAtLow(i, ceiling)) {
      const quantity = load<f64>(row, QUANTITY * 8) / scale
      observeLow(watch, i, quantity, cost)
      seeLow(watch, quantity * keep * load<f64>(low + (usize(i) << 3)) - cost)
    }
    if (isLossSeen) seeLow(watch, atLow)
    observeEquity(watch, cash + atLow, equity)
  }
  store<f64>(watch, equity, CASH * 8)
  if (dayCandle == i) endDay(watch, equity)
  add(watch + USED_SUM * 8, used)
  store<f64>(watch, max(load<f64>(watch, USED_MAX * 8), cost), USED_MAX * 8)
}

/** Observes a deal that is open as the block ends. */
export function observeOpen(watch: usize, end: usize, row: usize, last: usize, scale: f64, floor: f64): void {
  const cash = load<f64>(watch, CASH * 8)
  const peak = load<f64>(watch, PEAK * 8)
  boundHoldings(watch, end, blockEnd, last, scale, floor)
  mostCost = load<f64>(row, COST * 8)
  if (dayCandle < blockEnd) endDays(watch, end, blockEnd, scale, cash)
  if (!isNoRecord(watch, cash, peak) || cash + highest > peak) searchHoldings(watch, end, blockEnd, scale)
  add(watch + USED_SUM * 8, used)
  store<f64>(watch, max(load<f64>(watch, USED_MAX * 8), mostCost), USED_MAX * 8)
}

/** Under a level by more than the tolerance of a touch. */
const UNDER: f64 = 0.999999

/**
 * Bounds what the holdings up to candle `until` were worth, and sums what they used. Lows are above the next level, which is `floor` for the
 * last holding. Amounts at levels do not depend on the start price, and a closed deal's own profit is compared with them to the bit.
 */
function boundHoldings(watch: usize, end: usize, until: i32, last: usize, scale: f64, floor: f64): void {
  used = 0
  lowest = Infinity
  highest = -Infinity
  exact = 0
  daysAt = 0
  for (let at = trail; at < end; at += TRAIL_ENTRY) {
    const row = usize(load<i32>(at, 4))
    const candles = f64(endOfHolding(at, end, until) - load<i32>(at))
    const cost = load<f64>(row, COST * 8)
    const quantity = load<f64>(row, QUANTITY * 8)
    used += cost * candles
    let profit = levelsPerDeal ? NaN : load<f64>(row, PROFIT * 8)
    if (isNaN(profit)) profit = (quantity / scale) * (load<f64>(row, TAKE_PROFIT * 8) * scale) * keep - cost
    highest = max(highest, profit)
    if (row == last) add(watch + CANDLES_FULL * 8, candles)
    const next = load<f64>(row, NEXT * 8)
    // The last holding may have no level below it, or one that was not placed.
    const isOpenBelow = at + TRAIL_ENTRY == end && floor < next * scale * UNDER
    const atNext = isOpenBelow || next < 0 ? (quantity / scale) * max(floor, blockLow) : quantity * next
    lowest = min(lowest, atNext * keep - cost)
  }
  lowestAtClose = lowest
}

/** Replaces the bound of the last holding by its lowest low, up to the candle of the sale. */
function narrowLowest(end: usize, i: i32, scale: f64): void {
  const at = end - TRAIL_ENTRY
  const row = usize(load<i32>(at, 4))
  foldLows(load<i32>(at), i + 1)
  lowest = (load<f64>(row, QUANTITY * 8) / scale) * keep * lowestLow - load<f64>(row, COST * 8)
  if (at > trail) {
    const before = usize(load<i32>(at - TRAIL_ENTRY, 4))
    lowest = min(
      lowest,
      load<f64>(before, QUANTITY * 8) * load<f64>(before, NEXT * 8) * keep - load<f64>(before, COST * 8),
    )
  }
  lowestAtClose = lowest
}

/** True when bounds show that no fall of the deal is a record. */
function isNoRecord(watch: usize, cash: f64, peak: f64): bool {
  return (
    lowest >= load<f64>(watch, FLOATING_LOSS * 8) &&
    cash + lowest >= max(peak, cash + highest) * (1 - load<f64>(watch, DEEPEST * 8))
  )
}

/** Searches the candles of all holdings, in their order. */
function searchHoldings(watch: usize, end: usize, until: i32, scale: f64): void {
  exact = 1
  lowest = Infinity
  lowestAtClose = Infinity
  highest = -Infinity
  for (let at = trail; at < end; at += TRAIL_ENTRY) {
    const from = load<i32>(at)
    const to = endOfHolding(at, end, until)
    if (from >= to) continue
    const row = usize(load<i32>(at, 4))
    const quantity = load<f64>(row, QUANTITY * 8) / scale
    const worth = quantity * keep
    const cost = load<f64>(row, COST * 8)
    foldStretch(from, to)
    const leastLow = lowestLow
    const leastClose = lowestClose
    const mostClose = highestClose
    seeLow(watch, worth * leastLow - cost)
    lowestAtClose = min(lowestAtClose, worth * leastClose - cost)
    highest = max(highest, worth * mostClose - cost)
    searchFalls(watch, from, to, quantity, cost, leastLow, leastClose, mostClose)
  }
}

function seeLow(watch: usize, worth: f64): void {
  lowest = min(lowest, worth)
  if (worth < load<f64>(watch, FLOATING_LOSS * 8)) store<f64>(watch, worth, FLOATING_LOSS * 8)
}

/** Ends the days whose last candle is before `until`, and keeps what the deal was worth there. */
function endDays(watch: usize, end: usize, until: i32, scale: f64, cash: f64): void {
  daysAt = kept
  let at = trail
  while (dayCandle < until) {
    while (at + TRAIL_ENTRY < end && load<i32>(at, TRAIL_ENTRY) <= dayCandle) at += TRAIL_ENTRY
    const row = usize(load<i32>(at, 4))
    const quantity = load<f64>(row, QUANTITY * 8) / scale
    const worth = quantity * keep * load<f64>(close + (usize(dayCandle) << 3)) - load<f64>(row, COST * 8)
    if (kept < MOST_DAY_ENDS) store<f64>(dayEnds + (usize(kept) << 3), worth)
    kept++
    endDay(watch, cash + worth)
  }
}

function endDay(watch: usize, equity: f64): void {
  const day = i32(load<f64>(watch, DAY * 8))
  Days.end(watch, day, equity)
  store<f64>(watch, f64(day + 1), DAY * 8)
  dayCandle = Days.nextEnd(day + 1, blockEnd)
}

/** True when the deal observed last can be remembered. */
export function fitsMemo(): bool {
  return kept <= MOST_DAY_ENDS
}

/** Adds to a memo entry what was observed of the deal last. */
export function tellRisk(entry: usize): void {
  const risk = riskMemo + ((entry - memo) << 1)
  store<f64>(risk, used, USED)
  store<f64>(risk, lowest, LOWEST)
  store<f64>(risk, lowestAtClose, LOWEST_AT_CLOSE)
  store<f64>(risk, highest, HIGHEST)
  store<f64>(risk, mostCost, MOST_COST)
  store<i32>(risk, daysAt, DAYS_AT)
  store<i32>(risk, exact, EXACT)
}

/**
 * Observes a remembered deal, or its part up to the end of the block: `profit` = NaN for one that is open then. Returns false where it takes
 * the order of its candles to know what this config makes of it; then nothing has been observed.
 */
export function observeKnown(watch: usize, entry: usize, end: i32, profit: f64): bool {
  const risk = riskMemo + ((entry - memo) << 1)
  const isOpen = isNaN(profit)
  const cash = load<f64>(watch, CASH * 8)
  const peak = load<f64>(watch, PEAK * 8)
  lowest = load<f64>(risk, LOWEST)
  highest = load<f64>(risk, HIGHEST)
  const equity = isOpen ? cash : cash + profit
  const isBelow = cash + highest <= peak
  if (isNoRecord(watch, cash, peak) && (isBelow || (!isOpen && profit >= highest))) {
    if (equity > peak && !isOpen) store<f64>(watch, equity, PEAK * 8)
  } else {
    if (load<i32>(risk, EXACT) == 0) return false
    const atClose = load<f64>(risk, LOWEST_AT_CLOSE)
    if (isBelow) {
      observeFallAtLow(watch, peak, cash + lowest)
      observeFall(watch, peak, cash + atClose)
    } else {
      const top = cash + highest
      if (cash + lowest < top * (1 - load<f64>(watch, DEEPEST_AT_LOW * 8))) return false
      if (cash + atClose < top * (1 - load<f64>(watch, DEEPEST * 8))) return false
      store<f64>(watch, top, PEAK * 8)
    }
    if (lowest < load<f64>(watch, FLOATING_LOSS * 8)) store<f64>(watch, lowest, FLOATING_LOSS * 8)
    if (!isOpen) observeEquity(watch, equity, equity)
  }
  let at = dayEnds + (usize(load<i32>(risk, DAYS_AT)) << 3)
  while (dayCandle < end) {
    endDay(watch, cash + load<f64>(at))
    at += 8
  }
  if (!isOpen) {
    store<f64>(watch, equity, CASH * 8)
    if (dayCandle == end) endDay(watch, equity)
  }
  add(watch + USED_SUM * 8, load<f64>(risk, USED))
  store<f64>(watch, max(load<f64>(watch, USED_MAX * 8), load<f64>(risk, MOST_COST)), USED_MAX * 8)
  return true
}

/** The first candle after a holding of the trail. */
function endOfHolding(at: usize, end: usize, until: i32): i32 {
  return at + TRAIL_ENTRY < end ? load<i32>(at, TRAIL_ENTRY) : until
}

function add(at: usize, amount: f64): void {
  store<f64>(at, load<f64>(at) + amount)
}
