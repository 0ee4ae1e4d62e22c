/**
 * The levels of deals that are rounded each by itself, as `../../levels.ts` computes them, to the same doubles. What does not depend on the
 * start price is in `rungs`; a row is written when the deal reaches it, together with the price of the row after it.
 */
import {
  CONFIGURED,
  COST,
  COST_PER_PRICE,
  FIELD_DCA_TOTAL_BUDGET,
  NEXT,
  PRICE,
  QUANTITY,
  QUOTE,
  ROW,
  RUNG,
  RUNG_COST,
  RUNG_RATIO,
  RUNG_SHIFT,
  RUNG_SIZE,
  STOP,
  STOP_RATIO,
  SURE_COST,
  SURE_HIGH,
  SURE_LOW,
  SURE_ORDERS,
  TABLE,
  TAKE_PROFIT,
  TAKE_PROFIT_RATIO,
} from '../layout'
import { Round } from './rounding'
import {
  above,
  anchorRatio,
  cap,
  leastNotional,
  lot,
  lotUp,
  rungs,
  stopUnderAverage,
  tables,
  tick,
  withFee,
} from './scene'

const ROW_BYTES: usize = ROW * 8
/** Much larger than rounding errors of sums, much smaller than any step. */
const MARGIN: f64 = 1e-9

/** Orders of the deal that exist, those of them that its cap allows, and the others. */
let existing: i32 = 0
export let placed: i32 = 0
export let unaffordable: i32 = 0
/** Orders that are too small. */
export let unplaced: i32 = 0
/** The same orders exist and are placed with any cash, times its tolerance, from the one up to, and without, the other. */
let leastCash: f64 = 0
let mostCash: f64 = 0
/** What is known of them follows from the start price and the cap alone; otherwise all rows were written and counted. */
export let isSure: bool = false

/**
 * Counts the orders of a slot's deal that begins at this start price with this cash, where the cap does not surely pay for all of them, or they
 * are not known; `placed`, `unaffordable`, `unplaced` and `isSure` say what it found.
 */
export function countOrders(at: usize, af: usize, startPrice: f64, cash: f64): void {
  const budget = load<f64>(af, FIELD_DCA_TOTAL_BUDGET * 8) * cap
  const limit = min(cash * cap, budget)
  const table = rowsOf(at)
  isSure = startPrice >= load<f64>(af, SURE_LOW * 8) && startPrice <= load<f64>(af, SURE_HIGH * 8)
  if (isSure) {
    existing = load<i32>(at, SURE_ORDERS * 4)
    unplaced = 0
    countAffordable(rungOf(table), startPrice * load<f64>(af, COST_PER_PRICE * 8), limit)
  }
  if (!isSure) writeAllRows(at, af, startPrice, limit)
  unaffordable = existing - placed
  // The budget allows no more, whatever the cash.
  if (mostCash > budget) mostCash = Infinity
}

/** Counts the orders that surely fit a cap, and whether surely no other does. Lots make a cost larger or smaller by less than `within`. */
function countAffordable(rung: usize, within: f64, limit: f64): void {
  const more = lotUp ? within : 0
  const less = lotUp ? 0 : within
  placed = existing
  mostCash = Infinity
  while (placed > 0) {
    const cost = load<f64>(rung + usize(placed - 1) * (RUNG * 8), RUNG_COST * 8)
    leastCash = cost * (1 + MARGIN) + more
    if (leastCash <= limit) return
    mostCash = cost * (1 - MARGIN) - less
    if (mostCash <= limit) {
      isSure = false
      return
    }
    placed--
  }
}

/** Writes all rows and counts them. */
function writeAllRows(at: usize, af: usize, startPrice: f64, limit: f64): void {
  const table = rowsOf(at)
  store<f64>(table, startPrice, PRICE * 8)
  const configured = load<i32>(at, CONFIGURED * 4)
  const anchor = startPrice * anchorRatio
  unplaced = 0
  existing = 0
  placed = 0
  mostCash = Infinity
  for (let k = 0; k < configured; k++) {
    const row = table + usize(existing) * ROW_BYTES
    const rung = rungOf(table) + usize(k) * (RUNG * 8)
    if (k > 0) {
      const unrounded = anchor * load<f64>(rung, RUNG_RATIO * 8)
      const price = tick > 0 ? Round.tickBelow(unrounded) : unrounded
      if (min(price, unrounded) <= load<f64>(row - ROW_BYTES, STOP * 8) * above) break
      // Below the first rung that is too small only counts go on.
      if (unplaced == 0) store<f64>(row, price, PRICE * 8)
    }
    if (unplaced > 0 || !Row.write(row, rung, k == 0, af, anchor, true)) {
      if (k == 0) break
      unplaced++
      continue
    }
    existing++
    if (placed < k) continue
    const cost = load<f64>(row, COST * 8)
    if (cost <= limit) {
      placed++
      leastCash = cost
    } else mostCash = cost
  }
}

/** Writes the rows below `entered` down to this one: each with its next level, and the price of the row after it if that is one of the deal's. */
export function enterRows(table: usize, af: usize, entered: usize, row: usize, last: usize): void {
  const anchor = load<f64>(table, PRICE * 8) * anchorRatio
  for (let deeper = entered + ROW_BYTES; deeper <= row; deeper += ROW_BYTES) {
    const rung = rungOf(deeper)
    Row.write(deeper, rung, false, af, anchor, false)
    Row.writeNext(deeper, rung, last, anchor)
  }
}

