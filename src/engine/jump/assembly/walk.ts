/**
 * The hot loop: walks one config of a flight over the candles of a block. All its state is in local numbers, which is why it is
 * one long function. `reference.ts` does the same and is easy to read.
 *
 *     flat? open a deal at this open, from the config's table
 *     find the next candle with low ≤ floor (next buy, or the stop when none is left) or high ≥ ceiling (take profit)
 *     only the high: sold at the take profit    only the low, and the lowered take profit stays out of reach: bought
 *     anything else: the full rule on this one candle (rare-candle.ts)
 */
import {
  AMBIGUOUS,
  BOUGHT,
  CAPPED,
  CEILING,
  COST,
  DEALS,
  ENDED,
  FAMILY,
  FILLED,
  FILLED_SHIFT,
  FILLS,
  FLAT,
  FLOATS,
  FLOOR,
  FULL,
  IN_DEAL,
  INTS,
  INVESTMENT,
  LOG_FLOATS,
  LOG_INTS,
  LONGEST,
  LOST,
  NEED,
  NEXT,
  OPENED,
  ORDERS,
  OUT_OF_CASH,
  PLACED,
  PROFIT,
  QUANTITY,
  REALIZED,
  ROW,
  SCALE,
  SOLD,
  START,
  STATE,
  STOP,
  STOPPED,
  STOPPED_OUT,
  STOPS,
  TABLE,
  TAKE_PROFIT,
  UNAFFORDABLE,
  UNPLACED,
  UNPLACED_OF_DEAL,
  WATCH,
  WINS,
} from '../layout'
import * as levels from './levels'
import {
  ambiguousOf,
  deepestOf,
  endOf,
  filledOf,
  findCarried,
  findDeal,
  MOST_AMBIGUOUS,
  OPEN_END,
  profitOf,
  tellDeal,
  UNKNOWN,
} from './memo'
import { deepestRow, endKind, endRow, isAmbiguous, stopFill, walkRareCandle } from './rare-candle'
import * as risk from './risk'
import {
  above,
  below,
  cap,
  floats,
  high,
  intervalMs,
  ints,
  keep,
  levelsPerDeal,
  logFloats,
  logInts,
  low,
  missingMs,
  open,
  openTime,
  slippageRate,
  stopsAfterLoss,
  tables,
  trail,
  watches,
} from './scene'
import { Search } from './search'

const ROW_BYTES: usize = ROW * 8
/** An address after every row: no row at all. */
const NONE: usize = 0xffffffff

/** Walks one config over the candles from ≤ i < to. */
export function walk(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRounded(slot, from, to)
  else if (load<i32>(ints + usize(slot) * (INTS * 4), FAMILY * 4) != 0) walkSharing(slot, from, to)
  else Walk.walk(slot, from, to, false, false, false, false)
}

/** For a config whose family has other members. */
function walkSharing(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, true, false, false, false)
}

/** For configs with tick or lot, where every deal is rounded separately. */
function walkRounded(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, true, true, false, false)
}

/** Walks one config and observes all that metrics need. */
export function walkWatched(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRoundedWatched(slot, from, to)
  else Walk.walk(slot, from, to, true, false, false, true)
}

function walkRoundedWatched(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, true, true, false, true)
}

/** Walks one config without shared deals and logs what happened; returns the number of log entries. */
export function walkLogged(slot: i32, from: i32, to: i32): i32 {
  return levelsPerDeal ? walkRoundedLogged(slot, from, to) : Walk.walk(slot, from, to, false, false, true, false)
}

function walkRoundedLogged(slot: i32, from: i32, to: i32): i32 {
  return Walk.walk(slot, from, to, false, true, true, false)
}

