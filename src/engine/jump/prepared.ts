import type { Candles } from '../candles.ts'
import { DAY_MS } from '../daily-equity.ts'
import { addRoom, bytesNeeded, createMemory, FIRST_BYTE, takeRoom } from './memory.ts'
import { buildCodes, buildPyramid, type Codes, codeLengths, type Pyramid, pyramidLevels } from './pyramid.ts'

/**
 * Candles prepared for the jump engine, once per market and period. Any number of runs and threads can read them: all of it is in
 * `memory`, which threads share. Volume is not kept. At 8 bytes for each of five columns, 4.6 for the pyramid, 4.3 for codes and a few per day
 * it stays below 50 bytes per candle.
 */
export interface PreparedCandles extends Omit<Candles, 'volume'> {
  readonly memory: WebAssembly.Memory
  /** Where one thread uses the memory for one market after another: the first byte behind these candles. Null where threads share them. */
  readonly spareFrom: number | null
  readonly count: number
  readonly pyramid: Pyramid
  readonly codes: Codes
  /** One entry per UTC day that has candles: index of its last candle, and days since 1970-01-01. */
  readonly dayEnd: Int32Array
  readonly dayNumber: Int32Array
  /** Time between the first and the last open that no candle covers, ms. */
  readonly missingMs: number
}

/** Room for candles where they are prepared: whoever reads them writes them here, so that they are in memory only once. */
export interface CandleRoom {
  /** For as many candles as were asked for. Volume has no room: its column is empty. */
  readonly columns: Candles
  /** Prepares the first `count` candles of the columns. Once, when they are written. */
  prepare(count: number): PreparedCandles
}

const NO_VOLUME = new Float64Array(0)

/**
 * Memory that is never written costs nothing, so `most` may be more than there will be.
 * @param scratch a memory that only this thread has: what was prepared in it before is overwritten. Without it a new, shared memory is made.
 */
export function createCandleRoom(
  { intervalMs, most }: { readonly intervalMs: number; readonly most: number },
  scratch?: WebAssembly.Memory,
): CandleRoom {
  const bytes = bytesNeeded({ floats: [most, most, inEights(most), inEights(most), most], ints: [] })
  const { memory, room } =
    scratch === undefined ? createMemory(bytes) : { memory: scratch, room: takeRoom(scratch, FIRST_BYTE, bytes) }
  const openTime = room.floats(most)
  const open = room.floats(most)
  const highs = room.floats(inEights(most))
  const lows = room.floats(inEights(most))
  const close = room.floats(most)
  const cut = (column: Float64Array, count: number) => column.subarray(0, count)
  const columns = { intervalMs, openTime, open, high: cut(highs, most), low: cut(lows, most), close, volume: NO_VOLUME }
  return { columns, prepare }

  function prepare(count: number): PreparedCandles {
    // Candles are read in groups of eight: the last group is filled up with candles that touch no level.
    highs.fill(Number.NEGATIVE_INFINITY, count, inEights(count))
    lows.fill(Number.POSITIVE_INFINITY, count, inEights(count))
    const ordered = {
      openTime: cut(openTime, count),
      open: cut(open, count),
      high: cut(highs, count),
      low: cut(lows, count),
      close: cut(close, count),
    }
    const days = findDays(ordered.openTime)
    const { nodes } = pyramidLevels(count)
    const { ints, scales } = codeLengths(count)
    const more = bytesNeeded({
      floats: [nodes, nodes, nodes, nodes, scales],
      ints: [ints, days.ends.length, days.ends.length],
    })
    const behind = scratch === undefined ? addRoom(memory, more) : takeRoom(memory, FIRST_BYTE + bytes, more)
    const pyramid = buildPyramid(ordered, behind)
    const codes = buildCodes(ordered, behind)
    const dayEnd = behind.ints(days.ends.length)
    dayEnd.set(days.ends)
    const dayNumber = behind.ints(days.ends.length)
    dayNumber.set(days.numbers)
    const span = count === 0 ? 0 : openTime[count - 1] - openTime[0]
    const missingMs = Math.max(0, span - Math.max(0, count - 1) * intervalMs)
    const spareFrom = scratch === undefined ? null : FIRST_BYTE + bytes + more
    return { memory, spareFrom, count, intervalMs, ...ordered, pyramid, codes, dayEnd, dayNumber, missingMs }
  }
}

function inEights(count: number): number {
  return Math.ceil(count / 8) * 8
}

/** Prepares a copy of candles. `scratch`: as of `createCandleRoom`. */
export function prepareCandles(candles: Candles, scratch?: WebAssembly.Memory): PreparedCandles {
  const count = candles.openTime.length
  const { columns, prepare } = createCandleRoom({ intervalMs: candles.intervalMs, most: count }, scratch)
  for (const name of ['openTime', 'open', 'high', 'low', 'close'] as const) columns[name].set(candles[name])
  return prepare(count)
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
