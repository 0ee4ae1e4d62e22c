/**
 * What a deal held, stretch by stretch, while a sweep observes risk, and how high it stood at the closes of these.
 *
 *     trail      candle · row    candle · row    …       from this candle on the deal held what this row says, until the next one
 */
import { BLOCK, CASH, COST, NEXT, PEAK, QUANTITY, ROW, TRAIL_ENTRY } from '../layout'
import { foldHighCloses, highestClose } from './extremes'
import { above, keep, low, trail } from './scene'
import { Search } from './search'

const ROW_BYTES: usize = ROW * 8

/** The holdings of the open deal in this block, in their order. */
export class Trail {
  /** Begins a holding with candle `i`; returns the new end. */
  @inline
  static hold(end: usize, i: i32, row: usize): usize {
    store<i32>(end, i)
    store<i32>(end, i32(row), 4)
    return end + TRAIL_ENTRY
  }
}

/** The first candle after a holding of the trail. */
export function endOfHolding(at: usize, end: usize, until: i32): i32 {
  return at + TRAIL_ENTRY < end ? load<i32>(at, TRAIL_ENTRY) : until
}

/** What a holding is worth over the cash that its deal began with. */
export class Worth {
  @inline
  static at(row: usize, scale: f64, price: f64): f64 {
    return (load<f64>(row, QUANTITY * 8) / scale) * keep * price - load<f64>(row, COST * 8)
  }
}

/** The highest worth at the closes of all holdings up to candle `until`; −∞ without candles. */
export function topOf(end: usize, until: i32, scale: f64): f64 {
  let top: f64 = -Infinity
  let at = trail
  for (; at < end; at += TRAIL_ENTRY) {
    top = topOfHolding(at, end, until, scale)
    if (top > -Infinity) break
  }
  if (at + TRAIL_ENTRY >= end) return top
  // A price that falls has its highest close in the first holding. One more search shows that for all the others.
  foldHighCloses(load<i32>(at, TRAIL_ENTRY), until)
  const most = highestClose
  for (at += TRAIL_ENTRY; at < end; at += TRAIL_ENTRY) {
    if (Worth.at(usize(load<i32>(at, 4)), scale, most) > top) top = max(top, topOfHolding(at, end, until, scale))
  }
  return top
}

function topOfHolding(at: usize, end: usize, until: i32, scale: f64): f64 {
  foldHighCloses(load<i32>(at), endOfHolding(at, end, until))
  return highestClose == -Infinity ? -Infinity : Worth.at(usize(load<i32>(at, 4)), scale, highestClose)
}

/**
 * Finds the peak where it may lie in the part of the open deal before this block, candles start ≤ i < from: on its closes, with the orders
 * filled that the lows until then had reached.
 */
export function decidePeak(watch: usize, table: usize, scale: f64, start: i32, from: i32, filled: i32): void {
  if (start >= from) return
  const last = table + usize(filled) * ROW_BYTES
  const cash = load<f64>(watch, CASH * 8)
  let peak = load<f64>(watch, PEAK * 8)
  let since = start
  let row = table
  for (let i = start; i < from; ) {
    const floor = row < last ? load<f64>(row, NEXT * 8) * scale * above : -Infinity
    const end = min(from, (i | (BLOCK - 1)) + 1)
    i = Search.nextTouch(i, end, floor, Infinity)
    const isFilled = i < end
    if (!isFilled) i = end
    if (i > since) {
      foldHighCloses(since, i)
      peak = max(peak, cash + Worth.at(row, scale, highestClose))
      since = i
    }
    if (!isFilled) continue
    const lowPrice = load<f64>(low + (usize(i) << 3))
    while (row < last && lowPrice <= load<f64>(row, NEXT * 8) * scale * above) row += ROW_BYTES
    i++
  }
  if (since < from) {
    foldHighCloses(since, from)
    peak = max(peak, cash + Worth.at(row, scale, highestClose))
  }
  store<f64>(watch, peak, PEAK * 8)
}
