import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { advanceBatch, type Batch } from './batch.ts'
import { type BoardedRow, createKeyIndex, FAMILY_KEY, KEY, writeKey } from './canonical.ts'
import { createColumns, readBatch, type SweepColumns, type WantedColumns } from './columns.ts'
import { type DurationCounts, planDurations } from './durations.ts'
import { boardConfig, createFlight, type FlightRoom, type Market } from './flight.ts'
import { ORDERS_SHIFT } from './layout.ts'
import type { PreparedCandles } from './prepared.ts'
import { MOST_CONFIGS, workbenchOf } from './workbench.ts'

type Column = Float64Array | Int32Array | Uint8Array

export interface SweepOptions extends Market, WantedColumns {}

/** Doubles per config: CONFIG_FIELDS in their order. */
export const CONFIG_ROW = CONFIG_FIELDS.length
const SAFETY_ORDERS = CONFIG_FIELDS.indexOf('dcaMaxSafetyOrders')

/** What a flight observes, by what is wanted. */
const OBSERVED = { profit: undefined, used: 'used', returns: 'returns', full: 'all' } as const

interface Sweep {
  /** Runs all configs on all candles. `rows` holds CONFIG_ROW doubles per valid config; the columns have one value per config. */
  run(rows: Float64Array): Swept
  /** The same, but keeps the state of the configs (about 1 kB each) to continue when candles are appended. */
  start(rows: Float64Array): SweepInFlight
}

interface Swept extends SweepColumns {
  /** Simulations it took: equal configs share one. */
  readonly simulated: number
}

interface SweepInFlight {
  /** Results so far. */
  read(): SweepColumns
  /** Continues over candles of which the first ones are those of before. */
  advance(longer: PreparedCandles): void
}

/**
 * The screening kernel: many configs on one market. Equal configs run once (canonical.ts). Configs of one family run one after
 * another and share deals (memo.ts). All configs of a batch walk one block of candles before the next block begins (batch.ts).
 */
export function createSweep(prepared: PreparedCandles, options: SweepOptions): Sweep {
  const durations = options.durations === true ? planDurations(prepared) : null
  const starts = rangeOfStarts(prepared, options)
  return { run, start }

  function run(rows: Float64Array): Swept {
    const plan = planSweep(rows, options, starts)
    const distinct = createColumns(plan.rowOf.length, options)
    const room = workbenchOf(prepared).roomFor(MOST_CONFIGS * (durations?.stride ?? 0))
    for (let first = 0; first < plan.rowOf.length; first += MOST_CONFIGS) {
      const batch = boardBatch(plan, first, rows, { ...options, durations, room })
      advanceBatch(batch, prepared)
      readBatch(distinct, first, batch, prepared)
    }
    return { ...spreadOver(plan, distinct), simulated: plan.rowOf.length }
  }

  function start(rows: Float64Array): SweepInFlight {
    // The room for durations follows from the span, which is not known yet.
    if (durations !== null) throw new Error('durations are not counted while candles are appended')
    const plan = planSweep(rows, options, null)
    const batches: Batch[] = []
    for (let first = 0; first < plan.rowOf.length; first += MOST_CONFIGS)
      batches.push(boardBatch(plan, first, rows, { ...options, durations }))
    let candles = prepared
    const advance = (longer: PreparedCandles) => {
      candles = longer
      for (const batch of batches) advanceBatch(batch, candles)
    }
    const read = () => {
      const distinct = createColumns(plan.rowOf.length, options)
      batches.forEach((batch, index) => {
        readBatch(distinct, index * MOST_CONFIGS, batch, candles)
      })
      return spreadOver(plan, distinct)
    }
    advance(prepared)
    return { read, advance }
  }

  function spreadOver(plan: SweepPlan, distinct: SweepColumns): SweepColumns {
    const columns = createColumns(plan.placeOf.length, options)
    spreadColumns(columns, distinct, plan.placeOf)
    return columns
  }
}

/** The distinct configs in the order in which they run: families together, the longest ladder first. */
interface SweepPlan {
  /** By place in the order: a row that has this config, and its family (from 1). */
  readonly rowOf: Int32Array
  readonly familyOf: Int32Array
  /** By row: the place of its config. */
  readonly placeOf: Int32Array
}

const MOST_ROWS = 2 ** 21
const MOST_ORDERS = 1 << ORDERS_SHIFT

/** The range of prices, in quote, at which deals on these candles can start: at an open, slippage added; null without candles. */
export function rangeOfStarts(
  { count, pyramid }: PreparedCandles,
  { costs }: Pick<Market, 'costs'>,
): BoardedRow['starts'] {
  const { lowest, highest, level4 } = pyramid
  if (count === 0) return null
  const least = lowest.subarray(level4).reduce((min, value) => Math.min(min, value))
  const most = highest.subarray(level4).reduce((max, value) => Math.max(max, value))
  return { lowest: least, highest: most * (1 + costs.slippagePercent / 100) }
}

