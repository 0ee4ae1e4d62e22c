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
  CANDLES_FULL,
  CAPPED,
  CASH,
  CEILING,
  COST,
  DEALS,
  DEEPEST,
  ENDED,
  FAMILY,
  FIELD_INVESTMENT,
  FILLED,
  FILLED_SHIFT,
  FILLS,
  FIRST,
  FLAT,
  FLOATING_LOSS,
  FLOATS,
  FLOOR,
  FULL,
  IN_DEAL,
  INTS,
  LAST,
  LOG_FLOATS,
  LOG_INTS,
  LONGEST,
  LOST,
  NEED,
  NEXT,
  OPENED,
  ORDERS,
  OUT_OF_CASH,
  PEAK,
  PLACED,
  POSSIBLE_PEAK,
  PROFIT,
  QUANTITY,
  REALIZED,
  ROW,
  SCALE,
  SOLD,
  SOLD_AFTER_LOW,
  START,
  STATE,
  STOP,
  STOPPED,
  STOPPED_OUT,
  STOPS,
  SURE_ORDERS,
  TABLE,
  TAKE_PROFIT,
  UNAFFORDABLE,
  UNPLACED,
  UNPLACED_OF_DEAL,
  USED_MAX,
  USED_SUM,
  WATCH,
  WINS,
} from '../layout'
import * as days from './day-ends'
import { countDuration } from './durations'
import { decidePeak, Trail, Worth } from './holdings'
import * as levels from './levels'
import {
  ambiguousOf,
  beginFamily,
  deepestOf,
  endOf,
  filledOf,
  findCarried,
  isStopped,
  keepOrders,
  keepSums,
  Memo,
  MOST_AMBIGUOUS,
  noteDeal,
  OPEN_END,
  ordersOf,
  profitOf,
  UNKNOWN,
} from './memo'
import { deepestRow, endKind, endRow, isAmbiguous, stopFill, walkRareCandle } from './rare-candle'
import * as risk from './risk'
import {
  above,
  below,
  cap,
  durations,
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

// Which deals a slot shares.
const NO_DEALS = 0
const FAMILY_DEALS = 1
const ALL_DEALS = 2

/** Walks one config over the candles from ≤ i < to. */
export function walk(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRounded(slot, from, to)
  else if (load<i32>(ints + usize(slot) * (INTS * 4), FAMILY * 4) != 0) walkSharing(slot, from, to)
  else Walk.walk(slot, from, to, NO_DEALS, false, false, false, false, false)
}

/** For a config whose family has other members. */
function walkSharing(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, false, false, false, false, false)
}

/** For configs with tick or lot, where every deal is rounded separately. */
function walkRounded(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, true, false, false, false, false)
}

/** Walks one config and sums what its deals used. */
export function walkUsing(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRoundedUsing(slot, from, to)
  else if (load<i32>(ints + usize(slot) * (INTS * 4), FAMILY * 4) != 0) walkSharingUsing(slot, from, to)
  else Walk.walk(slot, from, to, NO_DEALS, false, false, true, false, false)
}

function walkSharingUsing(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, false, false, true, false, false)
}

function walkRoundedUsing(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, true, false, true, false, false)
}

/** Walks one config and sums what its deals used and its daily returns. */
export function walkReturns(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRoundedReturns(slot, from, to)
  else walkSharingReturns(slot, from, to)
}

function walkSharingReturns(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, false, false, true, true, false)
}

function walkRoundedReturns(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, true, false, true, true, false)
}

/** Walks one config and observes all that metrics need. */
export function walkWatched(slot: i32, from: i32, to: i32): void {
  if (levelsPerDeal) walkRoundedWatched(slot, from, to)
  else if (load<i32>(ints + usize(slot) * (INTS * 4), FAMILY * 4) != 0) walkSharingWatched(slot, from, to)
  else Walk.walk(slot, from, to, NO_DEALS, false, false, true, true, true)
}

