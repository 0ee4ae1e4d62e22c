import type { Candles } from '../engine/candles.ts'

const COLUMNS = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const
const shared = new WeakMap<Candles, Candles>()

/**
 * The same candles in shared memory, so that workers read them without a copy. Copies once per candles object; candles that
 * are shared already (and slices of such) come back as they are.
 */
export function shareCandles(candles: Candles): Candles {
  if (isShared(candles)) return candles
  const known = shared.get(candles)
  if (known !== undefined) return known
  const copy = sharedColumns(candles.intervalMs, candles.openTime.length)
  for (const name of COLUMNS) copy[name].set(candles[name])
  shared.set(candles, copy)
  return copy
}

/** Shared columns for so many candles, to be read into. */
export function sharedColumns(intervalMs: number, count: number): Candles {
  const column = () => new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT))
  return {
    intervalMs,
    openTime: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
}

function isShared(candles: Candles): boolean {
  return COLUMNS.every((name) => candles[name].buffer instanceof SharedArrayBuffer)
}
