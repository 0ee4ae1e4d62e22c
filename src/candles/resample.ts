/** Makes candles of a coarser interval from finer ones, exactly: the same prices, and volumes summed as decimals. */
import { INTERVALS, type Interval } from '../contract/market.ts'
import { type Candles, lowerBound } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import { candleRows, emptyCandles } from './months.ts'

/**
 * Makes one candle per interval that contains a candle: first open, highest high, lowest low, last close, sum of the volumes. A
 * gap inside counts as time without trading. The first and the last interval are left out unless the candles cover all of it:
 * otherwise their open and close would be those of the recording and not of the market.
 * @throws Failure usage unless the interval is a multiple of the candles' own; candlesMissing when no whole interval is covered
 */
export function resampleCandles(candles: Candles, interval: Interval): Candles {
  const wide = INTERVALS[interval]
  const { intervalMs, openTime } = candles
  if (wide % intervalMs !== 0 || wide === intervalMs) {
    throw new Failure(
      'usage',
      `candles of ${intervalMs / 1000} s cannot be resampled to ${interval}, which is no multiple of it`,
    )
  }
  const count = openTime.length
  const from = count === 0 ? 0 : Math.ceil(openTime[0] / wide) * wide
  const to = count === 0 ? 0 : Math.floor((openTime[count - 1] + intervalMs) / wide) * wide
  if (from >= to) throw new Failure('candlesMissing', `the candles do not reach over one whole interval of ${interval}`)
  const result = emptyCandles(wide, (to - from) / wide)
  const end = lowerBound(openTime, to)
  let rows = 0
  for (let row = lowerBound(openTime, from); row < end; rows++) {
    const start = Math.floor(openTime[row] / wide) * wide
    let next = row
    while (next < end && openTime[next] < start + wide) next++
    result.openTime[rows] = start
    writeCandle(result, rows, candles, row, next)
    row = next
  }
  return candleRows(result, 0, rows)
}

/** The candles `first` ≤ i < `end` as one. */
function writeCandle(to: Candles, row: number, from: Candles, first: number, end: number): void {
  let high = from.high[first]
  let low = from.low[first]
  for (let i = first + 1; i < end; i++) {
    if (from.high[i] > high) high = from.high[i]
    if (from.low[i] < low) low = from.low[i]
  }
  to.open[row] = from.open[first]
  to.high[row] = high
  to.low[row] = low
  to.close[row] = from.close[end - 1]
  to.volume[row] = decimalSum(from.volume, first, end)
}

/**
 * The exact decimal sum: adds with compensation for what each step rounds away (Neumaier 1974), then rounds to 15 decimal digits,
 * which a float64 always keeps. Plain addition would give 0.1 + 0.2 = 0.30000000000000004.
 */
function decimalSum(values: Float64Array, start: number, end: number): number {
  let sum = values[start]
  let lost = 0
  for (let i = start + 1; i < end; i++) {
    const value = values[i]
    const next = sum + value
    lost += sum >= value ? sum - next + value : value - next + sum
    sum = next
  }
  return end - start === 1 ? sum : Number((sum + lost).toPrecision(15))
}
