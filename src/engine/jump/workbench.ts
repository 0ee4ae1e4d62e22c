import { CONFIG_BOUNDS } from '../../contract/bot.ts'
import type { Conventions } from '../conventions.ts'
import { NO_FALL } from '../drawdown.ts'
import { CAP_TOLERANCE, TOUCH } from '../levels.ts'
import type { DecimalStep } from '../numbers.ts'
import type { Flight, FlightRoom } from './flight.ts'
import { KERNEL } from './kernel-code.ts'
import * as layout from './layout.ts'
import { addRoom, bytesNeeded, takeRoom } from './memory.ts'
import type { PreparedCandles } from './prepared.ts'

/** The most configs of one flight: their state and a block of candles fit into the second-level cache together. */
export const MOST_CONFIGS = 512
const MOST_ROWS = MOST_CONFIGS * (CONFIG_BOUNDS.dcaMaxSafetyOrders.max + 1)

/**
 * The kernel (`assembly/`, compiled to WebAssembly): the work done for every config on every block of candles. It runs in the
 * memory that holds the candles; `layout.ts` says where everything is.
 */
interface Kernel {
  /** Reads the scene that begins at this byte. */
  setScene(at: number): void
  /** Walks the configs in the slots 0 ≤ slot < configs over the candles from ≤ i < to of one block. Configs of one family share deals. */
  walkBlock(configs: number, from: number, to: number): void
  /** The same, and sums how much quote deals used and how long. */
  useBlock(configs: number, from: number, to: number): void
  /** The same, and sums daily returns. */
  returnBlock(configs: number, from: number, to: number): void
  /** The same, and observes all that metrics need. */
  watchBlock(configs: number, from: number, to: number): void
  /** The same for slots that all have one config, watched and with levels per deal; a block has STARTS_BLOCK candles. */
  watchStarts(configs: number, from: number, to: number): void
  /** The same for slot 0 alone, which shares nothing, and reports its deals: logged with the lowest value of each. Returns the number of log entries. */
  reportBlock(from: number, to: number): number
}

/** Where one thread walks flights over the candles of one market: the kernel, and the memory it works in. */
export interface Workbench {
  readonly kernel: Kernel
  /** Room in the kernel's memory, for a flight that boards before any other and need not be kept: it is not copied. */
  roomFor(durationInts: number): FlightRoom
  /** Entries of the last logged walk; `layout.ts` has their form. */
  readonly logInts: Int32Array
  readonly logFloats: Float64Array
  /** Equity at day ends, one per entry of `dayEnd`; written when a flight boards with `wantsSeries`. */
  readonly series: Float64Array
  /** Copies a flight's state into the kernel's memory, unless it is there, so that the kernel can continue it. */
  board(flight: Flight, options: { readonly wantsSeries: boolean }): void
  /** Copies the flight's state back. */
  leave(flight: Flight): void
}

let compiled: WebAssembly.Module | undefined

const workbenches = new WeakMap<PreparedCandles, Workbench>()

/** The workbench of this thread for these candles. A flight must leave before another one boards. */
export function workbenchOf(prepared: PreparedCandles): Workbench {
  const known = workbenches.get(prepared) ?? createWorkbench(prepared)
  workbenches.set(prepared, known)
  return known
}

const MEMO_ENTRIES = layout.STARTS_BLOCK + layout.MOST_CARRIED
const LOG_ENTRIES = layout.BLOCK * layout.ENTRIES_PER_CANDLE
const FLOATS = {
  scene: layout.SCENE,
  tables: MOST_ROWS * layout.ROW,
  rungs: MOST_ROWS * layout.RUNG,
  floats: MOST_CONFIGS * layout.FLOATS,
  watches: MOST_CONFIGS * layout.WATCH,
  logFloats: LOG_ENTRIES * layout.LOG_FLOATS,
  memo: (MEMO_ENTRIES * layout.MEMO_ENTRY) / 8,
  memoOrders: (MEMO_ENTRIES * layout.MEMO_ORDERS) / 8,
  memoPlaces: layout.STARTS_BLOCK / 4,
  // One more is read where a deal ended no day.
  dayEnds: layout.MOST_DAY_ENDS + 1,
  // A day for every candle, the day before, and one that makes their number even.
  dayEquities: layout.STARTS_BLOCK + 2,
  trail: ((CONFIG_BOUNDS.dcaMaxSafetyOrders.max + 2) * layout.TRAIL_ENTRY) / 8,
}
const INTS = { ints: MOST_CONFIGS * layout.INTS, logInts: LOG_ENTRIES * layout.LOG_INTS }

