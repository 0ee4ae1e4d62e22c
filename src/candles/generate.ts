/**
 * A synthetic market from a seed, for demos and tests where no recording is at hand. It moves like a liquid coin: calm and wild
 * spells, fat tails, rare jumps, busier hours, trends that come and go, wicks from a path inside each candle, volume
 * that rises with movement. It knows nothing of order books, and no result on it says anything about a real market.
 *
 *     σ(t) = annual volatility · season(hour) · exp(slow(t) + fast(t))      slow, fast: Ornstein–Uhlenbeck, 8 days and 2 hours
 *     d log price = drift(t) dt + σ(t) · (normal, one in twenty three times as wide) · √dt + jumps
 *
 * Same seed, same bytes: the only inexact functions are Math.log, exp and sqrt, which V8 computes by its own port of fdlibm (sqrt by the
 * IEEE rule) on every machine; sin, cos and pow are avoided.
 */
import { INTERVALS, type Interval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import { candleRows, EARLIEST_TIME, emptyCandles, LATEST_TIME, VALUE_COLUMNS } from './months.ts'
import { createRandom, type Random } from './random.ts'

export interface GenerateOptions {
  /** Any whole number; the lower 32 bits count. */
  readonly seed: number
  readonly interval: Interval
  /** Open time of the first candle, ms UTC. */
  readonly from: number
  readonly days: number
  /** Default 30,000. */
  readonly startPrice?: number
  /** As a fraction: 0.57 = 57 % a year, the default. */
  readonly annualVolatility?: number
  /** How many runs of candles are missing; default 0. Prices are those of the same market without gaps. */
  readonly gaps?: number
}

const dayMs = 86_400_000
const yearMs = 365 * dayMs
/** Two years of seconds; the engine's columns take 48 bytes each. */
const mostCandles = 64_000_000

/** Hourly activity relative to the day's mean, 0–23 h UTC: quiet before Asia opens, busiest when America does. */
const seasonByHour = [
  1.02, 0.98, 0.92, 0.86, 0.8, 0.76, 0.78, 0.88, 0.96, 0.98, 0.96, 0.94, 1.0, 1.16, 1.34, 1.38, 1.28, 1.18, 1.1, 1.06,
  1.0, 0.94, 0.88, 0.92,
]
const seasonLevel = Math.sqrt(seasonByHour.reduce((sum, value) => sum + value * value, 0) / 24)

const slow = { deviation: 0.45, ms: 8 * dayMs }
const fast = { deviation: 0.35, ms: 2 * 3_600_000 }
/** exp of a normal deviate raises the mean variance; this takes it back. */
const clusterLevel = Math.exp(slow.deviation ** 2 + fast.deviation ** 2)
const wideShare = 0.05
const wideFactor = 3
const tailLevel = Math.sqrt(1 - wideShare + wideShare * wideFactor * wideFactor)
/** Jumps: some twenty a month, each as wide as two hours of ordinary movement; a twentieth of all variance. */
const jumpsPerYear = 250
const jumpVariance = 0.05
/** Steps of the path inside a candle, from which its high and low come. */
const stepsPerCandle = 8

/**
 * Candles of a synthetic market, oldest first; store them with `synthetic: true`.
 * @throws Failure usage when an option is out of bounds
 */
export function generateCandles(options: GenerateOptions): Candles {
  const { seed, from, days, startPrice = 30_000, annualVolatility = 0.57, gaps = 0 } = options
  const intervalMs = INTERVALS[options.interval]
  const count = Math.floor((days * dayMs) / intervalMs)
  refuseOutOfBounds({ ...options, startPrice, annualVolatility, gaps }, intervalMs, count)
  const candles = emptyCandles(intervalMs, count)
  const random = createRandom(seed)
  const nextStep = createMotion(random, intervalMs, annualVolatility)
  const quantityOf = createVolume(createRandom(seed ^ 0x766f6c75), intervalMs, annualVolatility, startPrice)
  const scale = priceScale(startPrice)
  const round = (price: number): number => Math.max(1, Math.round(price * scale)) / scale

  let price = startPrice
  let open = round(price)
  for (let i = 0; i < count; i++) {
    const time = from + i * intervalMs
    const step = nextStep(time)
    const close = round(price * Math.exp(step.end))
    candles.openTime[i] = time
    candles.open[i] = open
    candles.high[i] = Math.max(open, close, round(price * Math.exp(step.highest)))
    candles.low[i] = Math.min(open, close, round(price * Math.exp(step.lowest)))
    candles.close[i] = close
    candles.volume[i] = quantityOf(step, price)
    price *= Math.exp(step.end)
    open = close
  }
  return gaps === 0 ? candles : withGaps(candles, gaps, createRandom(seed ^ 0x67617073))
}

/** The path of one candle in log price, relative to its start. Reused from step to step. */
interface Step {
  end: number
  highest: number
  lowest: number
  /** Volatility of this candle relative to the market's usual. */
  agitation: number
}

function createMotion(random: Random, intervalMs: number, annualVolatility: number): (time: number) => Step {
  const dt = intervalMs / yearMs
  const diffusion = annualVolatility * Math.sqrt((1 - jumpVariance) * (dt / stepsPerCandle))
  const jumpDeviation = annualVolatility * Math.sqrt(jumpVariance / jumpsPerYear)
  const jumpChance = 1 - Math.exp(-jumpsPerYear * dt)
  const slowKeep = Math.exp(-intervalMs / slow.ms)
  const fastKeep = Math.exp(-intervalMs / fast.ms)
  const slowNoise = slow.deviation * Math.sqrt(1 - slowKeep * slowKeep)
  const fastNoise = fast.deviation * Math.sqrt(1 - fastKeep * fastKeep)
  const regimeChance = 1 - Math.exp(-intervalMs / (20 * dayMs))
  const step: Step = { end: 0, highest: 0, lowest: 0, agitation: 1 }
  let slowState = slow.deviation * random.normal()
  let fastState = fast.deviation * random.normal()
  let drift = 0

  return (time) => {
    slowState = slowState * slowKeep + slowNoise * random.normal()
    fastState = fastState * fastKeep + fastNoise * random.normal()
    if (random.uniform() < regimeChance) drift = annualVolatility * (2 * random.uniform() - 1)
    const season = intervalMs >= dayMs ? 1 : seasonByHour[Math.floor((time % dayMs) / 3_600_000)] / seasonLevel
    const wide = random.uniform() < wideShare ? wideFactor : 1
    step.agitation = ((season * Math.exp(slowState + fastState)) / clusterLevel / tailLevel) * wide
    const deviation = diffusion * step.agitation
    const trend = (drift * dt) / stepsPerCandle
    const jumpAt = random.uniform() < jumpChance ? Math.floor(random.uniform() * stepsPerCandle) : -1
    step.end = 0
    step.highest = 0
    step.lowest = 0
    for (let k = 0; k < stepsPerCandle; k++) {
      step.end += trend + deviation * random.normal()
      if (k === jumpAt) step.end += jumpDeviation * random.normal()
      if (step.end > step.highest) step.highest = step.end
      if (step.end < step.lowest) step.lowest = step.end
    }
    return step
  }
}

/** Base volume: a lognormal level that grows with agitation and with how far the candle moved. */
function createVolume(
  random: Random,
  intervalMs: number,
  annualVolatility: number,
  startPrice: number,
): (step: Step, price: number) => number {
  const usualMove = annualVolatility * Math.sqrt(intervalMs / yearMs)
  const quotePerCandle = (5e8 * intervalMs) / dayMs
  let scale = 1
  while (scale < startPrice) scale *= 10 // a step is worth less than one quote
  return (step, price) => {
    const move = (step.highest - step.lowest) / usualMove
    const quote = quotePerCandle * Math.exp(0.5 * random.normal()) * (0.3 + 0.3 * step.agitation + 0.3 * move)
    return Math.max(1, Math.round((quote / price) * scale)) / scale
  }
}

/** Steps per unit of quote: five digits below the leading one, so 30,000 moves by 0.1 and 0.2 by 0.000001. */
function priceScale(price: number): number {
  let scale = 1
  while (price * scale < 1e5 && scale < 1e12) scale *= 10
  return scale
}

/** Takes runs of about thirty candles out, never the first or the last candle; runs that touch become one. */
function withGaps(candles: Candles, gaps: number, random: Random): Candles {
  const count = candles.openTime.length
  const absent = new Uint8Array(count)
  for (let gap = 0; gap < gaps; gap++) {
    const start = 1 + Math.floor(random.uniform() * (count - 2))
    const length = 1 + Math.floor(-30 * Math.log(1 - random.uniform()))
    absent.fill(1, start, Math.min(start + length, count - 1))
  }
  const kept = emptyCandles(candles.intervalMs, count)
  let row = 0
  for (let i = 0; i < count; i++) {
    if (absent[i] === 1) continue
    kept.openTime[row] = candles.openTime[i]
    for (const name of VALUE_COLUMNS) kept[name][row] = candles[name][i]
    row++
  }
  return candleRows(kept, 0, row)
}

function refuseOutOfBounds(options: Required<GenerateOptions>, intervalMs: number, count: number): void {
  const { seed, from, days, startPrice, annualVolatility, gaps } = options
  const problems = [
    Number.isSafeInteger(seed) ? [] : `seed must be a whole number, found ${seed}`,
    days > 0 && count >= 1 ? [] : `days must hold at least one candle, found ${days}`,
    count <= mostCandles ? [] : `${count} candles are more than ${mostCandles}`,
    from % intervalMs === 0 ? [] : `from must be a multiple of the interval ${options.interval}`,
    from >= EARLIEST_TIME && from + count * intervalMs <= LATEST_TIME ? [] : 'the years 2000–2099 are what we store',
    startPrice >= 1e-6 && startPrice <= 1e9 ? [] : `startPrice must lie in 0.000001 … 1e9, found ${startPrice}`,
    annualVolatility > 0 && annualVolatility <= 10
      ? []
      : `annualVolatility must lie above 0 and up to 10 (1000 %), found ${annualVolatility}`,
    Number.isInteger(gaps) && gaps >= 0 && (gaps === 0 || count >= 3)
      ? []
      : `gaps must be a whole number, and need three candles, found ${gaps}`,
  ].flat()
  if (problems.length > 0) throw new Failure('usage', `cannot generate candles: ${problems.join('; ')}`)
}
