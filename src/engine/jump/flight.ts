import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Conventions, Costs, SymbolRules } from '../conventions.ts'
import { type LadderTerms, ladderTerms } from '../ladder-terms.ts'
import { beginLevels, CAP_TOLERANCE, createLevels, extendLevels, type Levels, orderRules } from '../levels.ts'
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
  UNPLACED_OF_DEAL,
  WATCH,
  WRITTEN,
} from './layout.ts'
import { writeSureBounds } from './sure.ts'

/**
 * A flight: configs that are simulated together. Three flat arrays hold what each config is and how far it has come, so that
 * walking a block of candles needs no objects.
 *
 *     tables   per config a row of ROW doubles for each order of its levels
 *     ints     per config INTS counters and indices          floats   per config FLOATS amounts
 *
 * Without tick and lot a table is written once at start price 1 and holds for every deal: price = table · P0, quantity = table /
 * P0, cost = table (`scale` is P0). With them it is rewritten as each deal starts and holds true values (`scale` is 1).
 */
export interface Flight {
  readonly conventions: Conventions
  readonly feeRate: number
  readonly slippageRate: number
  /** With tick or lot every deal is rounded separately: `tables` are rewritten as deals start. */
  readonly levelsPerDeal: boolean
  readonly rules: ReturnType<typeof orderRules>
  readonly tables: Float64Array
  readonly ints: Int32Array
  readonly floats: Float64Array
  /** WATCH amounts per config; empty when only counters and profit are needed. */
  readonly watches: Float64Array
  /** Per config, only where levels are computed per deal. */
  readonly terms: LadderTerms[]
  /** Levels are written here before they are copied into `tables`; and the slot whose deal they belong to. */
  readonly scratch: Levels
  readonly scratchOf: { slot: number; startPrice: number }
}

export interface FlightSize {
  readonly configs: number
  /** Rows of all their tables together: Σ (dcaMaxSafetyOrders + 1). */
  readonly rows: number
  readonly maxSafetyOrders: number
  /** True when everything that metrics need is observed. */
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
    terms: [],
    scratch: createLevels(size.maxSafetyOrders),
    scratchOf: { slot: -1, startPrice: 0 },
  }
}

/** Puts a config into its slot, without a deal and with all its money; `table` = where its rows begin. Returns how many rows it takes. */
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
    flight.terms[slot] = terms
    writeSureBounds(flight, slot, terms)
    return config.dcaMaxSafetyOrders + 1
  }
  writeAllRows(flight, slot, terms, 1)
  return ints[at + ORDERS]
}

/**
 * Writes the rows a deal needs at its start: all of them when it is not sure; the first two, enough for most deals, when it is
 * (its orders are known).
 */
export function writeFirstRows(flight: Flight, slot: number, startPrice: number, whole: boolean): void {
  const terms = flight.terms[slot]
  if (whole) writeAllRows(flight, slot, terms, startPrice)
  else {
    beginLevels(terms, flight.scratch)
    writeSureRows(flight, slot, startPrice, 0, 1)
  }
}

/** Writes more rows of a sure deal, up to this one; returns the first row that is still missing, or −1. */
export function writeMoreRows(flight: Flight, slot: number, startPrice: number, row: number): number {
  const { ints, scratch, scratchOf } = flight
  const at = slot * INTS
  // Another deal used the scratch since then, so its rows are computed again.
  const isOwn = scratchOf.slot === slot && scratchOf.startPrice === startPrice
  if (!isOwn) beginLevels(flight.terms[slot], scratch)
  writeSureRows(flight, slot, startPrice, isOwn ? ints[at + WRITTEN] - 1 : 0, row)
  return ints[at + WRITTEN] < ints[at + ORDERS] ? ints[at + WRITTEN] : -1
}

/** Writes rows from ≤ k ≤ to of a sure deal, whose orders all exist and fit the budget. NEXT of a row is set when the row after it is written. */
function writeSureRows(flight: Flight, slot: number, startPrice: number, from: number, to: number): void {
  const { ints, scratch, scratchOf } = flight
  const at = slot * INTS
  extendLevels(flight.terms[slot], flight.rules, startPrice, scratch, to)
  scratchOf.slot = slot
  scratchOf.startPrice = startPrice
  copyRows(flight, slot, from, ints[at + SURE_ORDERS])
  ints[at + ORDERS] = ints[at + SURE_ORDERS]
  ints[at + CAPPED] = ints[at + SURE_ORDERS]
}

/** Writes a config's rows for deals that start at `startPrice`, and how many of them exist and fit the budget. */
function writeAllRows(flight: Flight, slot: number, terms: LadderTerms, startPrice: number): void {
  const { ints, floats, scratch, scratchOf } = flight
  beginLevels(terms, scratch)
  extendLevels(terms, flight.rules, startPrice, scratch, terms.maxSafetyOrders)
  scratchOf.slot = -1
  const { orders, cost } = scratch
  const limit = floats[slot * FLOATS + BUDGET] * (1 + CAP_TOLERANCE)
  let capped = 0
  while (capped < orders && cost[capped] <= limit) capped++
  copyRows(flight, slot, 0, capped)
  ints[slot * INTS + ORDERS] = orders
  ints[slot * INTS + CAPPED] = capped
  ints[slot * INTS + UNPLACED_OF_DEAL] = scratch.unplaced
  floats[slot * FLOATS + NEED] = capped === 0 ? 0 : cost[capped - 1]
}

/** Copies the rows of the scratch from this one on into a config's table. `capped` = rows that the budget allows. */
function copyRows(flight: Flight, slot: number, from: number, capped: number): void {
  const { tables, ints, scratch } = flight
  const { orders, price, takeProfit, stop, quantity, cost } = scratch
  const at = slot * INTS
  const keep = 1 - flight.feeRate
  for (let k = from, row = ints[at + TABLE] + from * ROW; k < orders; k++, row += ROW) {
    const profit = quantity[k] * takeProfit[k] * keep - cost[k]
    tables[row + PRICE] = price[k]
    tables[row + NEXT] = k + 1 < capped ? price[k + 1] : stop[k] > 0 ? stop[k] : Number.NEGATIVE_INFINITY
    tables[row + TAKE_PROFIT] = takeProfit[k]
    tables[row + PROFIT] = Math.abs(profit) < NOTHING * cost[k] ? Number.NaN : profit
    tables[row + STOP] = stop[k]
    tables[row + QUANTITY] = quantity[k]
    tables[row + COST] = cost[k]
  }
  ints[at + WRITTEN] = orders
}

/** Profits below this fraction of the cost are rounding errors. */
const NOTHING = 1e-12