// What the memo says of a deal's orders.
const LEAST_CASH: usize = 0
const MOST_CASH: usize = 8
const PLACED: usize = 16
const UNAFFORDABLE: usize = 20
const UNPLACED: usize = 24
/** Candles on which all placed orders had filled. */
export const FULL: usize = 28
/** Four counts, of which the last three are UNAFFORDABLE, UNPLACED and FULL. */
export const ORDER_COUNTS: usize = PLACED
// Of a deal that has ended it also says what is summed when other starts make it.
/** Four counts: safety orders filled; ambiguous candles; 1 for a stop and 65,536 for a win; days that it ended. */
export const DEAL_COUNTS: usize = 32
export const DAYS: usize = 44
/** The profit where it is a loss, else 0. */
export const LOSS: usize = 48
/** The lowest worth, the profit included, or less. */
export const LEAST: usize = 56

/** Counts as `countOrders` does, from what was kept. */
export function recallOrders(at: usize): void {
  leastCash = load<f64>(at, LEAST_CASH)
  mostCash = load<f64>(at, MOST_CASH)
  placed = load<i32>(at, PLACED)
  unaffordable = load<i32>(at, UNAFFORDABLE)
  unplaced = load<i32>(at, UNPLACED)
}

/** Keeps the orders that were counted last. */
export function keepOrders(at: usize, full: i32): void {
  store<f64>(at, leastCash, LEAST_CASH)
  store<f64>(at, mostCash, MOST_CASH)
  store<i32>(at, placed, PLACED)
  store<i32>(at, unaffordable, UNAFFORDABLE)
  store<i32>(at, unplaced, UNPLACED)
  store<i32>(at, full, FULL)
}

/** How a deal begins: inlined into the walk. */
export class Rows {
  /** True when the same orders as were kept of this deal are placed with this cash. */
  @inline
  static areRemembered(at: usize, cash: f64): bool {
    return cash * cap >= load<f64>(at, LEAST_CASH) && cash * cap < load<f64>(at, MOST_CASH)
  }

  /** True when a deal that begins at this start price with this cash surely has all SURE_ORDERS orders. */
  @inline
  static areSure(af: usize, startPrice: f64, cash: f64): bool {
    const cost = load<f64>(af, SURE_COST * 8) + startPrice * load<f64>(af, COST_PER_PRICE * 8)
    return (
      startPrice >= load<f64>(af, SURE_LOW * 8) &&
      startPrice <= load<f64>(af, SURE_HIGH * 8) &&
      cost <= cash * cap &&
      cost <= load<f64>(af, FIELD_DCA_TOTAL_BUDGET * 8) * cap
    )
  }

  /** Writes the first row. */
  @inline
  static enter(table: usize, af: usize, startPrice: f64, last: usize): void {
    const anchor = startPrice * anchorRatio
    const rung = rungOf(table)
    store<f64>(table, startPrice, PRICE * 8)
    Row.write(table, rung, true, af, anchor, false)
    Row.writeNext(table, rung, last, anchor)
  }
}

class Row {
  /** Writes what follows from a row's price and the row before it. With `checks` it returns false for an order that is too small. */
  @inline
  static write(row: usize, rung: usize, isFirst: bool, af: usize, anchor: f64, checks: bool): bool {
    const price = load<f64>(row, PRICE * 8)
    const size = load<f64>(rung, RUNG_SIZE * 8)
    const bought = lot > 0 ? Round.lots(size / price) : size / price
    const spent = lot > 0 ? bought * price : size
    if (checks && !(price > 0 && bought > 0 && spent >= leastNotional)) return false
    let quantity = bought
    let quote = spent
    if (!isFirst) {
      quote = load<f64>(row - ROW_BYTES, QUOTE * 8) + spent
      quantity = load<f64>(row - ROW_BYTES, QUANTITY * 8) + bought
      if (lot > 0) quantity = Round.sumOfLots(quantity)
    }
    const ratio = load<f64>(af, TAKE_PROFIT_RATIO * 8)
    const average = quote / quantity
    // The average of one order is its price; the take profit of the first row, for which the search waits, needs no division for it.
    const nearby = (isFirst ? price : average) * ratio
    store<f64>(row, tick > 0 ? Round.tickAbove(average * ratio, nearby) : average * ratio, TAKE_PROFIT * 8)
    store<f64>(row, (stopUnderAverage ? average : anchor) * load<f64>(af, STOP_RATIO * 8), STOP * 8)
    store<f64>(row, quantity, QUANTITY * 8)
    store<f64>(row, quote, QUOTE * 8)
    store<f64>(row, quote * withFee, COST * 8)
    return true
  }

  @inline
  static writeNext(row: usize, rung: usize, last: usize, anchor: f64): void {
    if (row < last) {
      const unrounded = anchor * load<f64>(rung, (RUNG + RUNG_RATIO) * 8)
      const price = tick > 0 ? Round.tickBelow(unrounded) : unrounded
      store<f64>(row, price, (ROW + PRICE) * 8)
      store<f64>(row, price, NEXT * 8)
    } else {
      const stop = load<f64>(row, STOP * 8)
      store<f64>(row, stop > 0 ? stop : -Infinity, NEXT * 8)
    }
  }
}

function rowsOf(at: usize): usize {
  return tables + (usize(load<i32>(at, TABLE * 4)) << 3)
}

function rungOf(row: usize): usize {
  return rungs + ((row - tables) >> RUNG_SHIFT)
}
