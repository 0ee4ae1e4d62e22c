import { CONFIG, CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { type Conventions, type Costs, NO_SYMBOL_RULES, type SymbolRules } from '../conventions.ts'
import {
  CAP_TOLERANCE,
  createUnitLevels,
  type LadderTerms,
  type Levels,
  ladderTerms,
  nextDepthPercent,
  orderRules,
  TOUCH,
} from '../levels.ts'
import type { DurationCounts } from './durations.ts'
import * as layout from './layout.ts'
import {
  CAPPED,
  CASH,
  CONFIGURED,
  COST,
  COST_PER_PRICE,
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
  RUNG_COST,
  RUNG_RATIO,
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
  UNPLACED_OF_DEAL,
  WATCH,
} from './layout.ts'

/** The part of a flight into which rungs are written. */
interface RungSlots {
  readonly rungs: Float64Array
  readonly ints: Int32Array
  readonly floats: Float64Array
}

/** Writes what all deals of a config have in common where each is rounded by itself: the kernel computes its levels from that (assembly/levels.ts). */
function writeRungs({ rungs, ints, floats }: RungSlots, slot: number, terms: LadderTerms): void {
  const first = (ints[slot * INTS + TABLE] / ROW) * RUNG
  let depth = 0
  let step = terms.firstStepPercent
  let size = terms.firstSize
  let quote = 0
  let configured = 0
  for (; configured <= terms.maxSafetyOrders; configured++) {
    const rung = first + configured * RUNG
    if (configured > 0) {
      depth = nextDepthPercent(terms, depth, step)
      if (depth >= 100) break
      step *= terms.stepMultiplier
    }
    rungs[rung + RUNG_RATIO] = 1 - depth / 100
    rungs[rung + RUNG_SIZE] = configured === 0 ? terms.baseSize : size
    if (configured > 0) size *= terms.volumeScale
    quote += rungs[rung + RUNG_SIZE]
    rungs[rung + RUNG_COST] = quote * (1 + terms.feeRate)
  }
  ints[slot * INTS + CONFIGURED] = configured
  floats[slot * FLOATS + TAKE_PROFIT_RATIO] = terms.takeProfitRatio
  floats[slot * FLOATS + STOP_RATIO] = terms.stopLossRate === 0 ? 0 : 1 - terms.stopLossRate
}

/** The part of a flight into which the bounds are written, and the rules of its orders. */
interface SureSlots {
  readonly rules: ReturnType<typeof orderRules>
  readonly unitLevels: (terms: LadderTerms) => Levels
  readonly ints: Int32Array
  readonly floats: Float64Array
}

/** Much larger than rounding errors of sums, much smaller than any step. */
const MARGIN = 1e-9

/**
 * Finds the start prices at which a deal is "sure": its orders are known without rounding them. Tick and lot shift a level by
 * less than one step, so between two start prices exactly the orders of the unrounded ladder exist, and their cost lies near the
 * unrounded one. Where that decides how many of them a cap allows, only the levels that the deal reaches are computed, and it may take
 * a deal from the memo (assembly/memo.ts). For any other deal all levels are written and counted (assembly/levels.ts).
 */
function writeSureBounds({ rules, unitLevels, floats, ints }: SureSlots, slot: number, terms: LadderTerms): void {
  const af = slot * FLOATS
  const { orders, price, stop, quote } = unitLevels(terms)
  const tick = rules.tick?.step ?? 0
  const lot = rules.lot?.step ?? 0

  let lowest = 0
  let highest = Number.POSITIVE_INFINITY
  for (let k = 0; k < orders; k++) {
    const size = k === 0 ? quote[0] : quote[k] - quote[k - 1]
    // A quantity is rounded down by less than one lot; what is left must still be a valid order.
    highest = Math.min(highest, lot === 0 ? highest : ((size - rules.minNotional) / lot) * (1 - MARGIN))
    if (size < rules.minNotional * (1 + MARGIN)) highest = 0
    if (k > 0) {
      // A price rounded down must stay above the stop and above 0.
      const room = price[k] - stop[k - 1] * (1 + TOUCH) - MARGIN
      lowest = Math.max(lowest, room > 0 ? (tick / room) * (1 + MARGIN) : Number.POSITIVE_INFINITY)
    }
  }
  // A stop under the average moves with the rounding of the quantities.
  const isUnclear = terms.stopLossRate > 0 && (terms.stopLossBasis === 'average' || isNextAtStop(terms, orders))
  floats[af + SURE_LOW] = isUnclear || orders === 0 ? Number.POSITIVE_INFINITY : lowest
  floats[af + SURE_HIGH] = highest
  floats[af + SURE_COST] = orders === 0 ? 0 : quote[orders - 1] * (1 + terms.feeRate) * (1 + MARGIN)
  floats[af + COST_PER_PRICE] = orders * lot * terms.anchorRatio * (1 + terms.feeRate) * (1 + MARGIN)
  ints[slot * INTS + SURE_ORDERS] = orders
}

/**
 * True when the first rung that does not exist touches the stop, or does not, by errors of rounding alone: these, unlike tick and lot, decide by the
 * start price whether it exists.
 */
function isNextAtStop(terms: LadderTerms, orders: number): boolean {
  if (orders > terms.maxSafetyOrders) return false
  let depth = 0
  let step = terms.firstStepPercent
  for (let k = 1; k <= orders; k++) {
    depth = nextDepthPercent(terms, depth, step)
    step *= terms.stepMultiplier
  }
  return depth < 100 && Math.abs(1 - depth / 100 - (1 - terms.stopLossRate) * (1 + TOUCH)) < TOUCH / 100
}

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
  readonly observes: 'used' | 'returns' | 'all' | undefined
  readonly rules: ReturnType<typeof orderRules>
  readonly durationCounts: DurationCounts
  /** Of a deal that starts at price 1, tick and lot aside. */
  readonly unitLevels: (terms: LadderTerms) => Levels
}

interface FlightSize {
  readonly configs: number
  /** Rows of all their tables together: Σ (dcaMaxSafetyOrders + 1). 0 = none is written, where only the number of orders is asked for. */
  readonly rows: number
  readonly maxSafetyOrders: number
  /** What is observed beside counters and profit: what deals use, with daily returns, or everything that metrics need. */
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

const WITHOUT_RULES = orderRules(NO_SYMBOL_RULES, 'down')

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

/** Profits below this fraction of the cost are rounding errors. */
export const NOTHING = 1e-12

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
