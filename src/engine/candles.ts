/**
 * Candles as the engine takes them: columns of equal length, oldest first, one row per candle that exists.
 * Times are open times in ms UTC; a missing candle is simply absent (time that passed without trading).
 */
export interface Candles {
  readonly intervalMs: number
  readonly openTime: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
}

/** The candles with from ≤ open time < to; shares memory with `candles`. */
export function sliceCandles(candles: Candles, from: number, to: number): Candles {
  const start = lowerBound(candles.openTime, from)
  const end = lowerBound(candles.openTime, to)
  const cut = (column: Float64Array) => column.subarray(start, end)
  return {
    intervalMs: candles.intervalMs,
    openTime: cut(candles.openTime),
    open: cut(candles.open),
    high: cut(candles.high),
    low: cut(candles.low),
    close: cut(candles.close),
    volume: cut(candles.volume),
  }
}

/** How many candles are missing between two neighbouring rows, computed from their open times. */
export function missingBetween(openTime: number, nextOpenTime: number, intervalMs: number): number {
  return Math.max(0, Math.round((nextOpenTime - openTime) / intervalMs) - 1)
}

/** Index of the first value ≥ `value` in an ascending column. */
export function lowerBound(column: Float64Array, value: number): number {
  let low = 0
  let high = column.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (column[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