class Walk {
  /** Inlined into each caller, where the four flags are constants: the compiler removes what a caller does not use. */
  @inline
  static walk(slot: i32, from: i32, to: i32, shares: bool, levelsPerDeal: bool, logs: bool, observes: bool): i32 {
    const at = ints + usize(slot) * (INTS * 4)
    const af = floats + usize(slot) * (FLOATS * 8)
    let state = load<i32>(at, STATE * 4)
    if (state == STOPPED) return 0
    const family = shares ? load<i32>(at, FAMILY * 4) : 0
    const marketBuy: f64 = 1 + slippageRate
    let logInt = logInts
    let logFloat = logFloats

    const table = tables + (usize(load<i32>(at, TABLE * 4)) << 3)
    let scale = load<f64>(af, SCALE * 8)
    let realized = load<f64>(af, REALIZED * 8)
    const investment = load<f64>(af, INVESTMENT * 8)
    const need = load<f64>(af, NEED * 8)
    const capped = load<i32>(at, CAPPED * 4)
    const tooDear = load<i32>(at, ORDERS * 4) - capped
    let lost = load<f64>(af, LOST * 8)
    let longest = load<f64>(af, LONGEST * 8)
    // A deal of fewer candles than this is not the longest, so its duration need not be computed.
    let longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
    let start = load<i32>(at, START * 4)
    const placed = load<i32>(at, PLACED * 4)
    let last = table + usize(placed) * ROW_BYTES
    let row = table + usize(load<i32>(at, FILLED * 4)) * ROW_BYTES
    // The last row of a deal for which the cash does not pay all orders: its NEXT is an order that was not placed. Otherwise
    // NONE.
    let cut: usize = placed + 1 < capped ? last : NONE
    // The deepest row that has been written for this deal (levels per deal only).
    let entered = row
    let floor = load<f64>(af, FLOOR * 8)
    let ceiling = load<f64>(af, CEILING * 8)

    let deals = 0
    let wins = 0
    let stops = 0
    let rowsFilled: usize = 0
    let ambiguous = 0
    let unaffordable = 0

    // For sharing: a memo entry that may describe this deal, and what to record about it since it (or the block) began.
    let known = UNKNOWN
    let deepest = row
    let ambiguousBefore = 0
    const filledBefore = i32((row - table) / ROW_BYTES)
    if (shares && family != 0 && state == IN_DEAL) known = findCarried(family, start, filledBefore)

    // For observing: where the holdings of the deal in this block are listed, and whether the memo told of them.
    const watch = watches + usize(slot) * (WATCH * 8)
    let trailEnd = trail
    let isKnown = false
    if (observes) {
      risk.beginConfig(watch, family)
      if (state == IN_DEAL) trailEnd = risk.Trail.hold(trail, from, row)
    }

    for (let i = from; i < to; i++) {
      isKnown = false
      if (state == FLAT) {
        scale = load<f64>(open + (usize(i) << 3)) * marketBuy
        let isSure = true
        if (levelsPerDeal) {
          levels.Rows.begin(at, af, scale, investment + realized)
          isSure = levels.isSure
          if (levels.placed == 0) {
            state = STOPPED
            store<i32>(at, i, ENDED * 4)
            store<i32>(at, 1, OUT_OF_CASH * 4)
            break
          }
          last = table + usize(levels.placed - 1) * ROW_BYTES
          unaffordable += levels.existing - levels.placed
          add(at + UNPLACED * 4, load<i32>(at, UNPLACED_OF_DEAL * 4))
        } else {
          const limit = (investment + realized) * cap
          last = table + usize(capped - 1) * ROW_BYTES
          cut = NONE
          unaffordable += tooDear
          if (need > limit || capped == 0) {
            let orders = 0
            while (orders < capped && load<f64>(table + usize(orders) * ROW_BYTES, COST * 8) <= limit) orders++
            if (orders == 0) {
              unaffordable -= tooDear
              state = STOPPED
              store<i32>(at, i, ENDED * 4)
              store<i32>(at, 1, OUT_OF_CASH * 4)
              break
            }
            unaffordable += capped - orders
            last = table + usize(orders - 1) * ROW_BYTES
            if (orders < capped) cut = last
          }
        }
        state = IN_DEAL
        start = i
        row = table
        if (shares && family != 0) {
          known = isSure ? findDeal(family, i, i - from) : UNKNOWN
          deepest = isSure ? table : last // a deal that is not sure is not shared
          ambiguousBefore = ambiguous
          // Another config of the family made this deal. If it closed above our last rung, we take its result without computing
          // levels.
          if (
            levelsPerDeal &&
            known != UNKNOWN &&
            table + usize(deepestOf(known)) * ROW_BYTES < last &&
            endOf(known) != OPEN_END &&
            (!observes || risk.observeKnown(watch, known, endOf(known), profitOf(known)))
          ) {
            ambiguous += ambiguousOf(known)
            realized += profitOf(known)
            lost += min(profitOf(known), 0)
            deals++
            wins += i32(profitOf(known) > 0)
            rowsFilled += usize(filledOf(known)) * ROW_BYTES
            i = endOf(known)
            known = UNKNOWN
            if (i - start >= longestCandles) {
              longest = max(longest, timeFrom(start, i))
              longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
            }
            state = FLAT
            continue
          }
        }
        if (levelsPerDeal) {
          levels.Rows.enter(table, af, scale, last)
          entered = table
          scale = 1
        }
        floor = floorAt(row, scale, cut)
        ceiling = ceilingAt(row, scale)
        if (observes) trailEnd = risk.Trail.hold(trail, i, row)
        if (logs) {
          store<i32>(logInt, i)
          store<i32>(logInt, OPENED + (row == last ? FULL : 0), 4)
          store<f64>(logFloat, load<f64>(row, QUANTITY * 8) / scale)
          store<f64>(logFloat, load<f64>(row, COST * 8), 8)
          store<f64>(logFloat, floor, 16)
          store<f64>(logFloat, ceiling, 24)
          logInt += LOG_INTS * 4
          logFloat += LOG_FLOATS * 8
        }
      }

      let kind = SOLD
      let isDecided = false
      if (shares && known != UNKNOWN) {
        const entry = known
        const isOpen = endOf(entry) == OPEN_END
        known = UNKNOWN
        if (
          table + usize(deepestOf(entry)) * ROW_BYTES < last &&
          (!observes || risk.observeKnown(watch, entry, isOpen ? to : endOf(entry), isOpen ? NaN : profitOf(entry)))
        ) {
          isKnown = true
          row = table + usize(filledOf(entry)) * ROW_BYTES
          ambiguous += ambiguousOf(entry)
          deepest = last // this part is in the memo already
          if (levelsPerDeal) entered = enterUpTo(slot, row, entered, last)
          if (isOpen) {
            floor = floorAt(row, scale, cut)
            ceiling = ceilingAt(row, scale)
            break
          }
          i = endOf(entry)
          isDecided = true
        }
      }

      if (!isDecided) {
        i = Search.nextTouch(i, to, floor, ceiling)
        if (i >= to) break
        const lowPrice = load<f64>(low + (usize(i) << 3))
        if (lowPrice <= floor) {
          if (row < last) {
            let deeper = row + ROW_BYTES
            if (levelsPerDeal) entered = enterUpTo(slot, deeper, entered, last)
            let next = floorAt(deeper, scale, cut)
            while (lowPrice <= next && deeper < last) {
              deeper += ROW_BYTES
              if (levelsPerDeal) entered = enterUpTo(slot, deeper, entered, last)
              next = floorAt(deeper, scale, cut)
            }
            const lowered = ceilingAt(deeper, scale)
            const highPrice = load<f64>(high + (usize(i) << 3))
            if (lowPrice > next && highPrice < lowered && highPrice < ceiling) {
              kind = BOUGHT
              row = deeper
              if (shares && deeper > deepest) deepest = deeper
              floor = next
              ceiling = lowered
              isDecided = true
            }
          }
          if (!isDecided) {
            walkRareCandle(i, scale, row, last)
            ambiguous += i32(isAmbiguous)
            if (shares && deepestRow > deepest) deepest = deepestRow
            row = endRow
            kind = endKind
            if (kind == BOUGHT) {
              floor = floorAt(row, scale, cut)
              ceiling = ceilingAt(row, scale)
            }
          }
        }
      }

      if (logs) {
        const sold = kind == STOPPED_OUT ? stopFill : load<f64>(row, TAKE_PROFIT * 8) * scale
        store<i32>(logInt, i)
        store<i32>(logInt, kind + (row == last ? FULL : 0) + (i32((row - table) / ROW_BYTES) << FILLED_SHIFT), 4)
        store<f64>(logFloat, load<f64>(row, QUANTITY * 8) / scale)
        store<f64>(logFloat, load<f64>(row, COST * 8), 8)
        store<f64>(logFloat, kind == BOUGHT ? floor : sold, 16)
        store<f64>(logFloat, ceiling, 24)
        logInt += LOG_INTS * 4
        logFloat += LOG_FLOATS * 8
      }
      if (kind == BOUGHT) {
        if (observes) trailEnd = risk.Trail.hold(trailEnd, i, row)
        continue
      }

      let profit = levelsPerDeal ? NaN : load<f64>(row, PROFIT * 8)
      if (kind == STOPPED_OUT) profit = profitAt(row, scale, stopFill)
      else if (isNaN(profit)) profit = profitAt(row, scale, load<f64>(row, TAKE_PROFIT * 8) * scale)
      if (observes && !isKnown) risk.observeClosed(watch, trailEnd, i, kind, row, last, scale, floor, ceiling, profit)
      realized += profit
      lost += min(profit, 0)
      deals++
      wins += i32(profit > 0)
      rowsFilled += row - table
      if (i - start >= longestCandles) {
        longest = max(longest, timeFrom(start, i))
        longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
      }
      state = FLAT
      if (kind == STOPPED_OUT) {
        stops++
        if (stopsAfterLoss) {
          state = STOPPED
          store<i32>(at, i + 1, ENDED * 4)
          break
        }
      } else if (
        shares &&
        family != 0 &&
        deepest < last &&
        ambiguous - ambiguousBefore <= MOST_AMBIGUOUS &&
        (!observes || risk.fitsMemo())
      ) {
        const filled = i32((row - table) / ROW_BYTES)
        const seen = i32((deepest - table) / ROW_BYTES)
        const before = start < from ? filledBefore : 0
        const entry = tellDeal(family, from, start, before, i, filled, seen, ambiguous - ambiguousBefore, profit)
        if (observes) risk.tellRisk(entry)
      }
    }

    if (observes && state == IN_DEAL && !isKnown) risk.observeOpen(watch, trailEnd, row, last, scale, floor)
    if (
      shares &&
      family != 0 &&
      state == IN_DEAL &&
      deepest < last &&
      ambiguous - ambiguousBefore <= MOST_AMBIGUOUS &&
      (!observes || risk.fitsMemo())
    ) {
      const filled = i32((row - table) / ROW_BYTES)
      const seen = i32((deepest - table) / ROW_BYTES)
      const before = start < from ? filledBefore : 0
      const entry = tellDeal(family, from, start, before, OPEN_END, filled, seen, ambiguous - ambiguousBefore, 0)
      if (observes) risk.tellRisk(entry)
    }
    if (!levelsPerDeal) {
      // The same of every deal, so it need not be counted deal by deal.
      const opened = deals + i32(state == IN_DEAL) - i32(load<i32>(at, STATE * 4) == IN_DEAL)
      add(at + UNPLACED * 4, opened * load<i32>(at, UNPLACED_OF_DEAL * 4))
    }
    store<i32>(at, state, STATE * 4)
    store<i32>(at, start, START * 4)
    store<i32>(at, i32((row - table) / ROW_BYTES), FILLED * 4)
    store<i32>(at, state == IN_DEAL ? i32((last - table) / ROW_BYTES) : 0, PLACED * 4)
    add(at + DEALS * 4, deals)
    add(at + WINS * 4, wins)
    add(at + STOPS * 4, stops)
    add(at + FILLS * 4, i32(rowsFilled / ROW_BYTES))
    add(at + AMBIGUOUS * 4, ambiguous)
    add(at + UNAFFORDABLE * 4, unaffordable)
    store<f64>(af, scale, SCALE * 8)
    store<f64>(af, realized, REALIZED * 8)
    store<f64>(af, lost, LOST * 8)
    store<f64>(af, longest, LONGEST * 8)
    store<f64>(af, floor, FLOOR * 8)
    store<f64>(af, ceiling, CEILING * 8)
    return i32((logInt - logInts) / (LOG_INTS * 4))
  }
}