function createWorkbench(prepared: PreparedCandles): Workbench {
  const days = prepared.dayEnd.length
  const bytes = bytesNeeded({ floats: [...Object.values(FLOATS), days], ints: Object.values(INTS) })
  const { memory, spareFrom } = prepared
  const room = spareFrom === null ? addRoom(memory, bytes) : takeRoom(memory, spareFrom, bytes)
  const scene = room.floats(FLOATS.scene)
  const memo = room.floats(FLOATS.memo)
  const bench = {
    ints: room.ints(INTS.ints),
    rungs: room.floats(FLOATS.rungs),
    floats: room.floats(FLOATS.floats),
    watches: room.floats(FLOATS.watches),
    logInts: room.ints(INTS.logInts),
    logFloats: room.floats(FLOATS.logFloats),
    series: room.floats(days),
    tables: room.floats(FLOATS.tables),
  }
  scene[layout.MEMO_PLACES_AT] = room.floats(FLOATS.memoPlaces).byteOffset
  scene[layout.MEMO_ORDERS_AT] = room.floats(FLOATS.memoOrders).byteOffset
  scene[layout.DAY_ENDS_AT] = room.floats(FLOATS.dayEnds).byteOffset
  scene[layout.DAY_EQUITIES_AT] = room.floats(FLOATS.dayEquities).byteOffset
  scene[layout.TRAIL_AT] = room.floats(FLOATS.trail).byteOffset
  const kernel = createKernel(memory)
  placeCandles(scene, prepared)
  scene[layout.TABLES_AT] = bench.tables.byteOffset
  scene[layout.RUNGS_AT] = bench.rungs.byteOffset
  scene[layout.INTS_AT] = bench.ints.byteOffset
  scene[layout.FLOATS_AT] = bench.floats.byteOffset
  scene[layout.WATCHES_AT] = bench.watches.byteOffset
  scene[layout.LOG_INTS_AT] = bench.logInts.byteOffset
  scene[layout.LOG_FLOATS_AT] = bench.logFloats.byteOffset
  scene[layout.MEMO_AT] = memo.byteOffset

  // Most flights count no durations, so their room is only made for one that does.
  let durations: Int32Array = new Int32Array(0)
  const takeDurations = (length: number) => {
    if (durations.length >= length) return durations
    const needed = bytesNeeded({ floats: [], ints: [length] })
    const more = spareFrom === null ? addRoom(memory, needed) : takeRoom(memory, spareFrom + bytes, needed)
    durations = more.ints(length)
    return durations
  }
  const roomFor = (durationInts: number) => ({ ...bench, durations: takeDurations(durationInts) })

  return { kernel, ...bench, roomFor, board, leave }

  function board(flight: Flight, { wantsSeries }: { readonly wantsSeries: boolean }): void {
    takeDurations(flight.durations.length)
    if (!isHere(flight)) {
      bench.tables.set(flight.tables)
      bench.rungs.set(flight.rungs)
      bench.ints.set(flight.ints)
      bench.floats.set(flight.floats)
      bench.watches.set(flight.watches)
      durations.set(flight.durations)
    }
    scene[layout.DURATIONS_AT] = flight.durations.length === 0 ? 0 : durations.byteOffset
    scene[layout.DURATION_STRIDE] = flight.durationCounts.stride
    scene[layout.DURATION_BINS] = flight.durationCounts.bins
    placeRules(scene, flight)
    scene[layout.SERIES_AT] = wantsSeries ? bench.series.byteOffset : 0
    kernel.setScene(scene.byteOffset)
  }

  function isHere({ ints: { buffer, byteOffset } }: Flight): boolean {
    return byteOffset === bench.ints.byteOffset && buffer === bench.ints.buffer
  }

  function leave(flight: Flight): void {
    if (isHere(flight)) return
    // Walks write rows only where levels are computed per deal.
    if (flight.levelsPerDeal) flight.tables.set(bench.tables.subarray(0, flight.tables.length))
    flight.ints.set(bench.ints.subarray(0, flight.ints.length))
    flight.floats.set(bench.floats.subarray(0, flight.floats.length))
    flight.watches.set(bench.watches.subarray(0, flight.watches.length))
    flight.durations.set(durations.subarray(0, flight.durations.length))
  }
}

