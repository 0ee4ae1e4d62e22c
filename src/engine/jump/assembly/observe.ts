/**
 * Computes the metrics for which the reference engine reads every candle, from the log of a walk. Sweeps, which keep no log, find the same
 * deal by deal (risk.ts).
 *
 * Between two events a deal holds the same quantity at the same cost, its lows stay above `floor` and its closes below `ceiling`,
 * so equity stays between E(floor) and E(ceiling). That bound costs O(1), and after one deep fall it shows for almost every
 * stretch that no fall in it is deeper. The search for new peaks is postponed in the same way: a take profit usually ends above
 * every close of its deal, and then the peaks inside the deal do not matter. Only where the bounds do not decide are candles
 * searched (stretches.ts), and that search is exact.
 */
import {
  BOUGHT,
  CANDLE_COLOUR,
  CANDLES_FULL,
  CASH,
  DAY,
  DAY_EQUITY,
  DEEPEST,
  DEEPEST_AT_LOW,
  FLOATING_LOSS,
  FULL,
  HELD_CEILING,
  HELD_COST,
  HELD_FLOOR,
  HELD_FULL,
  HELD_QUANTITY,
  HIGH_FIRST,
  HOLDS,
  KIND_MASK,
  LOG_FLOATS,
  LOG_INTS,
  LOSS_SQUARE_SUM,
  MOST_PUT_OFF,
  PEAK,
  POSSIBLE_PEAK,
  PUT_OFF_COUNT,
  RETURN_SUM,
  SHIFT_4,
  SOLD,
  SOLD_BEFORE_LOW,
  SQUARE_SUM,
  STOPPED_OUT,
  USED_MAX,
  USED_SUM,
  WATCH,
} from '../layout'
import { foldStretch, highestClose, lowestClose, lowestLow } from './extremes'
import {
  close,
  dayEnd,
  intrabar,
  keep,
  lastDay,
  logFloats,
  logInts,
  low,
  lowest4,
  open,
  series,
  toHighestClose,
  watches,
} from './scene'
import { observeEquity, observeLow, putOffHolding, putOffPeaks, searchFalls, searchPeaks } from './stretches'

