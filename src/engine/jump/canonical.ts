/**
 * Many points of a grid need only one simulation: where a stop cuts the ladder, all longer ladders behave alike, and without
 * safety orders step and scale have no effect. The canonical key holds what matters of a config once its levels are known: equal
 * keys, equal results. Its first FAMILY_KEY columns are those that the configs of a family share (memo.ts). A field that is not known
 * here is one of them, as it is.
 */
import { CONFIG_FIELDS, type ConfigField } from '../../contract/bot.ts'
import type { Conventions } from '../conventions.ts'
import type { Flight } from './flight.ts'
import { CAPPED, FLOATS, INTS, ORDERS, SURE_HIGH, SURE_LOW, SURE_ORDERS, UNPLACED_OF_DEAL } from './layout.ts'

/** Columns of a family's key that are made of fields known here. */
const KNOWN_OF_FAMILY = 5

/** Column of a field in a config row. */
const column = (field: ConfigField) => CONFIG_FIELDS.indexOf(field)
const INVESTMENT = column('investment')
const BUDGET = column('dcaTotalBudget')
const BASE = column('dcaInitialOrderSize')
const SAFETY_ORDERS = column('dcaMaxSafetyOrders')
const STEP = column('dcaPriceScalePercent')
const VOLUME_SCALE = column('dcaVolumeScale')
const STEP_MULTIPLIER = column('dcaPriceStepMultiplier')
const TAKE_PROFIT = column('takeProfit')
const STOP_LOSS = column('stopLoss')

const KNOWN = [INVESTMENT, BUDGET, BASE, SAFETY_ORDERS, STEP, VOLUME_SCALE, STEP_MULTIPLIER, TAKE_PROFIT, STOP_LOSS]
const WITHOUT_EFFECT = column('leverage')
const UNKNOWN = CONFIG_FIELDS.map(column).filter((each) => ![...KNOWN, WITHOUT_EFFECT].includes(each))

export const FAMILY_KEY = KNOWN_OF_FAMILY + UNKNOWN.length
export const KEY = FAMILY_KEY + 5

export interface BoardedRow {
  readonly flight: Flight
  readonly slot: number
  /** The config's row begins at `rows[from]`. */
  readonly rows: Float64Array
  readonly from: number
  readonly sizing: Conventions['safetyOrderSizing']
  /** Range of the prices at which deals can start; null when candles may still be appended. */
  readonly starts: { readonly lowest: number; readonly highest: number } | null
}

/** Writes the key of a boarded config from `keys[to]` on. Where levels are computed per deal and starts are not known it need not be boarded: its row says all. */
export function writeKey(keys: Float64Array, to: number, row: BoardedRow): void {
  const { flight, slot, rows, from, sizing } = row
  const { levelsPerDeal, ints } = flight
  const at = slot * INTS
  const orders = existingOrders(row)
  const isScaleIdle = orders <= 1 || (orders === 2 && sizing !== 'scaled-from-base')
  keys[to] = rows[from + BASE]
  keys[to + 1] = rows[from + TAKE_PROFIT]
  keys[to + 2] = orders <= 1 ? 0 : rows[from + STEP]
  keys[to + 3] = isScaleIdle ? 0 : rows[from + VOLUME_SCALE]
  keys[to + 4] = orders <= 2 ? 0 : rows[from + STEP_MULTIPLIER]
  for (let n = 0; n < UNKNOWN.length; n++) keys[to + KNOWN_OF_FAMILY + n] = rows[from + UNKNOWN[n]]
  const own = to + FAMILY_KEY
  keys[own] = orders
  keys[own + 1] = levelsPerDeal ? rows[from + BUDGET] : ints[at + CAPPED]
  keys[own + 2] = rows[from + STOP_LOSS]
  keys[own + 3] = rows[from + INVESTMENT]
  keys[own + 4] = ints[at + UNPLACED_OF_DEAL] // equal deals, and another count of safety orders that were too small
}

/** The number of orders in every deal of this config. Where rounding may change it, the configured number. */
function existingOrders({ flight, slot, rows, from, starts }: BoardedRow): number {
  const { levelsPerDeal, ints, floats } = flight
  if (!levelsPerDeal) return ints[slot * INTS + ORDERS]
  const af = slot * FLOATS
  const isSure = starts !== null && floats[af + SURE_LOW] <= starts.lowest && starts.highest <= floats[af + SURE_HIGH]
  return isSure ? ints[slot * INTS + SURE_ORDERS] : rows[from + SAFETY_ORDERS] + 1
}

/** Gives equal keys one number, from 1 on in order of appearance. Open addressing over flat memory; the caller keeps the keys themselves. */
interface KeyIndex {
  /** The number of the key that begins at `keys[at]`. A new key gets the next number, and `keys[at]` must stay as it is. */
  numberOf(keys: Float64Array, at: number): number
  readonly count: number
  clear(): void
}

const mixing = new DataView(new ArrayBuffer(8))

export function createKeyIndex(capacity: number, width: number): KeyIndex {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * capacity)))
  const places = new Int32Array(size) // number, or 0
  const firsts = new Int32Array(capacity + 1) // where the key of a number begins
  let count = 0

  return {
    numberOf,
    get count() {
      return count
    },
    clear: () => {
      places.fill(0)
      count = 0
    },
  }

  function numberOf(keys: Float64Array, at: number): number {
    let place = hashDoubles(keys, at, width) & (size - 1)
    for (; places[place] !== 0; place = (place + 1) & (size - 1)) {
      if (areEqual(keys, at, firsts[places[place]])) return places[place]
    }
    count++
    places[place] = count
    firsts[count] = at
    return count
  }

  function areEqual(keys: Float64Array, one: number, other: number): boolean {
    for (let column = 0; column < width; column++) if (keys[one + column] !== keys[other + column]) return false
    return true
  }
}

/** 32 bits, signed, of the doubles from `keys[at]` on. */
function hashDoubles(keys: Float64Array, at: number, width: number): number {
  let mixed = 0x9e3779b9
  for (let column = 0; column < width; column++) {
    mixing.setFloat64(0, keys[at + column])
    mixed = Math.imul(mixed ^ mixing.getInt32(0), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13) ^ mixing.getInt32(4), 0xc2b2ae35)
    mixed ^= mixed >>> 16
  }
  return mixed
}
