/** Made-up markets on which nothing can be expected to earn: the best forecast of every later price is the price now. */
import { emptyCandles } from '../../../src/candles/months.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import type { Random } from '../../../src/engine/random.ts'

export interface MartingaleOptions {
  /** Open time of the first candle, ms UTC. */
  readonly from: number
  readonly days: number
  readonly intervalMs: number
  /** As a fraction: 0.8 = 80 % a year, the same all the time. */
  readonly annualVolatility: number
}

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
/** Of the path inside a candle, which gives its high and low. */
const STEP_MS = 7_500
const START_PRICE = 1000

/**
 * Geometric Brownian motion, looked at every 7.5 seconds: log price moves by σ√dt·z − σ²dt/2, so that the price itself, not its logarithm, is a
 * martingale. No trend, no reversion, no calm and busy days, no jumps; every candle opens where the last one closed. Prices are not rounded.
 */
export function martingaleCandles(
  { from, days, intervalMs, annualVolatility }: MartingaleOptions,
  random: Random,
): Candles {
  const candles = emptyCandles(intervalMs, Math.floor((days * DAY_MS) / intervalMs))
  const variance = (annualVolatility * annualVolatility * STEP_MS) / YEAR_MS
  const [deviation, drift] = [Math.sqrt(variance), -variance / 2]
  const steps = intervalMs / STEP_MS
  let logPrice = Math.log(START_PRICE)
  for (let row = 0; row < candles.openTime.length; row++) {
    let [highest, lowest] = [logPrice, logPrice]
    candles.openTime[row] = from + row * intervalMs
    candles.open[row] = Math.exp(logPrice)
    for (let step = 0; step < steps; step++) {
      logPrice += drift + deviation * random.normal()
      if (logPrice > highest) highest = logPrice
      if (logPrice < lowest) lowest = logPrice
    }
    candles.high[row] = Math.exp(highest)
    candles.low[row] = Math.exp(lowest)
    candles.close[row] = Math.exp(logPrice)
    candles.volume[row] = 1
  }
  return candles
}
