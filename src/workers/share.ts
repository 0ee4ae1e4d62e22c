import type { Candles } from '../engine/candles.ts'

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
