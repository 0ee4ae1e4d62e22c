import type { Candles } from '../candles.ts'
import { DAY_MS } from '../daily-equity.ts'
import { buildPyramid, type Pyramid, sharedColumn } from './pyramid.ts'

/**
 * Candles made ready for the jump engine: once per market and period, then read by any number of runs and workers. Plain data; the
 * columns made here lie in shared memory, the candle columns stay where the caller has them (volume is not kept). At 8 bytes for each of
 * five columns, 4.6 for the pyramid and a few per day it stays below 45 bytes per candle.
 */
export interface PreparedCandles {
  readonly count: number
  readonly intervalMs: number
  readonly openTime: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly pyramid: Pyramid
  /** One entry per UTC day that has candles: index of its last candle, and days since 1970-01-01. */
  readonly dayEnd: Int32Array
  readonly dayNumber: Int32Array
  /** Time between the first and the last open that no candle covers, ms. */
  readonly missingMs: number
}

export function prepareCandles(candles: Candles): PreparedCandles {
  const { intervalMs, openTime, open, high, low, close } = candles
  const count = openTime.length
  const { dayEnd, dayNumber } = findDays(openTime)
  const span = count === 0 ? 0 : openTime[count - 1] - openTime[0]
  const missingMs = Math.max(0, span - Math.max(0, count - 1) * intervalMs)
  const pyramid = buildPyramid({ low, high, close })
  return { count, intervalMs, openTime, open, high, low, close, pyramid, dayEnd, dayNumber, missingMs }
}

function findDays(openTime: Float64Array): { dayEnd: Int32Array; dayNumber: Int32Array } {
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
  return { dayEnd: sharedInts(ends), dayNumber: sharedInts(numbers) }
}

function sharedInts(values: readonly number[]): Int32Array {
  const column = new Int32Array(new SharedArrayBuffer(values.length * Int32Array.BYTES_PER_ELEMENT))
  column.set(values)
  return column
}

/** A copy whose candle columns lie in shared memory too: what a pool of workers is given. */
export function sharePrepared(prepared: PreparedCandles): PreparedCandles {
  const share = (column: Float64Array) => {
    if (column.buffer instanceof SharedArrayBuffer) return column
    const copy = sharedColumn(column.length)
    copy.set(column)
    return copy
  }
  const { openTime, open, high, low, close } = prepared
  return {
    ...prepared,
    openTime: share(openTime),
    open: share(open),
    high: share(high),
    low: share(low),
    close: share(close),
  }
}
