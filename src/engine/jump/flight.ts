import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Conventions, Costs, SymbolRules } from '../conventions.ts'
import { type LadderTerms, ladderTerms } from '../ladder-terms.ts'
import { createLevels, type Levels, orderRules, writeLevels } from '../levels.ts'
import {
  BUDGET,
  CAPPED,
  CASH,
  COST,
  DAY_EQUITY,
  FAMILY,
  FLOATS,
  INTS,
  INVESTMENT,
  NEED,
  NEXT,
  ORDERS,
  PEAK,
  POSSIBLE_PEAK,
  PRICE,
  PROFIT,
  QUANTITY,
  ROW,
  STOP,
  SURE_ORDERS,
  TABLE,
  TAKE_PROFIT,
  WATCH,
  WRITTEN,
} from './layout.ts'
import { writeSureBounds } from './sure.ts'

/**
 * Configs in flight: what each of them is and how far it has come, in three flat arrays, so that a block of candles can be walked by one
 * config after another without an object in sight.
 *
 *     tables   per config a row of ROW doubles for each order of its levels
 *     ints     per config INTS counters and indices          floats   per config FLOATS amounts
 *
 * Without tick and lot a table is written once at start price 1 and holds for every deal: price = table · P0, quantity = table / P0,
 * cost = table (`scale` is P0). With them it is rewritten as each deal starts and holds true values (`scale` is 1).
 */
/** Relative tolerance of caps (`dca-spot.md`); `affordableOrders` is the plain twin of what uses it here. */
export const CAP_TOLERANCE = 1e-9

export interface Flight {
  readonly conventions: Conventions
  readonly feeRate: number
  readonly slippageRate: number
  /** Every deal has its own rounding: `tables` are rewritten as deals start. */
  readonly levelsPerDeal: boolean
  readonly rules: ReturnType<typeof orderRules>
  readonly tables: Float64Array
  readonly ints: Int32Array
  readonly floats: Float64Array
  /** WATCH amounts per config; empty where nothing but counters and profit is wanted. */
  readonly watches: Float64Array
  /** Per config, only where levels are computed per deal: its ladder, cut to one safety order, to three, and whole. */
  readonly stages: (readonly LadderTerms[])[]
  /** Where levels are written before they are copied into `tables`. */
  readonly scratch: Levels
}

export interface FlightSize {
  readonly configs: number
  /** Rows of all their tables together: Σ (dcaMaxSafetyOrders + 1). */
  readonly rows: number
  readonly maxSafetyOrders: number
  /** What metrics need is observed. */
  readonly isWatched?: boolean
}

export interface Market {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

export function createFlight({ conventions, costs, symbol }: Market, size: FlightSize): Flight {
  const rules = orderRules(symbol, conventions.lotRounding)
  return {
    conventions,
    feeRate: costs.feePercent / 100,
    slippageRate: costs.slippagePercent / 100,
    levelsPerDeal: rules.tick !== null || rules.lot !== null,
    rules,
    tables: new Float64Array(size.rows * ROW),
    ints: new Int32Array(size.configs * INTS),
    floats: new Float64Array(size.configs * FLOATS),
    watches: new Float64Array(size.isWatched === true ? size.configs * WATCH : 0),
    stages: [],
    scratch: createLevels(size.maxSafetyOrders),
  }
}

/** Puts a config on its slot, flat and with all its money; `table` = where its rows begin. Returns the rows it takes. */
export function boardConfig(
  flight: Flight,
  { slot, table, family }: { slot: number; table: number; family: number },
  config: DcaSpotConfig,
  market: Market,
): number {
  const { ints, floats, watches } = flight
  const at = slot * INTS
  const af = slot * FLOATS
  ints.fill(0, at, at + INTS)
  floats.fill(0, af, af + FLOATS)
  ints[at + TABLE] = table * ROW
  ints[at + FAMILY] = family
  floats[af + INVESTMENT] = config.investment
  floats[af + BUDGET] = config.dcaTotalBudget
  if (watches.length > 0) {
    const watch = slot * WATCH
    watches.fill(0, watch, watch + WATCH)
    for (const amount of [CASH, PEAK, POSSIBLE_PEAK, DAY_EQUITY]) watches[watch + amount] = config.investment
  }

  const terms = ladderTerms(config, market.conventions, market.costs)
  if (flight.levelsPerDeal) {
    const cut = (orders: number) => ({ ...terms, maxSafetyOrders: Math.min(orders, terms.maxSafetyOrders) })
    flight.stages[slot] = [cut(1), cut(3), terms]
    writeSureBounds(flight, slot, terms)
    return config.dcaMaxSafetyOrders + 1
  }
  writeRows(flight, slot, terms, 1)
  return ints[at + ORDERS]
}

/** A sure deal is written in this many steps, as it comes to need them; most deals never see a third order. */
const WHOLE = 2

/** As a deal starts: all rows of one that is not sure; of a sure one those that most deals need, its orders being known anyway. */
export function writeFirstRows(flight: Flight, slot: number, startPrice: number, whole: boolean): void {
  writeRows(flight, slot, flight.stages[slot][whole ? WHOLE : 0], startPrice)
  if (!whole) keepSureOrders(flight, slot)
}

/** Writes rows of a sure deal on to this one; returns the first row that is still missing, or −1. */
export function writeMoreRows(flight: Flight, slot: number, startPrice: number, row: number): number {
  const stages = flight.stages[slot]
  const stage = stages[1].maxSafetyOrders < row ? WHOLE : 1
  writeRows(flight, slot, stages[stage], startPrice)
  const written = flight.ints[slot * INTS + WRITTEN]
  return written < keepSureOrders(flight, slot) ? written : -1
}

function keepSureOrders({ ints }: Flight, slot: number): number {
  const at = slot * INTS
  ints[at + ORDERS] = ints[at + SURE_ORDERS]
  ints[at + CAPPED] = ints[at + SURE_ORDERS]
  return ints[at + SURE_ORDERS]
}

/** Writes a config's rows for deals that start at `startPrice`, and how many of them exist and fit the budget. */
function writeRows(flight: Flight, slot: number, terms: LadderTerms, startPrice: number): void {
  const { tables, ints, floats, scratch } = flight
  writeLevels(terms, flight.rules, startPrice, scratch)
  const at = slot * INTS
  const { orders, price, takeProfit, stop, quantity, cost } = scratch
  const limit = floats[slot * FLOATS + BUDGET] * (1 + CAP_TOLERANCE)
  const keep = 1 - flight.feeRate
  let capped = 0
  while (capped < orders && cost[capped] <= limit) capped++
  for (let k = 0, row = ints[at + TABLE]; k < orders; k++, row += ROW) {
    const profit = quantity[k] * takeProfit[k] * keep - cost[k]
    tables[row + PRICE] = price[k]
    tables[row + NEXT] = k + 1 < capped ? price[k + 1] : stop[k] > 0 ? stop[k] : Number.NEGATIVE_INFINITY
    tables[row + TAKE_PROFIT] = takeProfit[k]
    tables[row + PROFIT] = Math.abs(profit) < NOTHING * cost[k] ? Number.NaN : profit
    tables[row + STOP] = stop[k]
    tables[row + QUANTITY] = quantity[k]
    tables[row + COST] = cost[k]
  }
  ints[at + ORDERS] = orders
  ints[at + CAPPED] = capped
  ints[at + WRITTEN] = orders
  floats[slot * FLOATS + NEED] = capped === 0 ? 0 : cost[capped - 1]
}

/** Profits below this share of the cost are rounding. */
const NOTHING = 1e-12