function planSweep(rows: Float64Array, options: SweepOptions, starts: BoardedRow['starts']): SweepPlan {
  const count = rows.length / CONFIG_ROW
  if (!Number.isInteger(count) || count > MOST_ROWS)
    throw new Error(`a sweep takes up to ${MOST_ROWS} whole config rows`)
  let maxSafetyOrders = 0
  for (let at = SAFETY_ORDERS; at < rows.length; at += CONFIG_ROW) maxSafetyOrders = Math.max(maxSafetyOrders, rows[at])
  // Room for one config: each in turn is read into it for its key.
  const one = createFlight(options, { configs: 1, rows: 0, maxSafetyOrders })
  const place = { slot: 0, table: 0, family: 0 }
  const boarded = { flight: one, slot: 0, rows, from: 0, sizing: options.conventions.safetyOrderSizing, starts }
  const config = emptyConfig()
  const keys = new Float64Array(count * KEY)
  const configs = createKeyIndex(count, KEY)
  const families = createKeyIndex(count, FAMILY_KEY)
  const numberOf = new Int32Array(count)
  const rowOfNumber = new Int32Array(count)
  // One sortable number per distinct config: family, then safety orders from many to few, then the config itself.
  const order = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    boarded.from = row * CONFIG_ROW
    boardConfig(one, place, readConfig(config, rows, boarded.from), options)
    writeKey(keys, row * KEY, boarded)
    const before = configs.count
    const number = configs.numberOf(keys, row * KEY)
    numberOf[row] = number - 1
    if (configs.count === before) continue
    rowOfNumber[number - 1] = row
    const family = families.numberOf(keys, row * KEY)
    const fewness = MOST_ORDERS - 1 - keys[row * KEY + FAMILY_KEY]
    order[number - 1] = (family * MOST_ORDERS + fewness) * MOST_ROWS + number - 1
  }

  const sorted = order.subarray(0, configs.count).sort()
  const placeOfNumber = new Int32Array(sorted.length)
  const rowOf = new Int32Array(sorted.length)
  const familyOf = new Int32Array(sorted.length)
  for (let place = 0; place < sorted.length; place++) {
    const number = sorted[place] % MOST_ROWS
    placeOfNumber[number] = place
    rowOf[place] = rowOfNumber[number]
    familyOf[place] = Math.floor(sorted[place] / (MOST_ORDERS * MOST_ROWS))
  }
  // A family of one has nothing to share.
  const isAlone = (place: number) => familyOf[place] !== familyOf[place - 1] && familyOf[place] !== familyOf[place + 1]
  const shared = familyOf.map((family, place) => (isAlone(place) ? 0 : family))
  return { rowOf, familyOf: shared, placeOf: numberOf.map((number) => placeOfNumber[number]) }
}

interface BatchOptions extends Omit<SweepOptions, 'durations'> {
  readonly durations: DurationCounts | null
  readonly room?: FlightRoom
}

function boardBatch({ rowOf, familyOf }: SweepPlan, first: number, rows: Float64Array, options: BatchOptions): Batch {
  const configs = Math.min(MOST_CONFIGS, rowOf.length - first)
  let tableRows = 0
  let maxSafetyOrders = 0
  for (let slot = 0; slot < configs; slot++) {
    const orders = rows[rowOf[first + slot] * CONFIG_ROW + SAFETY_ORDERS]
    tableRows += orders + 1
    maxSafetyOrders = Math.max(maxSafetyOrders, orders)
  }
  const observes = OBSERVED[options.want]
  const { durations } = options
  const size = { configs, rows: tableRows, maxSafetyOrders, observes, durations }
  const flight = createFlight(options, size, options.room)
  const place = { slot: 0, table: 0, family: 0 }
  const config = emptyConfig()
  for (; place.slot < configs; place.slot++) {
    place.family = familyOf[first + place.slot]
    readConfig(config, rows, rowOf[first + place.slot] * CONFIG_ROW)
    place.table += boardConfig(flight, place, config, options)
  }
  return { flight, configs, done: 0 }
}

const emptyConfig = () =>
  Object.fromEntries(CONFIG_FIELDS.map((field) => [field, Number.NaN])) as Record<ConfigField, number> // one per field

/** Called millions of times: by these names a row is read four times as fast as by those of a list. What CONFIG has after them is read by the list. */
function readConfig(config: Record<ConfigField, number>, rows: Float64Array, from: number): DcaSpotConfig {
  config.investment = rows[from]
  config.leverage = rows[from + 1]
  config.dcaTotalBudget = rows[from + 2]
  config.dcaInitialOrderSize = rows[from + 3]
  config.dcaMaxSafetyOrders = rows[from + 4]
  config.dcaPriceScalePercent = rows[from + 5]
  config.dcaVolumeScale = rows[from + 6]
  config.dcaPriceStepMultiplier = rows[from + 7]
  config.takeProfit = rows[from + 8]
  config.stopLoss = rows[from + 9]
  for (let column = 10; column < CONFIG_ROW; column++) config[CONFIG_FIELDS[column]] = rows[from + column]
  return config
}

/** Writes a config as a row of `rows`. */
export function writeConfigRow(rows: Float64Array, row: number, config: DcaSpotConfig): void {
  for (let column = 0; column < CONFIG_ROW; column++) rows[row * CONFIG_ROW + column] = config[CONFIG_FIELDS[column]]
}

/** Copies to each row of `target`, a record of columns and of such records, the row of `source` that `places` names. So equal configs get the same result. */
function spreadColumns<Columns extends object>(target: Columns, source: Columns, places: Int32Array): void {
  for (const name of Object.keys(target) as (keyof Columns)[]) {
    const to = target[name]
    const from = source[name]
    if (!(to instanceof Object && from instanceof Object)) continue
    if (!ArrayBuffer.isView(to)) spreadColumns<object>(to, from, places)
    else copyPlaces(to as unknown as Column, from as unknown as Column, places) // all views in these records are number columns
  }
}

function copyPlaces(to: Column, from: Column, places: Int32Array): void {
  for (let row = 0; row < to.length; row++) to[row] = from[places[row]]
}
