/** The price over a stretch of time, as few rows as a screen can show. Pure. */
import { type Candles, lowerBound } from '../../../engine/candles.ts'

/** Open times, ms UTC; `to` is exclusive. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** What happened between two times, ms UTC; prices in quote. */
export interface PriceBar {
  readonly time: number
  readonly end: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** Below it single candles can be told apart. */
const STICKS_BELOW_MS = 3 * 86_400_000
const MOST_STICKS = 180
const MOST_BARS = 600

export function wholeWindow({ openTime, intervalMs }: Candles): TimeWindow {
  return { from: openTime.at(0) ?? 0, to: (openTime.at(-1) ?? 0) + intervalMs }
}

export function showsSticks({ from, to }: TimeWindow): boolean {
  return to - from < STICKS_BELOW_MS
}

/**
 * Bars of equal length over the window, each from the candles in it: nothing that the price touched is lost. Without candles there is no bar.
 * @param longestMs of merged candles, which reach to the next one
 */
export function priceBars(candles: Candles, window: TimeWindow, longestMs = candles.intervalMs): PriceBar[] {
  const { openTime, intervalMs, open, high, low, close } = candles
  const most = showsSticks(window) ? MOST_STICKS : MOST_BARS
  const length = intervalMs * Math.max(1, Math.ceil((window.to - window.from) / intervalMs / most))
  const bars: PriceBar[] = []
  let i = lowerBound(openTime, window.from)
  const last = lowerBound(openTime, window.to)
  while (i < last) {
    const time = Math.floor(openTime[i] / length) * length
    const bar = { time, end: time + length, open: open[i], high: high[i], low: low[i], close: close[i] }
    for (; i < last && openTime[i] < bar.end; i++) {
      bar.high = Math.max(bar.high, high[i])
      bar.low = Math.min(bar.low, low[i])
      bar.close = close[i]
    }
    bar.end = Math.max(bar.end, Math.min(openTime.at(i) ?? bar.end, openTime[i - 1] + longestMs))
    bars.push(bar)
  }
  return bars
}

const SHORTEST_CANDLES = 20

/** `window` made `factor` times as long around its middle, inside `whole` and not shorter than twenty candles. */
export function zoomed(
  window: TimeWindow,
  factor: number,
  { whole, intervalMs }: { readonly whole: TimeWindow; readonly intervalMs: number },
): TimeWindow {
  const middle = (window.from + window.to) / 2
  const length = Math.max(SHORTEST_CANDLES * intervalMs, factor * (window.to - window.from))
  return within({ from: middle - length / 2, to: middle + length / 2 }, whole)
}

/** Moved by a share of its own length. */
export function moved(window: TimeWindow, share: number, whole: TimeWindow): TimeWindow {
  const by = share * (window.to - window.from)
  return within({ from: window.from + by, to: window.to + by }, whole)
}

/** As long as it was, where that fits. */
export function within({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const length = Math.min(to - from, whole.to - whole.from)
  const start = Math.min(Math.max(from, whole.from), whole.to - length)
  return { from: start, to: start + length }
}
