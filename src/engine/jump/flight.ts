import { CONFIG, CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { type Conventions, type Costs, NO_SYMBOL_RULES, type SymbolRules } from '../conventions.ts'
import { type LadderTerms, ladderTerms } from '../ladder-terms.ts'
import { CAP_TOLERANCE, createUnitLevels, type Levels, orderRules } from '../levels.ts'
import type { DurationCounts } from './durations.ts'
import * as layout from './layout.ts'
import {
  CAPPED,
  CASH,
  COST,
  DAY_EQUITY,
  FAMILY,
  FLOATS,
  INTS,
  LAST,
  NEED,
  NEXT,
  NO_END,
  ORDERS,
  PEAK,
  POSSIBLE_PEAK,
  PRICE,
  PROFIT,
  QUANTITY,
  ROW,
  RUNG,
  STOP,
  TABLE,
  TAKE_PROFIT,
  UNPLACED_OF_DEAL,
  WATCH,
} from './layout.ts'
import { writeRungs } from './rungs.ts'
import { writeSureBounds } from './sure.ts'

/** The numbers of a flight. */
export interface FlightRoom {
  readonly tables: Float64Array
  /** RUNG numbers for each row of `tables`: what all deals of a config have in common. Only where levels are computed per deal. */
  readonly rungs: Float64Array
  readonly ints: Int32Array
  readonly floats: Float64Array
  /** WATCH amounts per config; empty when only counters and profit are needed. */
  readonly watches: Float64Array
  /** How long the deals of each config took, as `durations.ts` says; empty when that is not counted. */
  readonly durations: Int32Array
}

/**
 * A flight: configs that are simulated together. Three flat arrays hold what each config is and how far it has come, so that
 * walking a block of candles needs no objects.
 *
 *     tables   per config a row of ROW doubles for each order of its levels
 *     ints     per config INTS counters and indices          floats   per config FLOATS amounts
 *
 * Without tick and lot a table is written once at start price 1 and holds for every deal: price = table · P0, quantity = table /
 * P0, cost = table (`scale` is P0). With them the kernel writes its rows as a deal reaches them, and they hold true values (`scale` is 1).
 */
export interface Flight extends FlightRoom {
  readonly conventions: Conventions
  readonly feeRate: number
  readonly slippageRate: number
  /** With tick or lot every deal is rounded separately. */
  readonly levelsPerDeal: boolean
  readonly isOneConfig: boolean
  readonly observes: 'used' | 'all' | undefined
  readonly rules: ReturnType<typeof orderRules>
  readonly durationCounts: DurationCounts
  /** Of a deal that starts at price 1, tick and lot aside. */
  readonly unitLevels: (terms: LadderTerms) => Levels
}

export interface FlightSize {
  readonly configs: number
  /** Rows of all their tables together: Σ (dcaMaxSafetyOrders + 1). 0 = none is written, where only the number of orders is asked for. */
  readonly rows: number
  readonly maxSafetyOrders: number
  /** What is observed beside counters and profit: what deals use, or everything that metrics need. */
  readonly observes?: Flight['observes']
  /** Watched slots that all have one config. Their levels are computed per deal. */
  readonly isOneConfig?: boolean
  /** Counts how long deals take. */
  readonly durations?: DurationCounts | null
}

export interface Market {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

/** @param room where its numbers are kept; without it they have room of their own */
export function createFlight({ conventions, costs, symbol }: Market, size: FlightSize, room?: FlightRoom): Flight {
  const { isOneConfig = false } = size
  const rules = orderRules(symbol, conventions.lotRounding)
  const durationCounts = size.durations ?? { bins: 0, stride: 0 }
  const levelsPerDeal = rules.tick !== null || rules.lot !== null || isOneConfig
  const take = (own: Float64Array | undefined, length: number) => own?.subarray(0, length) ?? new Float64Array(length)
  const takeInts = (own: Int32Array | undefined, length: number) => own?.subarray(0, length) ?? new Int32Array(length)
  return {
    conventions,
    feeRate: costs.feePercent / 100,
    slippageRate: costs.slippagePercent / 100,
    levelsPerDeal,
    isOneConfig,
    observes: size.observes,
    rules,
    tables: take(room?.tables, size.rows * ROW),
    rungs: take(room?.rungs, levelsPerDeal ? size.rows * RUNG : 0),
    ints: takeInts(room?.ints, size.configs * INTS),
    floats: take(room?.floats, size.configs * FLOATS),
    watches: take(room?.watches, size.observes !== undefined ? size.configs * WATCH : 0),
    durations: takeInts(room?.durations, size.configs * durationCounts.stride).fill(0),
    durationCounts,
    unitLevels: createUnitLevels(levelsPerDeal ? WITHOUT_RULES : rules, size.maxSafetyOrders),
  }
}

const WITHOUT_RULES = orderRules(NO_SYMBOL_RULES, 'down')

const SLOTS: Readonly<Record<string, number | undefined>> = layout

/** Those after which a slot of the layout is called. */
const FIELDS_AS_THEY_ARE = CONFIG_FIELDS.flatMap((field) => {
  const slot = SLOTS[`FIELD_${CONFIG[field].column.toUpperCase()}`]
  return slot === undefined ? [] : [{ field, slot }]
})

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
  // For so few numbers `fill` takes twice the time of a loop.
  for (let column = 0; column < INTS; column++) ints[at + column] = 0
  for (let column = 0; column < FLOATS; column++) floats[af + column] = 0
  ints[at + TABLE] = table * ROW
  ints[at + FAMILY] = family
  ints[at + LAST] = NO_END
  for (const { field, slot: own } of FIELDS_AS_THEY_ARE) floats[af + own] = config[field]
  if (watches.length > 0) {
    const watch = slot * WATCH
    watches.fill(0, watch, watch + WATCH)
    for (const amount of [CASH, PEAK, POSSIBLE_PEAK, DAY_EQUITY]) watches[watch + amount] = config.investment
  }

  const terms = ladderTerms(config, market.conventions, market.costs)
  if (flight.levelsPerDeal) {
    if (flight.rungs.length > 0) writeRungs(flight, slot, terms)
    writeSureBounds(flight, slot, terms)
    return config.dcaMaxSafetyOrders + 1
  }
  writeAllRows(flight, slot, terms)
  return ints[at + ORDERS]
}

/** Writes a config's rows for deals that start at price 1, and how many of them exist and fit the budget. */
function writeAllRows(flight: Flight, slot: number, terms: LadderTerms): void {
  const { tables, ints, floats, feeRate } = flight
  const { orders, unplaced, price, takeProfit, stop, quantity, cost } = flight.unitLevels(terms)
  const limit = floats[slot * FLOATS + layout.FIELD_DCA_TOTAL_BUDGET] * (1 + CAP_TOLERANCE)
  let capped = 0
  while (capped < orders && cost[capped] <= limit) capped++
  const at = slot * INTS
  const keep = 1 - feeRate
  for (let k = 0, row = ints[at + TABLE]; k < orders && row < tables.length; k++, row += ROW) {
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
  ints[at + UNPLACED_OF_DEAL] = unplaced
  floats[slot * FLOATS + NEED] = capped === 0 ? 0 : cost[capped - 1]
}

/** Profits below this fraction of the cost are rounding errors. */
export const NOTHING = 1e-12
