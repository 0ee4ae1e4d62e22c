import type { Conventions, SymbolRules } from './conventions.ts'
import { type LadderTerms, nextDepthPercent } from './ladder-terms.ts'
import { type DecimalStep, decimalStep, roundDown, roundUp } from './rounding.ts'

/**
 * What a deal can do, computed when it starts: every order, and after every fill the take profit and the stop.
 *
 *     row k        0 (base order)   1        2        …   orders − 1
 *     price        P0               P1       P2           price of order k
 *     quote        Q0               Q0+Q1    …            gross quote spent once k safety orders have filled
 *     quantity     base held then;  cost = quote · (1 + fee);  takeProfit and stop = the levels in force then (stop 0 = none)
 *
 * All engines share this computation and nothing else. Without tick and lot everything is proportional to the start price P0
 * (prices · P0, quantities / P0, quote unchanged), so one table written at P0 = 1 serves every deal: see `createLevelWriter`.
 */
export interface Levels {
  /** Orders that exist, base order included: rows 0 … orders − 1 are valid. 0 = not even the base order can be placed. */
  orders: number
  readonly price: Float64Array
  readonly quote: Float64Array
  readonly quantity: Float64Array
  readonly cost: Float64Array
  readonly takeProfit: Float64Array
  readonly stop: Float64Array
}

/** A price touches a level that lies within this relative distance: algebraically equal formulas then decide alike. */
export const TOUCH = 1e-12
/** A ladder may cost this much (relative) more than its cap: one that costs exactly the budget is placed. */
const CAP_TOLERANCE = 1e-9

/** Tick, lot and minimum notional of a symbol, ready for use. */
interface OrderRules {
  readonly tick: DecimalStep | null
  readonly lot: DecimalStep | null
  readonly roundQuantity: (value: number, step: DecimalStep) => number
  readonly minNotional: number
}

export function orderRules(symbol: SymbolRules, lotRounding: Conventions['lotRounding']): OrderRules {
  return {
    tick: decimalStep(symbol.tick),
    lot: decimalStep(symbol.lot),
    roundQuantity: lotRounding === 'up' ? roundUp : roundDown,
    minNotional: symbol.minNotional ?? 0,
  }
}

export function createLevels(maxSafetyOrders: number): Levels {
  const column = () => new Float64Array(maxSafetyOrders + 1)
  return {
    orders: 0,
    price: column(),
    quote: column(),
    quantity: column(),
    cost: column(),
    takeProfit: column(),
    stop: column(),
  }
}

/**
 * Writes the levels of a deal whose base order fills at `startPrice`, caps aside. The ladder ends above the first rung that is 100 %
 * deep or more, lies at or below the stop in force before it, or is too small to be an order.
 */
export function writeLevels(terms: LadderTerms, rules: OrderRules, startPrice: number, levels: Levels): void {
  const anchor = startPrice * terms.anchorRatio
  levels.orders = 0
  if (!appendOrder(terms, rules, anchor, startPrice, terms.baseSize, levels)) return

  let depthPercent = 0
  let stepPercent = terms.firstStepPercent
  let size = terms.firstSize
  for (let k = 1; k <= terms.maxSafetyOrders; k++) {
    depthPercent = nextDepthPercent(terms, depthPercent, stepPercent)
    if (depthPercent >= 100) return
    const unrounded = anchor * (1 - depthPercent / 100)
    const price = rules.tick === null ? unrounded : roundDown(unrounded, rules.tick)
    if (price <= levels.stop[k - 1] * (1 + TOUCH)) return
    if (!appendOrder(terms, rules, anchor, price, size, levels)) return
    stepPercent *= terms.stepMultiplier
    size *= terms.volumeScale
  }
}

/** Adds the row of one more order; false when the order is too small to be placed (or its price has rounded to nothing). */
function appendOrder(
  terms: LadderTerms,
  rules: OrderRules,
  anchor: number,
  price: number,
  size: number,
  levels: Levels,
): boolean {
  const quantity = rules.lot === null ? size / price : rules.roundQuantity(size / price, rules.lot)
  const quote = rules.lot === null ? size : quantity * price
  if (!(price > 0 && quantity > 0 && quote >= rules.minNotional * (1 - TOUCH))) return false

  const row = levels.orders
  const heldQuote = row === 0 ? quote : levels.quote[row - 1] + quote
  const held = addQuantity(row === 0 ? 0 : levels.quantity[row - 1], quantity, rules.lot)
  const average = heldQuote / held // quote-weighted harmonic mean of the fill prices
  const takeProfit = average * terms.takeProfitRatio
  levels.price[row] = price
  levels.quote[row] = heldQuote
  levels.quantity[row] = held
  levels.cost[row] = heldQuote * (1 + terms.feeRate)
  levels.takeProfit[row] = rules.tick === null ? takeProfit : roundUp(takeProfit, rules.tick)
  levels.stop[row] = stopLevel(terms, anchor, average)
  levels.orders = row + 1
  return true
}

/** A sum of lots is a whole number of lots: 0.0055 + 0.004 is 0.0095, not 0.009500000000000001. */
function addQuantity(held: number, quantity: number, lot: DecimalStep | null): number {
  return lot === null ? held + quantity : roundDown(held + quantity, lot)
}

function stopLevel(terms: LadderTerms, anchor: number, average: number): number {
  if (terms.stopLossRate === 0) return 0
  return (terms.stopLossBasis === 'average' ? average : anchor) * (1 - terms.stopLossRate)
}

/**
 * How an engine gets the levels of one deal after another. Without tick and lot they are proportional to the start price: a table
 * written once at 1 is scaled to each deal. Otherwise every deal has its own rounding, and its levels are computed at its start.
 */
export function createLevelWriter(terms: LadderTerms, rules: OrderRules): (startPrice: number, levels: Levels) => void {
  if (rules.tick !== null || rules.lot !== null) {
    return (startPrice, levels) => writeLevels(terms, rules, startPrice, levels)
  }
  const table = createLevels(terms.maxSafetyOrders)
  writeLevels(terms, rules, 1, table)
  return (startPrice, levels) => scaleLevels(table, startPrice, levels)
}

function scaleLevels(table: Levels, startPrice: number, levels: Levels): void {
  levels.orders = table.orders
  for (let k = 0; k < table.orders; k++) {
    levels.price[k] = table.price[k] * startPrice
    levels.quote[k] = table.quote[k]
    levels.quantity[k] = table.quantity[k] / startPrice
    levels.cost[k] = table.cost[k]
    levels.takeProfit[k] = table.takeProfit[k] * startPrice
    levels.stop[k] = table.stop[k] * startPrice
  }
}

/** How many of the existing orders fit under `cap` (quote, fees included), base order first; 0 = not even that one. */
export function affordableOrders(levels: Levels, cap: number): number {
  const limit = cap * (1 + CAP_TOLERANCE)
  let count = 0
  while (count < levels.orders && levels.cost[count] <= limit) count++
  return count
}