/** Reads the log entries of one block, candles from ≤ i < to. Call for every block, in time order. */
export function observe(slot: i32, entries: i32, from: i32, to: i32): void {
  const watch = watches + usize(slot) * (WATCH * 8)
  let inDeal = load<f64>(watch, HOLDS * 8) != 0
  let cash = load<f64>(watch, CASH * 8)
  let quantity = load<f64>(watch, HELD_QUANTITY * 8)
  let cost = load<f64>(watch, HELD_COST * 8)
  let full = load<f64>(watch, HELD_FULL * 8)
  let floor = load<f64>(watch, HELD_FLOOR * 8)
  let ceiling = load<f64>(watch, HELD_CEILING * 8)
  let peak = load<f64>(watch, PEAK * 8)
  // The fraction of a peak that is left after the deepest fall so far.
  let rest = 1 - load<f64>(watch, DEEPEST * 8)
  let floatingLoss = load<f64>(watch, FLOATING_LOSS * 8)
  let candlesFull = load<f64>(watch, CANDLES_FULL * 8)
  let usedSum = load<f64>(watch, USED_SUM * 8)
  let usedMax = load<f64>(watch, USED_MAX * 8)
  let day = i32(load<f64>(watch, DAY * 8))
  let dayCandle = Days.nextEnd(day, to)
  // Upper bound of the peak. The stretches of the open deal that have not been searched yet may reach it: those postponed in
  // earlier blocks, and those that began with entries from `dealEntry` on. The holding at the start of the block is postponed as
  // a whole.
  let possiblePeak = load<f64>(watch, POSSIBLE_PEAK * 8)
  let dealEntry = 0
  let next = from
  // The lowest low and the highest close of the block: they bound a deal that has no level left on that side.
  let deepestLow: f64 = Infinity
  let topClose: f64 = -Infinity
  for (let node = from >> SHIFT_4; node <= (to - 1) >> SHIFT_4; node++) {
    const at = lowest4 + (usize(node) << 3)
    deepestLow = min(deepestLow, load<f64>(at))
    topClose = max(topClose, load<f64>(at + toHighestClose))
  }

  let entry = 0
  for (;;) {
    if (!inDeal) {
      // The next entry, if there is one, opens a deal.
      const opens = entry == entries ? to : load<i32>(logInts + usize(entry) * (LOG_INTS * 4))
      while (dayCandle < opens) {
        Days.end(watch, day++, cash)
        dayCandle = Days.nextEnd(day, to)
      }
      if (entry == entries) break
      const entryFloats = logFloats + usize(entry) * (LOG_FLOATS * 8)
      quantity = load<f64>(entryFloats)
      cost = load<f64>(entryFloats, 8)
      floor = load<f64>(entryFloats, 16)
      ceiling = load<f64>(entryFloats, 24)
      full = f64((load<i32>(logInts + usize(entry) * (LOG_INTS * 4), 4) / FULL) & 1)
      usedMax = max(usedMax, cost)
      inDeal = true
      dealEntry = entry++
      next = opens
    }

    // The holding stays the same on candles next ≤ i < candle. On the candle of a plain sale its low is above the floor too.
    const isLast = entry == entries
    const entryInts = logInts + usize(entry) * (LOG_INTS * 4)
    const candle = isLast ? to : load<i32>(entryInts)
    const code = load<i32>(entryInts, 4)
    const worth = quantity * keep
    while (dayCandle < candle) {
      Days.end(watch, day++, cash - cost + worth * load<f64>(close + (usize(dayCandle) << 3)))
      dayCandle = Days.nextEnd(day, to)
    }
    if (candle > next || !isLast) {
      usedSum += cost * (candle - next)
      candlesFull += full * (candle - next)
      const atFloor = worth * max(floor, deepestLow) - cost
      const highest = cash - cost + worth * min(ceiling, topClose)
      possiblePeak = max(possiblePeak, highest)
      // The holding at the start of the block has no entry in this block's log.
      const isPutOff = entry == 0 && highest > peak
      if (isPutOff) {
        if (i32(load<f64>(watch, PUT_OFF_COUNT * 8)) == MOST_PUT_OFF) {
          store<f64>(watch, peak, PEAK * 8)
          searchPeaks(watch, 0, 0, next)
          peak = load<f64>(watch, PEAK * 8)
        }
        putOffHolding(watch, next, candle, quantity, cost)
      }
      if (atFloor < floatingLoss || cash + atFloor < possiblePeak * rest) {
        // The bound does not decide. The real extremes of the stretch mostly do.
        foldStretch(next, candle)
        const isPlainSale = !isLast && (code & KIND_MASK) == SOLD && isHeldAtLow(candle, ceiling)
        const saleLow = isPlainSale ? load<f64>(low + (usize(candle) << 3)) : Infinity
        const leastLow = lowestLow
        const leastClose = lowestClose
        const mostClose = highestClose
        const atLow = worth * min(leastLow, saleLow) - cost
        const atClose = worth * leastClose - cost
        floatingLoss = min(floatingLoss, atLow)
        if (
          cash + atLow < possiblePeak * (1 - load<f64>(watch, DEEPEST_AT_LOW * 8)) ||
          cash + atClose < possiblePeak * rest
        ) {
          store<f64>(watch, peak, PEAK * 8)
          store<f64>(watch, cash, CASH * 8)
          if (isPutOff) store<f64>(watch, load<f64>(watch, PUT_OFF_COUNT * 8) - 4, PUT_OFF_COUNT * 8)
          searchPeaks(watch, dealEntry, entry - 1, next)
          searchFalls(watch, next, candle, quantity, cost, leastLow, leastClose, mostClose)
          if (isPlainSale) observeLow(watch, candle, quantity, cost)
          peak = load<f64>(watch, PEAK * 8)
          possiblePeak = peak
          rest = 1 - load<f64>(watch, DEEPEST * 8)
          dealEntry = entry
        }
      }
    }
    next = candle
    if (isLast) break

    const entryFloats = logFloats + usize(entry) * (LOG_FLOATS * 8)
    quantity = load<f64>(entryFloats)
    cost = load<f64>(entryFloats, 8)
    full = f64((code / FULL) & 1)
    usedMax = max(usedMax, cost)
    const kind = code & KIND_MASK
    if (kind == BOUGHT) {
      floor = load<f64>(entryFloats, 16)
      ceiling = load<f64>(entryFloats, 24)
      entry++
      continue
    }

    const profit = quantity * keep * load<f64>(entryFloats, 16) - cost
    const equity = cash + profit
    usedSum += cost
    candlesFull += full
    if (kind == SOLD && equity >= possiblePeak) {
      store<f64>(watch, 0, PUT_OFF_COUNT * 8)
      peak = equity
      possiblePeak = equity
    } else if (kind != SOLD || equity < possiblePeak * rest || possiblePeak > peak) {
      const isSeen = kind != SOLD && kind != SOLD_BEFORE_LOW && kind != STOPPED_OUT
      const profitAtLow = isSeen ? quantity * keep * load<f64>(low + (usize(candle) << 3)) - cost : profit
      if ((isSeen || kind == STOPPED_OUT) && profitAtLow < floatingLoss) floatingLoss = profitAtLow
      store<f64>(watch, peak, PEAK * 8)
      store<f64>(watch, cash, CASH * 8)
      if (possiblePeak > peak) searchPeaks(watch, dealEntry, entry, candle)
      observeEquity(watch, cash + profitAtLow, equity)
      peak = load<f64>(watch, PEAK * 8)
      possiblePeak = peak
      rest = 1 - load<f64>(watch, DEEPEST * 8)
    }
    cash = equity
    inDeal = false
    dealEntry = entry++
    next = candle + 1
  }

  store<f64>(watch, peak, PEAK * 8)
  store<f64>(watch, cash, CASH * 8)
  store<f64>(watch, possiblePeak, POSSIBLE_PEAK * 8)
  if (possiblePeak > peak) putOffPeaks(watch, dealEntry, entries, to)
  store<f64>(watch, inDeal ? 1 : 0, HOLDS * 8)
  store<f64>(watch, quantity, HELD_QUANTITY * 8)
  store<f64>(watch, cost, HELD_COST * 8)
  store<f64>(watch, full, HELD_FULL * 8)
  store<f64>(watch, floor, HELD_FLOOR * 8)
  store<f64>(watch, ceiling, HELD_CEILING * 8)
  store<f64>(watch, floatingLoss, FLOATING_LOSS * 8)
  store<f64>(watch, candlesFull, CANDLES_FULL * 8)
  store<f64>(watch, usedSum, USED_SUM * 8)
  store<f64>(watch, usedMax, USED_MAX * 8)
  store<f64>(watch, f64(day), DAY * 8)
}

