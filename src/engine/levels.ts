import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'
import { type DecimalStep, roundDown, roundUp } from './numbers.ts'

/**
 * All levels of a deal, computed when it starts: every order, and after every fill the take profit and the stop.
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
  /**
   * Safety orders that are never placed, because the first of them is smaller than a lot or the minimum notional: it and all below it, above
   * 100 % depth and above the stop that stays in force. 0 where not even the base order can be placed.
   */
  unplaced: number
  readonly price: Float64Array
  readonly quote: Float64Array
  readonly quantity: Float64Array
  readonly cost: Float64Array
  readonly takeProfit: Float64Array
  readonly stop: Float64Array
}

/** A price touches a level that lies within this relative distance: so formulas that are algebraically equal decide alike. */
export const TOUCH = 1e-12
/** A ladder may cost this much (relative) more than its cap: one that costs exactly the budget is placed. */
export const CAP_TOLERANCE = 1e-9

/** Tick, lot and minimum notional of a symbol, ready for rounding. */
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
    unplaced: 0,
    price: column(),
    quote: column(),
    quantity: column(),
    cost: column(),
    takeProfit: column(),
    stop: column(),
  }
}

/**
 * Writes the levels of a deal whose base order fills at `startPrice`, caps aside. The ladder ends above the first safety order that is
 * 100 % deep or more, lies at or below the stop in force before it, or is too small to be an order. Those too small are counted.
 */
export function writeLevels(terms: LadderTerms, rules: OrderRules, startPrice: number, levels: Levels): void {
  const { tick, lot } = rules
  const anchor = startPrice * terms.anchorRatio
  let depth = 0
  let step = terms.firstStepPercent
  let nextSize = terms.firstSize
  levels.orders = 0
  levels.unplaced = 0
  for (let k = 0; k <= terms.maxSafetyOrders; k++) {
    let price = startPrice
    let size = terms.baseSize
    if (k > 0) {
      depth = nextDepthPercent(terms, depth, step)
      const unrounded = anchor * (1 - depth / 100)
      price = tick === null ? unrounded : roundDown(unrounded, tick)
      size = nextSize
      step *= terms.stepMultiplier
      nextSize *= terms.volumeScale
      if (depth >= 100 || Math.min(price, unrounded) <= levels.stop[levels.orders - 1] * (1 + TOUCH)) return
    }
    const quantity = lot === null ? size / price : rules.roundQuantity(size / price, lot)
    const quote = lot === null ? size : quantity * price
    const isOrder = price > 0 && quantity > 0 && quote >= rules.minNotional * (1 - TOUCH)
    if (k === 0 && !isOrder) return
    if (!isOrder || levels.unplaced > 0) {
      levels.unplaced++ // below the first order that is too small, orders are only counted
      continue
    }

    const heldQuote = k === 0 ? quote : levels.quote[k - 1] + quote
    const held = k === 0 ? quantity : addQuantity(levels.quantity[k - 1], quantity, lot)
    const average = heldQuote / held // quote-weighted harmonic mean of the fill prices
    const takeProfit = average * terms.takeProfitRatio
    levels.price[k] = price
    levels.quote[k] = heldQuote
    levels.quantity[k] = held
    levels.cost[k] = heldQuote * (1 + terms.feeRate)
    levels.takeProfit[k] = tick === null ? takeProfit : roundUp(takeProfit, tick)
    levels.stop[k] = stopLevel(terms, anchor, average)
    levels.orders = k + 1
  }
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
 * Returns a function that writes the levels of one deal after another. Without tick and lot they are proportional to the start
 * price: a table written once at 1 is scaled to each deal. Otherwise every deal has its own rounding, and its levels are computed
 * at its start.
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
  levels.unplaced = table.unplaced
  for (let k = 0; k < table.orders; k++) {
    levels.price[k] = table.price[k] * startPrice
    levels.quote[k] = table.quote[k]
    levels.quantity[k] = table.quantity[k] / startPrice
    levels.cost[k] = table.cost[k]
    levels.takeProfit[k] = table.takeProfit[k] * startPrice
    levels.stop[k] = table.stop[k] * startPrice
  }
}

/**
 * Returns a function that gives the levels of deals that start at price 1, to the same bits as `writeLevels`; valid until its next call. What configs share that
 * differ only in take profit, stop and number of orders is computed once where they come one after another. Spacing, costs and anchor are those of one market; the
 * rules have neither tick nor lot.
 */
