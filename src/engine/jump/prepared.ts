import type { Candles } from '../candles.ts'
import { DAY_MS } from '../daily-equity.ts'
import { bytesOf, createMemory, FIRST_BYTE, takeRoom } from './memory.ts'
import { buildPyramid, type Pyramid, pyramidLevels } from './pyramid.ts'

/**
 * Candles prepared for the jump engine, once per market and period. Any number of runs and threads can read them: all of it is in
 * `memory`, which threads share. Volume is not kept. At 8 bytes for each of five columns, 4.6 for the pyramid and a few per day
 * it stays below 48 bytes per candle.
 */
export interface PreparedCandles extends Omit<Candles, 'volume'> {
  readonly memory: WebAssembly.Memory
  /** Where one thread uses the memory for one market after another: the first byte behind these candles. Null where threads share them. */
  readonly spareFrom: number | null
  readonly count: number
  readonly pyramid: Pyramid
  /** One entry per UTC day that has candles: index of its last candle, and days since 1970-01-01. */
  readonly dayEnd: Int32Array
  readonly dayNumber: Int32Array
  /** Time between the first and the last open that no candle covers, ms. */
  readonly missingMs: number
}

/** @param scratch a memory that only this thread has: what was prepared in it before is overwritten. Without it a new, shared memory is made. */
export function prepareCandles(candles: Candles, scratch?: WebAssembly.Memory): PreparedCandles {
  const { intervalMs } = candles
  const count = candles.openTime.length
  const days = findDays(candles.openTime)
  // Candles are read in groups of eight: the columns are filled up with candles that touch no level.
  const padded = Math.ceil(count / 8) * 8
  const { nodes } = pyramidLevels(count)
  const bytes = bytesOf({
    floats: [count, count, padded, padded, count, nodes, nodes, nodes, nodes],
    ints: [days.ends.length, days.ends.length],
  })
  const { memory, room } =
    scratch === undefined ? createMemory(bytes) : { memory: scratch, room: takeRoom(scratch, FIRST_BYTE, bytes) }
  const spareFrom = scratch === undefined ? null : FIRST_BYTE + bytes
  const copy = (column: Float64Array, length: number, beyond: number) => {
    const copied = room.floats(length)
    copied.set(column)
    return copied.fill(beyond, count).subarray(0, count)
  }
  const openTime = copy(candles.openTime, count, 0)
  const open = copy(candles.open, count, 0)
  const high = copy(candles.high, padded, Number.NEGATIVE_INFINITY)
  const low = copy(candles.low, padded, Number.POSITIVE_INFINITY)
  const close = copy(candles.close, count, 0)
  const dayEnd = room.ints(days.ends.length)
  dayEnd.set(days.ends)
  const dayNumber = room.ints(days.ends.length)
  dayNumber.set(days.numbers)
  const span = count === 0 ? 0 : openTime[count - 1] - openTime[0]
  const missingMs = Math.max(0, span - Math.max(0, count - 1) * intervalMs)
  const pyramid = buildPyramid({ low, high, close }, room)
  return {
    memory,
    spareFrom,
    count,
    intervalMs,
    openTime,
    open,
    high,
    low,
    close,
    pyramid,
    dayEnd,
    dayNumber,
    missingMs,
  }
}

let scratch: { readonly candles: WeakRef<Candles>; readonly prepared: PreparedCandles } | undefined

/**
 * Prepares candles for one run, in a memory that this thread reuses: the garbage collector does not know how large such memories
 * are and frees them late. The candles of the last run (the same object) are not prepared again. Valid until the next call.
 */
export function prepareForOneRun(candles: Candles): PreparedCandles {
  if (scratch?.candles.deref() === candles) return scratch.prepared
  const prepared = prepareCandles(candles, scratch?.prepared.memory ?? createMemory(0).memory)
  scratch = { candles: new WeakRef(candles), prepared }
  return prepared
}

function findDays(openTime: Float64Array): { ends: number[]; numbers: number[] } {
  const ends: number[] = []
  const numbers: number[] = []
  for (let i = 0; i < openTime.length; i++) {
    const day = Math.floor(openTime[i] / DAY_MS)
    if (numbers.at(-1) === day) ends[ends.length - 1] = i
    else {
      numbers.push(day)
      ends.push(i)
    }
  }
  return { ends, numbers }
}
