/**
 * Daily returns of configs, where a sweep observes risk: equities at day ends are listed as deals are walked, and their returns are summed once
 * for a block. What a deal was worth at a day end is kept for all of its family that make the same deal.
 */
import {
  DAY,
  DAY_EQUITY,
  LOSS_SQUARE_SUM,
  MOST_DAY_ENDS,
  ORDERS_SHIFT,
  RETURN_SUM,
  SQUARE_SUM,
  TRAIL_ENTRY,
} from '../layout'
import { Worth } from './holdings'
import { BEFORE } from './memo'
import { Days } from './observe'
import { close, dayEnds, dayEquities, trail } from './scene'

let blockEnd: i32 = 0
/** The next candle that ends a day of the config at hand, and that day. */
export let dayCandle: i32 = 0
let day: i32 = 0
/** Where the config's equity at the next day end goes. Before the first one stands that of the day before. */
export let endOfDays: usize = 0
/** Worths at day ends that are kept for the family; of them, where those of the deal observed last begin. */
let kept: i32 = 0
let daysAt: i32 = 0

/** Call before a config is walked up to candle `to`; `isFirst` of its family, or without one. */
export function beginConfigDays(watch: usize, isFirst: bool, to: i32): void {
  blockEnd = to
  if (isFirst) {
    kept = 0
    daysAt = 0
  }
  day = i32(load<f64>(watch, DAY * 8))
  dayCandle = Days.nextEnd(day, blockEnd)
  store<f64>(dayEquities, load<f64>(watch, DAY_EQUITY * 8))
  endOfDays = dayEquities + 8
}

/**
 * Ends the days before this candle of a config that holds nothing: the last day of the candles so far, which turns out to have been whole
 * once others are appended.
 */
export function endIdleDays(from: i32, cash: f64): void {
  while (dayCandle < from) endDay(cash)
}

/** Call after a config was walked: adds the returns of the days that ended. Days without candles have a return of 0 and change no sum. */
export function endConfigDays(watch: usize): void {
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

/**
 * Ends the days whose last candle is before `until`, and keeps what the deal was worth there. A deal that closed on candle `until` ends the
 * day of that candle, too, with its profit.
 */
export function endDays(end: usize, until: i32, scale: f64, cash: f64, profit: f64): void {
  daysAt = kept
  let at = trail
  while (dayCandle < until) {
    while (at + TRAIL_ENTRY < end && load<i32>(at, TRAIL_ENTRY) <= dayCandle) at += TRAIL_ENTRY
    keepWorth(Worth.at(usize(load<i32>(at, 4)), scale, load<f64>(close + (usize(dayCandle) << 3))), cash)
  }
  if (dayCandle == until && until < blockEnd) keepWorth(profit, cash)
}

function keepWorth(worth: f64, cash: f64): void {
  if (kept < MOST_DAY_ENDS) store<f64>(dayEnds + (usize(kept) << 3), worth)
  kept++
  endDay(cash + worth)
}

export class Known {
  /**
   * Lists the equities of a remembered deal that ends so many days, from this place on, and returns the next place; the days end once
   * `endDaysBefore` is called.
   */
  @inline
  static listDays(place: usize, entry: usize, count: i32, cash: f64): usize {
    const at = dayEnds + (usize(load<i32>(entry, BEFORE) >> ORDERS_SHIFT) << 3)
    store<f64>(place, cash + load<f64>(at))
    for (let n = 1; n < count; n++) store<f64>(place + (usize(n) << 3), cash + load<f64>(at + (usize(n) << 3)))
    return place + (usize(count) << 3)
  }

  /**
   * Ends the days of a remembered deal, whose last candle is `last`. Whether a deal ends a day cannot be foreseen, so the first one is ended without
   * a branch: the equity is written in any case, and stays only where a day ended.
   */
  @inline
  static endDays(entry: usize, last: i32, cash: f64): void {
    const at = dayEnds + (usize(load<i32>(entry, BEFORE) >> ORDERS_SHIFT) << 3)
    store<f64>(endOfDays, cash + load<f64>(at))
    const ends = i32(dayCandle <= last)
    endOfDays += usize(ends) << 3
    day += ends
    dayCandle = Days.nextEnd(day, blockEnd)
    if (dayCandle <= last) endMoreDays(at + 8, last, cash)
  }
}

/** Ends the days whose equities are listed before this place. */
export function endDaysBefore(at: usize): void {
  day += i32((at - endOfDays) >> 3)
  endOfDays = at
  dayCandle = Days.nextEnd(day, blockEnd)
}

function endMoreDays(at: usize, last: i32, cash: f64): void {
  while (dayCandle <= last) {
    endDay(cash + load<f64>(at))
    at += 8
  }
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

/** Adds to a memo entry where the worths of the deal observed last are kept. */
export function noteDays(entry: usize): void {
  store<i32>(entry, load<i32>(entry, BEFORE) | (daysAt << ORDERS_SHIFT), BEFORE)
}

/** How many days the deal observed last has ended. */
export function daysKept(): i32 {
  return kept - daysAt
}

function addLanes(at: usize, lanes: v128): void {
  store<f64>(at, load<f64>(at) + f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1))
}