export function createUnitLevels(rules: OrderRules, maxSafetyOrders: number): (terms: LadderTerms) => Levels {
  const ladder = createLevels(maxSafetyOrders)
  const levels = {
    ...ladder,
    takeProfit: new Float64Array(maxSafetyOrders + 1),
    stop: new Float64Array(maxSafetyOrders + 1),
  }
  let known: LadderTerms | null = null
  return (terms) => {
    if (known === null || !isLadderOf(known, terms)) writeLadder(terms, terms.maxSafetyOrders)
    else if (terms.maxSafetyOrders > known.maxSafetyOrders) writeLadder(terms, maxSafetyOrders)
    if (ladder.unplaced > 0) writeLevels(terms, rules, 1, levels)
    else writeOwn(terms)
    return levels
  }

  /** As far as a stop does not cut it; the averages stand where the take profits would. */
  function writeLadder(terms: LadderTerms, maxSafetyOrders: number): void {
    known = { ...terms, maxSafetyOrders, takeProfitRatio: 1, stopLossRate: 0 }
    writeLevels(known, rules, 1, ladder)
  }

  function writeOwn(terms: LadderTerms): void {
    const end = Math.min(ladder.orders, terms.maxSafetyOrders + 1)
    let k = 0
    for (; k < end; k++) {
      if (k > 0 && levels.price[k] <= levels.stop[k - 1] * (1 + TOUCH)) break
      const average = ladder.takeProfit[k]
      levels.takeProfit[k] = average * terms.takeProfitRatio
      levels.stop[k] = stopLevel(terms, terms.anchorRatio, average)
    }
    levels.orders = k
    levels.unplaced = 0
  }
}

function isLadderOf(one: LadderTerms, other: LadderTerms): boolean {
  return (
    one.firstStepPercent === other.firstStepPercent &&
    one.volumeScale === other.volumeScale &&
    one.stepMultiplier === other.stepMultiplier &&
    one.baseSize === other.baseSize &&
    one.firstSize === other.firstSize
  )
}

/** How many of the existing orders fit under `cap` (quote, fees included), base order first; 0 = not even that one. */
export function affordableOrders(levels: Levels, cap: number): number {
  const limit = cap * (1 + CAP_TOLERANCE)
  let count = 0
  while (count < levels.orders && levels.cost[count] <= limit) count++
  return count
}

// What decides them.

/** The numbers of config, conventions and costs that decide levels. Rates as fractions (1 % = 0.01), steps and depths in percent. */
export interface LadderTerms {
  readonly baseSize: number
  /** Quote size of the first safety order. */
  readonly firstSize: number
  readonly maxSafetyOrders: number
  readonly volumeScale: number
  readonly firstStepPercent: number
  readonly stepMultiplier: number
  readonly spacing: Conventions['spacing']
  readonly feeRate: number
  /** Price from which ladder and stop are measured, over P0. */
  readonly anchorRatio: number
  /** Take profit over the gross average price. */
  readonly takeProfitRatio: number
  /** 0 = no stop. */
  readonly stopLossRate: number
  readonly stopLossBasis: Conventions['stopLossBasis']
}

/** Takes a valid config; throws where `explicit` sizing lacks its size (`resolveConventions` refuses that). */
export function ladderTerms(config: DcaSpotConfig, conventions: Conventions, costs: Costs): LadderTerms {
  const feeRate = costs.feePercent / 100
  return {
    baseSize: config.dcaInitialOrderSize,
    firstSize: firstSafetyOrderSize(config, conventions),
    maxSafetyOrders: config.dcaMaxSafetyOrders,
    volumeScale: config.dcaVolumeScale,
    firstStepPercent: config.dcaPriceScalePercent,
    stepMultiplier: config.dcaPriceStepMultiplier,
    spacing: conventions.spacing,
    feeRate,
    anchorRatio: conventions.basePrice === 'fill-with-fee' ? 1 + feeRate : 1,
    takeProfitRatio: takeProfitRatio(config.takeProfit, conventions, costs),
    stopLossRate: config.stopLoss / 100,
    stopLossBasis: conventions.stopLossBasis,
  }
}

/** Take profit over the gross average price, from its percentage. */
export function takeProfitRatio(
  percent: number,
  { takeProfitBasis }: Pick<Conventions, 'takeProfitBasis'>,
  { feePercent }: Costs,
): number {
  const feeRate = feePercent / 100
  const takeProfit = 1 + percent / 100
  return takeProfitBasis === 'net' ? ((1 + feeRate) * takeProfit) / (1 - feeRate) : takeProfit
}

function firstSafetyOrderSize(config: DcaSpotConfig, conventions: Conventions): number {
  switch (conventions.safetyOrderSizing) {
    case 'scaled-from-base':
      return config.dcaInitialOrderSize * config.dcaVolumeScale
    case 'first-equals-base':
      return config.dcaInitialOrderSize
    case 'explicit':
      if (conventions.safetyOrderSize === null) throw new Error('explicit safety order sizing without safetyOrderSize')
      return conventions.safetyOrderSize
  }
}

/** Depth of the next rung in percent below the anchor, from the depth of the rung above it and the step between them. */
export function nextDepthPercent(terms: LadderTerms, depthPercent: number, stepPercent: number): number {
  return terms.spacing === 'from-base'
    ? depthPercent + stepPercent
    : depthPercent + ((100 - depthPercent) * stepPercent) / 100
}

/** The step of a symbol rule, or null when the rule is not enforced (null or 0). */
export function decimalStep(step: number | null): DecimalStep | null {
  if (step === null || step === 0) return null
  const [mantissa = '', exponent = '0'] = step.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const decimals = fraction.length - Number(exponent)
  return { step, digits: Number(whole + fraction), decimals, scale: Number(`1e${Math.abs(decimals)}`) }
}