function placeCandles(scene: Float64Array, prepared: PreparedCandles): void {
  const { open, high, low, close, openTime, dayEnd, pyramid } = prepared
  scene[layout.OPEN_AT] = open.byteOffset
  scene[layout.HIGH_AT] = high.byteOffset
  scene[layout.LOW_AT] = low.byteOffset
  scene[layout.CLOSE_AT] = close.byteOffset
  scene[layout.OPEN_TIME_AT] = openTime.byteOffset
  scene[layout.LOWEST_AT] = pyramid.lowest.byteOffset
  scene[layout.LOWEST_CLOSE_AT] = pyramid.lowestClose.byteOffset
  scene[layout.HIGHEST_CLOSE_AT] = pyramid.highestClose.byteOffset
  scene[layout.LEVEL_2] = pyramid.level2
  scene[layout.LEVEL_3] = pyramid.level3
  scene[layout.LEVEL_4] = pyramid.level4
  scene[layout.CODES_AT] = prepared.codes.codes.byteOffset
  scene[layout.CODE_LINES] = prepared.codes.lines
  scene[layout.CODE_SCALES_AT] = prepared.codes.scales.byteOffset
  scene[layout.DAY_END_AT] = dayEnd.byteOffset
  scene[layout.DAYS] = dayEnd.length
  scene[layout.INTERVAL_MS] = prepared.intervalMs
  scene[layout.MISSING_MS] = prepared.missingMs
}

const INTRABAR: Readonly<Record<Conventions['intrabar'], number>> = {
  'low-first': layout.LOW_FIRST,
  'high-first': layout.HIGH_FIRST,
  'candle-colour': layout.CANDLE_COLOUR,
  pessimistic: layout.PESSIMISTIC,
  optimistic: layout.OPTIMISTIC,
}

function placeRules(scene: Float64Array, flight: Flight): void {
  const { conventions, feeRate, slippageRate, levelsPerDeal, rules } = flight
  scene[layout.FEE_RATE] = feeRate
  scene[layout.SLIPPAGE_RATE] = slippageRate
  scene[layout.INTRABAR] = INTRABAR[conventions.intrabar]
  scene[layout.STOPS_AFTER_LOSS] = conventions.afterStopLoss === 'stop' ? 1 : 0
  scene[layout.LEVELS_PER_DEAL] = levelsPerDeal ? 1 : 0
  scene[layout.TOUCH_WITHIN] = TOUCH
  scene[layout.CAP_WITHIN] = CAP_TOLERANCE
  scene[layout.NO_FALL_WITHIN] = NO_FALL
  scene.set(stepNumbers(rules.tick), layout.TICK)
  scene.set(stepNumbers(rules.lot), layout.LOT)
  scene[layout.LOT_UP] = conventions.lotRounding === 'up' ? 1 : 0
  scene[layout.MIN_NOTIONAL] = rules.minNotional
  scene[layout.ANCHOR_RATIO] = conventions.basePrice === 'fill-with-fee' ? 1 + feeRate : 1
  scene[layout.STOP_UNDER_AVERAGE] = conventions.stopLossBasis === 'average' ? 1 : 0
}

function stepNumbers(rule: DecimalStep | null): number[] {
  return rule === null ? [0, 1, 0, 1] : [rule.step, rule.digits, rule.decimals, rule.scale]
}

function createKernel(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(decode(KERNEL))
  // For steps with so many decimals that no double holds the power of ten.
  const rounding = { nearestDecimal: (numerator: number, decimals: number) => Number(`${numerator}e-${decimals}`) }
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, rounding })
  return exports as unknown as Kernel // index.ts of the kernel exports exactly these
}

/** Each thread does it once: one index after the other takes a sixth of what `Uint8Array.from` takes. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
