import type { Candles } from '../engine/candles.ts'

const shared = new WeakMap<Candles, Candles>()

/**
 * The same candles in shared memory, so that workers read them without a copy. Copies once per candles object; candles that
 * are shared already (and slices of such) come back as they are.
 */
export function shareCandles(candles: Candles): Candles {
  if (isShared(candles)) return candles
  const known = shared.get(candles)
  if (known !== undefined) return known
  const copy: Candles = {
    intervalMs: candles.intervalMs,
    openTime: shareColumn(candles.openTime),
    open: shareColumn(candles.open),
    high: shareColumn(candles.high),
    low: shareColumn(candles.low),
    close: shareColumn(candles.close),
    volume: shareColumn(candles.volume),
  }
  shared.set(candles, copy)
  return copy
}

function isShared(candles: Candles): boolean {
  const { openTime, open, high, low, close, volume } = candles
  return [openTime, open, high, low, close, volume].every(({ buffer }) => buffer instanceof SharedArrayBuffer)
}

function shareColumn(column: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(column.byteLength))
  copy.set(column)
  return copy
}
