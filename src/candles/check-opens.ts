/**
 * Finds opens that are far from all prices around them. One damaged open is enough to open or close a deal at a price that never
 * existed.
 *
 * The distance is measured in usual spans of this series: the median distance from low to high, including the close before. In
 * recorded crashes an open was up to 12 spans from the close before (BTC-USDT, 19 May 2021) and up to 13 from everything after
 * it; 20 counts as far. The limit is at least 1 %, for markets that hardly move, and at most the limit for jumps.
 *
 * Distances are ratios ≥ 1, so that a fall counts as much as the rise that undoes it.
 */
import type { Candles } from '../engine/candles.ts'
import { power } from '../engine/power.ts'

const farSpans = 20
const leastFar = 1.01
/** Candles after an open with which it is compared when there is none right before it. */
const following = 30
/** At most so many spans are looked at: enough for a median, and more would only take time. */
const mostSpans = 50_000

export interface OpenFindings {
  /** Rows that open far from the close right before them. */
  readonly openJump: readonly number[]
  /** Rows without a candle right before them (the first, and each after a gap) that open far from every price around them. */
  readonly strayOpen: readonly number[]
}

/** Looks at every open. `jumpBound`: the largest ordinary move from close to close, as a share. */
export function findFarOpens(candles: Candles, jumpBound: number): OpenFindings {
  const { intervalMs, openTime, open, close } = candles
  const count = openTime.length
  const usual = usualSpan(candles, 0, count)
  const boundOf = (span: number) => Math.min(1 + jumpBound, Math.max(leastFar, power(span, farSpans)))
  const bound = boundOf(usual)
  const openJump: number[] = []
  const strayOpen: number[] = []
  for (let i = 0; i < count; i++) {
    if (!(open[i] > 0)) continue // `check.ts` reports it as a price of zero or less
    if (i > 0 && openTime[i] - openTime[i - 1] === intervalMs) {
      if (distance(open[i], close[i - 1]) > bound) openJump.push(i)
      continue
    }
    // A recording may begin in the middle of a crash. The candles that follow then have wide spans, which raise the limit.
    const around = usualSpan(candles, i + 1, Math.min(i + 1 + following, count))
    if (nearestPrice(candles, i) > boundOf(Math.max(usual, around))) strayOpen.push(i)
  }
  return { openJump, strayOpen }
}

/** The median span of the candles of rows `start` ≤ i < `end` that moved at all; 1 when none did. */
function usualSpan({ intervalMs, openTime, high, low, close }: Candles, start: number, end: number): number {
  const spans: number[] = []
  const step = Math.ceil((end - start) / mostSpans)
  for (let i = start; i < end; i += step) {
    const joins = i > 0 && openTime[i] - openTime[i - 1] === intervalMs
    const top = joins ? Math.max(high[i], close[i - 1]) : high[i]
    const bottom = joins ? Math.min(low[i], close[i - 1]) : low[i]
    if (bottom > 0 && top > bottom && top < Number.POSITIVE_INFINITY) spans.push(top / bottom)
  }
  const middle = Float64Array.from(spans)
    .sort()
    .at(spans.length >> 1)
  return middle ?? 1
}

/** Distance of an open from the nearest of these prices: the close before, its own close, those of the candles that follow. */
function nearestPrice({ openTime, open, high, low, close }: Candles, row: number): number {
  const price = open[row]
  const before = row === 0 ? Number.POSITIVE_INFINITY : distance(price, close[row - 1])
  let nearest = Math.min(before, distance(price, close[row]))
  for (let i = row + 1; i < Math.min(row + 1 + following, openTime.length); i++) {
    nearest = Math.min(nearest, Math.max(1, price / high[i], low[i] / price))
  }
  return nearest
}

function distance(a: number, b: number): number {
  return Math.max(a / b, b / a)
}