/**
 * True when the position was still held at the candle's low. Where only the take profit is touched both paths sell alike; then
 * low-first counts, unless the convention chooses high-first.
 */
export function isHeldAtLow(candle: i32, ceiling: f64): bool {
  const at = usize(candle) << 3
  if (load<f64>(open + at) >= ceiling || intrabar == HIGH_FIRST) return false
  return intrabar != CANDLE_COLOUR || load<f64>(close + at) >= load<f64>(open + at)
}

/** Ends days of a watch. */
export class Days {
  /** The last candle of a day. For the last day, which may be partial, `to`: that day is ended when results are read. */
  @inline
  static nextEnd(day: i32, to: i32): i32 {
    return day < lastDay ? load<i32>(dayEnd + (usize(day) << 2)) : to
  }

  /** Ends a day with this equity. Days without candles have a return of 0 and change no sum. */
  @inline
  static end(watch: usize, day: i32, equity: f64): void {
    const before = load<f64>(watch, DAY_EQUITY * 8)
    const value = before > 0 ? equity / before - 1 : 0
    const loss = min(value, 0)
    store<f64>(watch, load<f64>(watch, RETURN_SUM * 8) + value, RETURN_SUM * 8)
    store<f64>(watch, load<f64>(watch, SQUARE_SUM * 8) + value * value, SQUARE_SUM * 8)
    store<f64>(watch, load<f64>(watch, LOSS_SQUARE_SUM * 8) + loss * loss, LOSS_SQUARE_SUM * 8)
    store<f64>(watch, equity, DAY_EQUITY * 8)
    if (series != 0) store<f64>(series + (usize(day) << 3), equity)
  }
}
