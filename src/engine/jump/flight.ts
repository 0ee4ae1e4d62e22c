import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Conventions, Costs, SymbolRules } from '../conventions.ts'
import { type LadderTerms, ladderTerms } from '../ladder-terms.ts'
import { createLevels, type Levels, orderRules, writeLevels } from '../levels.ts'
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
/** A cache line: row k tells all about a deal with k safety orders filled. */
export const ROW = 8
export const ROW_SHIFT = 3
export const PRICE = 0
/** What a falling price touches next: the next order's price; on the last row within the budget the stop, or −∞. */
export const NEXT = 1
export const TAKE_PROFIT = 2
/** Of a deal that ends at the take profit, in quote; NaN so near to nothing that only the deal's own prices can tell its sign. */
export const PROFIT = 3
export const STOP = 4
export const QUANTITY = 5
export const COST = 6

export const INTS = 19
export const STATE = 0
/** Index of the config's first row in `tables`. */
export const TABLE = 1
/** Rows that exist, base order included. */
export const ORDERS = 2
/** Of these, the rows that dcaTotalBudget allows. */
export const CAPPED = 3
export const START = 4
export const FILLED = 5
export const PLACED = 6
export const DEALS = 7
export const STOPS = 8
export const WINS = 9
/** Safety orders filled in closed deals. */
export const FILLS = 10
/** First candle on which a stopped bot held nothing any more. A bot that goes on holds something on every candle. */
export const ENDED = 11
export const AMBIGUOUS = 12
export const UNAFFORDABLE = 13
export const OUT_OF_CASH = 14
/** Which configs may share deals; 0 = none. */
export const FAMILY = 15
/** Fills and exits found in the block before. */
export const EVENTS = 16
/** Only where levels are computed per deal: orders of a sure deal (sure.ts), and rows written so far for the open deal. */
export const SURE_ORDERS = 17
export const WRITTEN = 18

export const FLOATS = 12
export const SCALE = 0
export const REALIZED = 1
export const INVESTMENT = 2
export const BUDGET = 3
/** Cost of the last row within the budget: what the cash must reach for nothing to change. */
export const NEED = 4
/** Longest closed deal, ms. */
export const LONGEST = 5
/** Thresholds of the open deal: something happens on a candle with low ≤ FLOOR or high ≥ CEILING, and on no other. */
export const FLOOR = 6
export const CEILING = 7
/** A deal is sure when it starts between these prices and its cap reaches SURE_COST + price · SURE_COST_PER_PRICE. */
export const SURE_LOW = 8
export const SURE_HIGH = 9
export const SURE_COST = 10
export const SURE_COST_PER_PRICE = 11

export const FLAT = 0
export const IN_DEAL = 1
export const STOPPED = 2

/** Relative tolerance of caps (`dca-spot.md`); `affordableOrders` is the plain twin of what uses it here. */
export const CAP = 1 + 1e-9

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
  const { ints, floats } = flight
  const at = slot * INTS
  const af = slot * FLOATS
  ints.fill(0, at, at + INTS)
  floats.fill(0, af, af + FLOATS)
  ints[at + TABLE] = table * ROW
  ints[at + FAMILY] = family
  floats[af + INVESTMENT] = config.investment
  floats[af + BUDGET] = config.dcaTotalBudget

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
export const WHOLE = 2

/** Writes a config's rows for deals that start at `startPrice`, and how many of them exist and fit the budget. */
export function writeRows(flight: Flight, slot: number, terms: LadderTerms, startPrice: number): void {
  const { tables, ints, floats, scratch } = flight
  writeLevels(terms, flight.rules, startPrice, scratch)
  const at = slot * INTS
  const { orders, price, takeProfit, stop, quantity, cost } = scratch
  const limit = floats[slot * FLOATS + BUDGET] * CAP
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
