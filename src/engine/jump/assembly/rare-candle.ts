/**
 * One candle by the full rule, for candles on which more happens than fills alone or the take profit alone. Both paths begin at
 * the open, and both pass the low with the same orders filled; they differ in whether the high comes before that or after:
 *
 *     at the open    fill · stop? · take profit?            decided here, the paths agree
 *     high-first     high: take profit of what the open filled?  ·  low: fill · stop?  ·  close: take profit?
 *     low-first                                                     low: fill · stop?  ·  high:  take profit?
 *
 * `candle-path.ts` walks the two paths one after the other and explains them.
 */
import {
  BOUGHT,
  CANDLE_COLOUR,
  COST,
  HIGH_FIRST,
  LOW_FIRST,
  PESSIMISTIC,
  PRICE,
  QUANTITY,
  ROW,
  SOLD_AFTER_LOW,
  SOLD_BEFORE_LOW,
  STOP,
  STOPPED_OUT,
  TAKE_PROFIT,
} from '../layout'
import { above, below, close, high, intrabar, keep, low, open, slippageRate, touch } from './scene'

/** The row that is in force after the candle, and what happened: BOUGHT, SOLD_BEFORE_LOW, SOLD_AFTER_LOW or STOPPED_OUT. */
export let endRow: usize = 0
export let endKind: i32 = 0
export let isAmbiguous: bool = false
/** The deepest row that either path reached. */
export let deepestRow: usize = 0
/** Where a stop sold. */
export let stopFill: f64 = 0

/** Walks candle `i` for a deal at `row`; `last` = the row with every placed order filled. */
export function walkRareCandle(i: i32, scale: f64, row: usize, last: usize): void {
  const at = usize(i) << 3
  const openPrice = load<f64>(open + at)
  const highPrice = load<f64>(high + at)
  const lowPrice = load<f64>(low + at)
  const closePrice = load<f64>(close + at)
  isAmbiguous = false

  const opened = filledAt(openPrice, scale, row, last)
  endRow = opened
  deepestRow = opened
  const stopAtOpen = load<f64>(opened, STOP * 8) * scale
  if (stopAtOpen > 0 && openPrice <= stopAtOpen * above) {
    endKind = STOPPED_OUT
    stopFill = min(stopAtOpen, openPrice) * (1 - slippageRate)
    return
  }
  const target = load<f64>(opened, TAKE_PROFIT * 8) * scale * below
  if (openPrice >= target) {
    endKind = SOLD_BEFORE_LOW
    return
  }

  const deepest = filledAt(lowPrice, scale, opened, last)
  deepestRow = deepest
  const stop = load<f64>(deepest, STOP * 8) * scale
  const isStopped = stop > 0 && lowPrice <= stop * above
  if (isStopped) stopFill = stop * (1 - slippageRate)
  const lowered = load<f64>(deepest, TAKE_PROFIT * 8) * scale * below

  const lowFirst = isStopped ? STOPPED_OUT : highPrice >= lowered ? SOLD_AFTER_LOW : BOUGHT
  let highFirst = isStopped ? STOPPED_OUT : closePrice >= lowered ? SOLD_AFTER_LOW : BOUGHT
  let highRow = deepest
  if (highPrice >= target) {
    highFirst = SOLD_BEFORE_LOW
    highRow = opened
  }
  // A sale before the low and one after it are the same when nothing was filled at the low.
  const isSameSale = highFirst == SOLD_BEFORE_LOW && lowFirst == SOLD_AFTER_LOW && highRow == deepest
  isAmbiguous = highFirst != lowFirst && !isSameSale
  let keepsHighFirst = intrabar == HIGH_FIRST
  if (intrabar == CANDLE_COLOUR) keepsHighFirst = closePrice < openPrice
  else if (intrabar != LOW_FIRST && intrabar != HIGH_FIRST && isAmbiguous) {
    const gain = equityAfter(highRow, highFirst, scale, closePrice) - equityAfter(deepest, lowFirst, scale, closePrice)
    // Adding in another order changes the last bits of a sum. Such a difference must not choose the path.
    const equal = touch * max(load<f64>(deepest, COST * 8), load<f64>(highRow, COST * 8))
    keepsHighFirst = intrabar == PESSIMISTIC ? gain < -equal : gain > equal
  }
  endRow = keepsHighFirst ? highRow : deepest
  endKind = keepsHighFirst ? highFirst : lowFirst
}

/** The row in force once a price has been seen. */
function filledAt(price: f64, scale: f64, row: usize, last: usize): usize {
  let deeper = row
  while (deeper < last && price <= load<f64>(deeper, (ROW + PRICE) * 8) * scale * above) deeper += ROW * 8
  return deeper
}

/** The deal's equity after a path: its profit when it was sold, else its value at the close less the fee of selling. */
function equityAfter(row: usize, kind: i32, scale: f64, closePrice: f64): f64 {
  let price = load<f64>(row, TAKE_PROFIT * 8) * scale
  if (kind == STOPPED_OUT) price = stopFill
  else if (kind == BOUGHT) price = closePrice
  return (load<f64>(row, QUANTITY * 8) / scale) * price * keep - load<f64>(row, COST * 8)
}