function walkSharingWatched(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, false, false, true, true, true)
}

function walkRoundedWatched(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, FAMILY_DEALS, true, false, true, true, true)
}

/** Walks a slot of a flight whose slots all have one config, and observes all that metrics need. */
export function walkStart(slot: i32, from: i32, to: i32): void {
  Walk.walk(slot, from, to, ALL_DEALS, true, false, true, true, true)
}

/** Walks one config without shared deals and logs what happened; returns the number of log entries. */
export function walkLogged(slot: i32, from: i32, to: i32): i32 {
  return levelsPerDeal
    ? walkRoundedLogged(slot, from, to)
    : Walk.walk(slot, from, to, NO_DEALS, false, true, false, false, false)
}

function walkRoundedLogged(slot: i32, from: i32, to: i32): i32 {
  return Walk.walk(slot, from, to, NO_DEALS, true, true, false, false, false)
}

class Walk {
  /** Inlined into each caller, where the six flags are constants: the compiler removes what a caller does not use. */
  @inline
  static walk(
    slot: i32,
    from: i32,
    blockEnd: i32,
    shares: i32,
    levelsPerDeal: bool,
    logs: bool,
    uses: bool,
    returns: bool,
    observes: bool,
  ): i32 {
    const isOneConfig = shares == ALL_DEALS
    const at = ints + usize(slot) * (INTS * 4)
    const af = floats + usize(slot) * (FLOATS * 8)
    let state = load<i32>(at, STATE * 4)
    if (state == STOPPED) return 0
    // Candles of the block that are the config's own. Deals of its family may end behind them; it takes and reports none that does.
    const begin = max(from, load<i32>(at, FIRST * 4))
    const to = min(blockEnd, load<i32>(at, LAST * 4))
    if (begin >= to) return 0
    const endsBlock = to == blockEnd
    const family = shares ? load<i32>(at, FAMILY * 4) : 0
    const marketBuy: f64 = 1 + slippageRate
    let logInt = logInts
    let logFloat = logFloats

    const table = tables + (usize(load<i32>(at, TABLE * 4)) << 3)
    let scale = load<f64>(af, SCALE * 8)
    let realized = load<f64>(af, REALIZED * 8)
    const investment = load<f64>(af, FIELD_INVESTMENT * 8)
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
    // The deepest row that has been written for this deal, as far as it is known (levels per deal only).
    let entered = row
    // The last row of a deal that places all its orders; without any, a row before the first.
    const allPlaced = table + usize((levelsPerDeal ? load<i32>(at, SURE_ORDERS * 4) : capped) - 1) * ROW_BYTES
    let floor = load<f64>(af, FLOOR * 8)
    let ceiling = load<f64>(af, CEILING * 8)

    let deals = 0
    let wins = 0
    let stops = 0
    let rowsFilled: usize = 0
    let ambiguous = 0
    let unaffordable = 0
    let unplaced = 0

    // For sharing: a memo entry that may describe this deal, and what to record about it since it (or the block) began.
    let known = UNKNOWN
    let deepest = row
    let ambiguousBefore = 0
    const filledBefore = i32((row - table) / ROW_BYTES)
    const isFirst = !shares || family == 0 || beginFamily(family)
    if (shares && family != 0 && state == IN_DEAL) known = findCarried(start, filledBefore)

    // For what deals use: of the config, and of the deal in this block since its last fill.
    let usedSum: f64 = 0
    let usedMax: f64 = 0
    let since = from
    let used: f64 = 0

    // For observing. Of the config: what is recorded so far; `rest` is the fraction of a peak that is left after the deepest fall. Of the
    // deal in this block: its holdings, and what those before the last were worth at most. Above
    // the peak lies what it may have become in a deal that began in an earlier block.
    const watch = watches + usize(slot) * (WATCH * 8)
    let cash: f64 = 0
    let peak: f64 = 0
    let possiblePeak: f64 = 0
    let rest: f64 = 0
    let floatingLoss: f64 = 0
    let candlesFull = 0
    let trailEnd = trail
    let most: f64 = -Infinity
    let isKnown = false
    if (uses) {
      usedSum = load<f64>(watch, USED_SUM * 8)
      usedMax = load<f64>(watch, USED_MAX * 8)
    }
    if (returns) {
      days.beginConfigDays(watch, isFirst, to)
      cash = load<f64>(watch, CASH * 8)
      if (state == IN_DEAL) trailEnd = Trail.hold(trail, from, row)
      else days.endIdleDays(begin, cash)
    }
    if (observes) {
      peak = load<f64>(watch, PEAK * 8)
      possiblePeak = load<f64>(watch, POSSIBLE_PEAK * 8)
      rest = 1 - load<f64>(watch, DEEPEST * 8)
      floatingLoss = load<f64>(watch, FLOATING_LOSS * 8)
    }

    for (let i = begin; i < to; i++) {
      const begins = state == FLAT
      // Deals that other starts made, one after another, as long as the order of candles within a deal changes no record.
      if (isOneConfig && begins && possiblePeak <= peak) {
        let entry = Memo.find(i, i - from)
        let dayAt = days.endOfDays
        let orderSums = i32x4.splat(0)
        let dealSums = i32x4.splat(0)
        while (entry != UNKNOWN) {
          const end = endOf(entry)
          // As a number without a sign OPEN_END is beyond every candle.
          if (u32(end) >= u32(to)) break
          const orders = ordersOf(entry)
          if (!levels.Rows.areRemembered(orders, investment + realized)) break
          const profit = profitOf(entry)
          const equity = cash + profit
          const top = equity > peak ? equity : peak
          if (cash + risk.DealTotals.highest(entry) > top) break
          const least = risk.DealTotals.lowest(entry)
          if (cash + load<f64>(orders, levels.LEAST) < top * rest || least < floatingLoss) {
            if (!risk.resolveBelow(watch, entry, peak, cash, profit)) break
            rest = 1 - load<f64>(watch, DEEPEST * 8)
            if (least < floatingLoss) floatingLoss = least
          }
          peak = top
          dayAt = days.Known.listDays(dayAt, entry, load<i32>(orders, levels.DAYS), cash)
          cash = equity
          realized += profit
          lost += load<f64>(orders, levels.LOSS)
          usedSum += risk.Use.sum(entry)
          if (risk.Use.most(entry) > usedMax) usedMax = risk.Use.most(entry)
          orderSums = i32x4.add(orderSums, v128.load(orders, levels.ORDER_COUNTS))
          dealSums = i32x4.add(dealSums, v128.load(orders, levels.DEAL_COUNTS))
          deals++
          if (durations != 0) countDuration(slot, intervalsFrom(i, end))
          if (end - i >= longestCandles) {
            longest = max(longest, timeFrom(i, end))
            longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
          }
          i = end + 1
          if (i >= to) break
          entry = Memo.after(entry, i, i - from)
        }
        possiblePeak = peak
        days.endDaysBefore(dayAt)
        unaffordable += i32x4.extract_lane(orderSums, 1)
        unplaced += i32x4.extract_lane(orderSums, 2)
        candlesFull += i32x4.extract_lane(orderSums, 3)
        rowsFilled += usize(i32x4.extract_lane(dealSums, 0)) * ROW_BYTES
        ambiguous += i32x4.extract_lane(dealSums, 1)
        stops += i32x4.extract_lane(dealSums, 2) & 0xffff
        wins += i32x4.extract_lane(dealSums, 2) >>> 16
        if (i >= to) break
      }
      // Deals that others of the family made, one after another, as long as all orders are placed and no record but the peak changes. A loop
      // of its own, because the compiler keeps its few numbers in registers; all other deals are taken below.
      if (shares && !isOneConfig && family != 0 && begins) {
        for (; i < to; ) {
          const entry = Memo.find(i, i - from)
          if (entry == UNKNOWN) break
          const money = investment + realized
          if (
            levelsPerDeal
              ? !levels.Rows.areSure(af, load<f64>(open + (usize(i) << 3)) * marketBuy, money)
              : need > money * cap
          )
            break
          const end = endOf(entry)
          // As a number without a sign OPEN_END is beyond every candle.
          if (u32(end) >= u32(to)) break
          if (table + usize(deepestOf(entry)) * ROW_BYTES >= allPlaced) break
          const profit = profitOf(entry)
          if (observes) {
            const equity = cash + profit
            const top = equity > peak ? equity : peak
            const least = risk.DealTotals.lowest(entry)
            const atMost = cash + risk.DealTotals.highest(entry)
            if (
              equity < top * rest ||
              atMost > top ||
              possiblePeak > top ||
              least < floatingLoss ||
              cash + least < top * rest
            )
              break
            peak = top
            possiblePeak = top
          }
          if (returns) {
            days.Known.endDays(entry, end, cash)
            cash += profit
          }
          if (uses) {
            usedSum += risk.Use.sum(entry)
            if (risk.Use.most(entry) > usedMax) usedMax = risk.Use.most(entry)
          }
          if (!levelsPerDeal) unaffordable += tooDear
          ambiguous += ambiguousOf(entry)
          realized += profit
          if (profit > 0) wins++
          else lost += profit
          deals++
          rowsFilled += usize(filledOf(entry)) * ROW_BYTES
          if (durations != 0) countDuration(slot, intervalsFrom(i, end))
          if (end - i >= longestCandles) {
            longest = max(longest, timeFrom(i, end))
            longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
          }
          i = end + 1
        }
        if (i >= to) break
      }
      if (begins) {
        scale = load<f64>(open + (usize(i) << 3)) * marketBuy
        let isSure = true
        if (levelsPerDeal) {
          last = allPlaced
          const money = investment + realized
          if (isOneConfig || !levels.Rows.areSure(af, scale, money)) {
            const entry = isOneConfig ? Memo.find(i, i - from) : UNKNOWN
            if (entry != UNKNOWN && levels.Rows.areRemembered(ordersOf(entry), money))
              levels.recallOrders(ordersOf(entry))
            else levels.countOrders(at, af, scale, money)
            isSure = levels.isSure
            if (levels.placed == 0) {
              state = STOPPED
              store<i32>(at, i, ENDED * 4)
              store<i32>(at, 1, OUT_OF_CASH * 4)
              break
            }
            last = table + usize(levels.placed - 1) * ROW_BYTES
            unaffordable += levels.unaffordable
            unplaced += levels.unplaced
          }
        } else {
          const limit = (investment + realized) * cap
          last = allPlaced
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
          const isShared = isOneConfig || isSure
          known = isShared ? Memo.find(i, i - from) : UNKNOWN
          deepest = isShared ? table : last // other configs may have other orders in it
          ambiguousBefore = ambiguous
        }
      }

      // Another config of the family made this deal. If it stayed above our last rung, we take its result.
      if (shares && known != UNKNOWN) {
        const entry = known
        known = UNKNOWN
        const end = endOf(entry)
        const profit = profitOf(entry)
        let isTaken = end == OPEN_END ? endsBlock : end < to
        if (isTaken)
          isTaken = isOneConfig ? Memo.fits(entry, table, last) : table + usize(deepestOf(entry)) * ROW_BYTES < last
        if (observes && isTaken) {
          const equity = cash + profit // of an open deal the profit is 0
          const top = equity > peak ? equity : peak
          const least = risk.DealTotals.lowest(entry)
          const atMost = cash + risk.DealTotals.highest(entry)
          const bound = atMost > possiblePeak ? atMost : possiblePeak
          if (bound <= top && least >= floatingLoss && cash + least >= top * rest && equity >= top * rest) {
            peak = top
            possiblePeak = top
          } else if (end == OPEN_END && least >= floatingLoss && cash + least >= bound * rest) possiblePeak = bound
          else {
            storeRecords(watch, cash, peak, floatingLoss)
            if (possiblePeak > peak) decidePeak(watch, table, scale, start, from, filledBefore)
            isTaken = risk.resolveKnown(watch, entry, end == OPEN_END ? NaN : profit)
            peak = load<f64>(watch, PEAK * 8)
            possiblePeak = peak
            rest = 1 - load<f64>(watch, DEEPEST * 8)
            floatingLoss = load<f64>(watch, FLOATING_LOSS * 8)
          }
        }
        if (isTaken) {
          if (returns) {
            days.Known.endDays(entry, end == OPEN_END ? to - 1 : end, cash)
            cash += profit
          }
          if (uses) {
            usedSum += risk.Use.sum(entry)
            if (risk.Use.most(entry) > usedMax) usedMax = risk.Use.most(entry)
          }
          if (isOneConfig) {
            candlesFull += load<i32>(ordersOf(entry), levels.FULL)
            stops += i32(isStopped(entry))
          }
          ambiguous += ambiguousOf(entry)
          if (end == OPEN_END) {
            if (levelsPerDeal) {
              if (begins) {
                levels.Rows.enter(table, af, scale, last)
                entered = table
                scale = 1
              }
              row = table + usize(filledOf(entry)) * ROW_BYTES
              entered = enterUpTo(table, af, row, entered, last)
            } else row = table + usize(filledOf(entry)) * ROW_BYTES
            floor = floorAt(row, scale, cut)
            ceiling = ceilingAt(row, scale)
            deepest = last // this part is in the memo already
            isKnown = true
            break
          }
          realized += profit
          if (profit > 0) wins++
          else lost += profit
          deals++
          rowsFilled += usize(filledOf(entry)) * ROW_BYTES
          i = end
          if (durations != 0) countDuration(slot, intervalsFrom(start, i))
          if (i - start >= longestCandles) {
            longest = max(longest, timeFrom(start, i))
            longestCandles = i32(Math.floor((longest - missingMs) / intervalMs))
          }
          state = FLAT
          continue
        }
      }

      if (begins) {
        if (levelsPerDeal) {
          levels.Rows.enter(table, af, scale, last)
          entered = table
          scale = 1
        }
        floor = floorAt(row, scale, cut)
        ceiling = ceilingAt(row, scale)
        if (uses) {
          since = i
          used = 0
        }
        if (returns) trailEnd = Trail.hold(trail, i, row)
        if (observes) most = -Infinity
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

      // The row that may be next is written ahead: its divisions run beside the search, which would have to wait for them later.
      if (levelsPerDeal && entered == row && row < last) entered = enterUpTo(table, af, row + ROW_BYTES, entered, last)
      i = Search.nextTouch(i, to, floor, ceiling)
      if (i >= to) break
      const held = row
      let kind = SOLD
      const lowPrice = load<f64>(low + (usize(i) << 3))
      if (lowPrice <= floor) {
        let isDecided = false
        if (row < last) {
          let deeper = row + ROW_BYTES
          let next = floorAt(deeper, scale, cut)
          while (lowPrice <= next && deeper < last) {
            deeper += ROW_BYTES
            if (levelsPerDeal) entered = enterUpTo(table, af, deeper, entered, last)
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
        if (uses) {
          used += load<f64>(held, COST * 8) * f64(i - since)
          since = i
        }
        if (observes) {
          const atTarget = worthAtTarget(held, scale, levelsPerDeal)
          if (atTarget > most) most = atTarget
        }
        if (returns) trailEnd = Trail.hold(trailEnd, i, row)
        continue
      }

      let profit = levelsPerDeal ? NaN : load<f64>(row, PROFIT * 8)
      if (kind == STOPPED_OUT) profit = profitAt(row, scale, stopFill)
      else if (isNaN(profit)) profit = profitAt(row, scale, load<f64>(row, TAKE_PROFIT * 8) * scale)
      let least: f64 = 0
      let leastAtClose: f64 = NaN
      let full = 0
      if (uses) {
        const cost = load<f64>(row, COST * 8)
        used += load<f64>(held, COST * 8) * f64(i - since) + cost
        usedSum += used
        if (cost > usedMax) usedMax = cost
      }
      if (observes) {
        least = Worth.at(held, levelsPerDeal ? 1 : scale, max(floor, risk.blockLow))
        if (held != row) {
          const atTarget = worthAtTarget(held, scale, levelsPerDeal)
          if (atTarget > most) most = atTarget
          if (kind == SOLD_AFTER_LOW) least = min(least, Worth.at(row, scale, lowPrice))
        }
        const equity = cash + profit
        const top = equity > peak ? equity : peak
        const atMost = cash + most
        const bound = atMost > possiblePeak ? atMost : possiblePeak
        if (
          bound <= top &&
          least >= floatingLoss &&
          cash + least >= top * rest &&
          equity >= top * rest && // a take profit below the fees loses
          kind != STOPPED_OUT
        )
          peak = top
        else {
          storeRecords(watch, cash, peak, floatingLoss)
          if (possiblePeak > peak) decidePeak(watch, table, scale, start, from, filledBefore)
          risk.resolveClosed(watch, trailEnd, i, kind, row, scale, ceiling, profit, most, isOneConfig)
          least = risk.lowest
          leastAtClose = risk.lowestAtClose
          most = risk.highest
          peak = load<f64>(watch, PEAK * 8)
          rest = 1 - load<f64>(watch, DEEPEST * 8)
          floatingLoss = load<f64>(watch, FLOATING_LOSS * 8)
        }
        possiblePeak = peak
        if (row == last) full = held == last ? i - since + 1 : 1
        candlesFull += full
      }
      if (returns) {
        if (isOneConfig || days.dayCandle <= i) days.endDays(trailEnd, i, scale, cash, profit)
        cash += profit
      }
      realized += profit
      if (profit > 0) wins++
      else lost += profit
      deals++
      rowsFilled += row - table
      if (durations != 0) countDuration(slot, intervalsFrom(start, i))
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
      }
      if (
        shares &&
        family != 0 &&
        (isOneConfig || (deepest < last && kind != STOPPED_OUT)) &&
        ambiguous - ambiguousBefore <= MOST_AMBIGUOUS &&
        (!returns || days.fitsMemo())
      ) {
        const filled = i32((row - table) / ROW_BYTES)
        const seen = i32((deepest - table) / ROW_BYTES)
        const before = start < from ? filledBefore : 0
        const entry = noteDeal(from, start, before, i, filled, seen, ambiguous - ambiguousBefore, profit)
        if (uses) risk.Use.add(entry, used, load<f64>(row, COST * 8))
        if (returns) days.noteDays(entry)
        if (observes) risk.DealTotals.add(entry, least, leastAtClose, most)
        if (isOneConfig) {
          keepOrders(entry, deepest == last, kind == STOPPED_OUT, full)
          keepSums(entry, days.daysKept(), least)
        }
      }
    }

    const isOpen = state == IN_DEAL && !isKnown
    let least: f64 = 0
    let leastAtClose: f64 = NaN
    let full = 0
    if (uses && isOpen) {
      const cost = load<f64>(row, COST * 8)
      used += cost * f64(to - since)
      usedSum += used
      usedMax = max(usedMax, cost)
    }
    if (observes && isOpen) {
      least = Worth.at(row, scale, max(floor, risk.blockLow))
      most = max(most, min(worthAtTarget(row, scale, levelsPerDeal), Worth.at(row, scale, risk.blockTop)))
      const before = possiblePeak
      possiblePeak = max(before, cash + most)
      if (least < floatingLoss || cash + least < possiblePeak * rest) {
        storeRecords(watch, cash, peak, floatingLoss)
        if (!risk.narrowOpen(watch, trailEnd, to, scale, possiblePeak, most)) {
          if (before > peak) decidePeak(watch, table, scale, start, from, filledBefore)
          risk.searchHoldings(watch, trailEnd, to, scale)
          peak = load<f64>(watch, PEAK * 8)
          possiblePeak = peak
          floatingLoss = load<f64>(watch, FLOATING_LOSS * 8)
        }
        least = risk.lowest
        leastAtClose = risk.lowestAtClose
        most = risk.highest
      }
      if (row == last) full = to - since
      candlesFull += full
    }
    if (returns && isOpen && days.dayCandle < to) days.endDays(trailEnd, to, scale, cash, 0)
    if (
      shares &&
      family != 0 &&
      isOpen &&
      endsBlock &&
      (isOneConfig || deepest < last) &&
      ambiguous - ambiguousBefore <= MOST_AMBIGUOUS &&
      (!returns || days.fitsMemo())
    ) {
      const filled = i32((row - table) / ROW_BYTES)
      const seen = i32((deepest - table) / ROW_BYTES)
      const before = start < from ? filledBefore : 0
      const entry = noteDeal(from, start, before, OPEN_END, filled, seen, ambiguous - ambiguousBefore, 0)
      if (uses) risk.Use.add(entry, used, load<f64>(row, COST * 8))
      if (returns) days.noteDays(entry)
      if (observes) risk.DealTotals.add(entry, least, leastAtClose, most)
      if (isOneConfig) keepOrders(entry, deepest == last, false, full)
    }
    if (uses) {
      store<f64>(watch, usedSum, USED_SUM * 8)
      store<f64>(watch, usedMax, USED_MAX * 8)
    }
    if (returns) {
      store<f64>(watch, cash, CASH * 8)
      days.endConfigDays(watch)
    }
    if (observes) {
      storeRecords(watch, cash, peak, floatingLoss)
      store<f64>(watch, possiblePeak, POSSIBLE_PEAK * 8)
      store<f64>(watch, load<f64>(watch, CANDLES_FULL * 8) + f64(candlesFull), CANDLES_FULL * 8)
    }
    if (levelsPerDeal) add(at + UNPLACED * 4, unplaced)
    else {
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

/** The deal's profit if it were sold at the take profit of a row. */
function worthAtTarget(row: usize, scale: f64, levelsPerDeal: bool): f64 {
  const profit = levelsPerDeal ? NaN : load<f64>(row, PROFIT * 8)
  return isNaN(profit) ? profitAt(row, scale, load<f64>(row, TAKE_PROFIT * 8) * scale) : profit
}

function storeRecords(watch: usize, cash: f64, peak: f64, floatingLoss: f64): void {
  store<f64>(watch, cash, CASH * 8)
  store<f64>(watch, peak, PEAK * 8)
  store<f64>(watch, floatingLoss, FLOATING_LOSS * 8)
}

function profitAt(row: usize, scale: f64, price: f64): f64 {
  return (load<f64>(row, QUANTITY * 8) / scale) * price * keep - load<f64>(row, COST * 8)
}

/** From the open of one candle to the end of another, ms. */
function timeFrom(start: i32, end: i32): f64 {
  return load<f64>(openTime + (usize(end) << 3)) + intervalMs - load<f64>(openTime + (usize(start) << 3))
}

/** The same in intervals: whole, as durations are counted only where all candles lie on their interval. */
function intervalsFrom(start: i32, end: i32): i32 {
  return missingMs == 0 ? end - start + 1 : i32(timeFrom(start, end) / intervalMs)
}

/** Writes the rows up to this one that are not written yet; returns the deepest that is. */
function enterUpTo(table: usize, af: usize, row: usize, entered: usize, last: usize): usize {
  if (row <= entered) return entered
  levels.enterRows(table, af, entered, row, last)
  return row
}

function add(at: usize, count: i32): void {
  store<i32>(at, load<i32>(at) + count)
}