/** The price at which the next order or the stop is touched: the next order, else the stop, else −∞. */
function floorAt(row: usize, scale: f64, cut: usize): f64 {
  if (row != cut) return load<f64>(row, NEXT * 8) * scale * above
  const stop = load<f64>(row, STOP * 8) * scale
  return stop > 0 ? stop * above : -Infinity
}

function ceilingAt(row: usize, scale: f64): f64 {
  return load<f64>(row, TAKE_PROFIT * 8) * scale * below
}

function profitAt(row: usize, scale: f64, price: f64): f64 {
  return (load<f64>(row, QUANTITY * 8) / scale) * price * keep - load<f64>(row, COST * 8)
}

/** From the open of one candle to the end of another, ms. */
function timeFrom(start: i32, end: i32): f64 {
  return load<f64>(openTime + (usize(end) << 3)) + intervalMs - load<f64>(openTime + (usize(start) << 3))
}

/** Writes the rows up to this one that are not written yet; returns the deepest that is. */
function enterUpTo(slot: i32, row: usize, entered: usize, last: usize): usize {
  let deepest = entered
  while (deepest < row) {
    deepest += ROW_BYTES
    levels.enterRow(slot, deepest, last)
  }
  return deepest
}

function add(at: usize, count: i32): void {
  store<i32>(at, load<i32>(at) + count)
}
