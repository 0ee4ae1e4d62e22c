/** Which candles a report carries: all of them as long as they are few enough, else merged ones for its pictures. */
import type { Candles } from '../../engine/candles.ts'
import type { StudyInput } from './input.ts'
import { packCandles } from './model/candle-block.ts'
import type { PageCandles } from './model/document.ts'

export interface EmbeddedCandles {
  readonly stated: PageCandles
  readonly bytes: Uint8Array | null
}

/** 150 days of minutes: about a megabyte. */
export const MOST_CANDLES = 216_000

/** Candles of a picture that is 4,000 pixels wide. */
const COARSE_CANDLES = 4000

export function embedCandles({ candles: found, embedded }: StudyInput, block: string): EmbeddedCandles {
  if (found.kind === 'absent') return absent(found.reason)
  if (embedded === 'none')
    return absent('the report was made without them: `dcalab report --candles full` includes them')
  const { candles, interval, hash, missing } = found
  const count = candles.openTime.length
  if (embedded === 'full' || count <= MOST_CANDLES) {
    return { stated: { kind: 'full', block, interval, hash, missing }, bytes: packCandles(candles) }
  }
  const merged = Math.ceil(count / COARSE_CANDLES)
  const reason = `the ${count.toLocaleString('en-US')} candles would make this file too large, so each one here is made of ${merged}: \`dcalab report --candles full\` includes all`
  return {
    stated: { kind: 'coarse', block, interval, hash, merged, reason },
    bytes: packCandles(mergeCandles(candles, merged)),
  }
}

function absent(reason: string): EmbeddedCandles {
  return { stated: { kind: 'absent', reason }, bytes: null }
}

/** Every `size` neighbours as one, by place, not by time: at a gap one spans it. */
function mergeCandles(candles: Candles, size: number): Candles {
  const { openTime, open, high, low, close, intervalMs } = candles
  const count = Math.ceil(openTime.length / size)
  const column = (value: (from: number, to: number) => number) =>
    Float64Array.from({ length: count }, (_, i) => value(i * size, Math.min(openTime.length, (i + 1) * size)))
  return {
    intervalMs, // times are multiples of it still
    openTime: column((from) => openTime[from]),
    open: column((from) => open[from]),
    high: column((from, to) => high.subarray(from, to).reduce((most, each) => Math.max(most, each))),
    low: column((from, to) => low.subarray(from, to).reduce((least, each) => Math.min(least, each))),
    close: column((_, to) => close[to - 1]),
    volume: new Float64Array(count),
  }
}
