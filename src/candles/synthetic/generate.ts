/**
 * Generates a synthetic market from a seed, for demos and tests without recorded candles. It moves like a liquid coin: calm and
 * volatile periods, fat tails, rare jumps, busier hours, temporary trends, wicks from a path inside each candle, volume that
 * rises with movement. It has no order book, and no result on it says anything about a real market.
 *
 *     σ(t) = annual volatility · season(hour) · exp(slow(t) + fast(t))      slow, fast: Ornstein–Uhlenbeck, 8 days and 2 hours
 *     d log price = drift(t) dt + σ(t) · (normal, one in twenty three times as wide) · √dt + jumps
 *
 * Same seed, same bytes: the only inexact functions are Math.log, exp and sqrt, which V8 computes by its own port of fdlibm (sqrt
 * by the IEEE rule) on every machine; sin, cos and pow are not used.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INTERVALS, type Interval } from '../../contract/market.ts'
import type { Candles } from '../../engine/candles.ts'
import { createRandom, type Random, STATE_LENGTH } from '../../engine/random.ts'
import { Failure } from '../../errors.ts'
import { partOf, renameOver } from '../../system.ts'
import { intervalFolder } from '../folder/folder.ts'
import { candleRows, EARLIEST_TIME, emptyCandles, hashCandles, LATEST_TIME, VALUE_COLUMNS } from '../months.ts'

/** The options of `generateCandles` without length and gaps, and what they made. */
type Recipe = Omit<GenerateOptions, 'days' | 'gaps'> & { readonly made?: Made }

/** The result: the hash of the candles, when the next one opens (ms UTC), and the generator's state. */
interface Made {
  readonly hash: string
  readonly to: number
  readonly end: MarketState
}

/** About 190 MB; seven and a half years of minutes. */
const mostContinued = 4_000_000

const recipeName = '.generator.json'

/** `open`, `price`, three numbers of the motion, and two random generators. */
const MARKET_STATE_LENGTH = 5 + 2 * STATE_LENGTH

const dayMs = 86_400_000

// How the price of a synthetic market moves, candle by candle, by the formula above.

const yearMs = 365 * dayMs

/** Hourly activity relative to the day's mean, 0–23 h UTC: quiet before Asia opens, busiest when America opens. */
const seasonByHour = [
  1.02, 0.98, 0.92, 0.86, 0.8, 0.76, 0.78, 0.88, 0.96, 0.98, 0.96, 0.94, 1.0, 1.16, 1.34, 1.38, 1.28, 1.18, 1.1, 1.06,
  1.0, 0.94, 0.88, 0.92,
]
const seasonLevel = Math.sqrt(seasonByHour.reduce((sum, value) => sum + value * value, 0) / 24)

const slow = { deviation: 0.45, ms: 8 * dayMs }
const fast = { deviation: 0.35, ms: 2 * 3_600_000 }
/** exp of a normal deviate raises the mean variance; this factor corrects it. */
const clusterLevel = Math.exp(slow.deviation * slow.deviation + fast.deviation * fast.deviation)
const wideShare = 0.05
const wideFactor = 3
const tailLevel = Math.sqrt(1 - wideShare + wideShare * wideFactor * wideFactor)
/** Jumps: some twenty a month, each as wide as two hours of ordinary movement; a twentieth of all variance. */
const jumpsPerYear = 250
const jumpVariance = 0.05
/** Steps of the path inside a candle, which gives its high and low. */
const stepsPerCandle = 8

/** The path of one candle in log price, relative to its start. Reused from step to step. */
interface Step {
  end: number
  highest: number
  lowest: number
  /** Volatility of this candle relative to the market's usual. */
  agitation: number
}

interface Motion {
  next(time: number): Step
  state(): number[]
}

function createMotion(
  random: Random,
  intervalMs: number,
  annualVolatility: number,
  resumed: readonly number[] | undefined,
): Motion {
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
  let [slowState, fastState, drift] = resumed ?? [slow.deviation * random.normal(), fast.deviation * random.normal(), 0]

  const next = (time: number): Step => {
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
  return { next, state: () => [slowState, fastState, drift] }
}

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
  /** How many gaps are cut out; default 0. The remaining candles are those of the same market without gaps. */
  readonly gaps?: number
}

/** Two years of seconds; the engine's columns take 48 bytes each. */
const mostCandles = 64_000_000

/** The state of a market after its last candle, from which it can be continued. */
type MarketState = readonly number[]

export interface Generated {
  /** Oldest first; store them with `synthetic: true`. */
  readonly candles: Candles
  readonly end: MarketState
}

/** @throws Failure usage when an option is out of bounds */
export function generateCandles(options: GenerateOptions): Candles {
  return generateMarket(options).candles
}

/** @throws Failure usage when an option is out of bounds */
export function generateMarket(options: GenerateOptions): Generated {
  return punctured(options, generateOn(options, undefined))
}

/** The same, with a pause now and then, in which an interrupt is heard. @throws what `pause` does */
export async function generateWithPauses(options: GenerateOptions, pause: () => Promise<void>): Promise<Generated> {
  const steps = generation(options, undefined)
  for (;;) {
    const step = steps.next()
    if (step.done) return punctured(options, step.value)
    await pause()
  }
}

function punctured({ seed, gaps = 0 }: GenerateOptions, { candles, end }: Generated): Generated {
  return { candles: gaps === 0 ? candles : withGaps(candles, gaps, createRandom(seed ^ 0x67617073)), end }
}

/**
 * The market of `options` without its gaps, from a later day on: `state` is its state at `from`. The candles are the same as if
 * all had been made at once.
 */
function generateOn(options: GenerateOptions, state: MarketState | undefined): Generated {
  const steps = generation(options, state)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const CANDLES_AT_ONCE = 100_000

function* generation(options: GenerateOptions, state: MarketState | undefined): Generator<undefined, Generated> {
  const { seed, from, days, startPrice = 30_000, annualVolatility = 0.57, gaps = 0 } = options
  const intervalMs = INTERVALS[options.interval]
  const count = Math.floor((days * dayMs) / intervalMs)
  refuseOutOfBounds({ ...options, startPrice, annualVolatility, gaps }, intervalMs, count)
  const candles = emptyCandles(intervalMs, count)
  const random = createRandom(seed, state?.slice(5, 5 + STATE_LENGTH))
  const volumeRandom = createRandom(seed ^ 0x766f6c75, state?.slice(5 + STATE_LENGTH))
  const motion = createMotion(random, intervalMs, annualVolatility, state?.slice(2, 5))
  const quantityOf = createVolume(volumeRandom, intervalMs, annualVolatility, startPrice)
  const scale = priceScale(startPrice)
  const round = (price: number): number => Math.max(1, Math.round(price * scale)) / scale

  let [open, price] = state ?? [round(startPrice), startPrice]
  for (let i = 0; i < count; i++) {
    if (i % CANDLES_AT_ONCE === 0) yield
    const time = from + i * intervalMs
    const step = motion.next(time)
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
  return { candles, end: [open, price, ...motion.state(), ...random.state(), ...volumeRandom.state()] }
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
  while (scale < startPrice) scale *= 10 // a step must be less than one unit of quote
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

/** Removes runs of about thirty candles, never the first or the last candle; runs that touch become one gap. */
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
    days > 0 && count >= 1 ? [] : `days must be enough for one candle, found ${days}`,
    count <= mostCandles ? [] : `at most ${mostCandles} candles can be made, found ${count}`,
    from % intervalMs === 0 ? [] : `from must be a multiple of the interval ${options.interval}`,
    from >= EARLIEST_TIME && from + count * intervalMs <= LATEST_TIME ? [] : 'candles must be in the years 2000–2099',
    startPrice >= 1e-6 && startPrice <= 1e9 ? [] : `startPrice must be from 0.000001 to 1e9, found ${startPrice}`,
    annualVolatility > 0 && annualVolatility <= 10
      ? []
      : `annualVolatility must be above 0 and at most 10 (1000 %), found ${annualVolatility}`,
    Number.isInteger(gaps) && gaps >= 0 && (gaps === 0 || count >= 3)
      ? []
      : `gaps must be a whole number, with three candles at least, found ${gaps}`,
  ].flat()
  if (problems.length > 0) throw new Failure('usage', `cannot generate candles: ${problems.join('; ')}`)
}

// A synthetic market does not end with its stored candles: the generator that made them continues. Its recipe is stored beside
// the months (`<interval>/.generator.json`) and used only when it makes every stored candle again; a market that was changed or
// mixed since ends with its last candle, as a recorded one does. When the hash shows that the stored candles are exactly those
// that were made, the generator continues from its saved state; otherwise it starts from the beginning.

/** Saves how the candles of a market were generated, so that it can be continued. Call it after they are stored. */
export function keepRecipe(
  folder: string,
  market: string,
  options: GenerateOptions,
  { candles, end }: Generated,
): void {
  const { seed, interval, from, startPrice, annualVolatility } = options
  const to = (candles.openTime.at(-1) ?? from - INTERVALS[interval]) + INTERVALS[interval]
  const made: Made = { hash: hashCandles(candles), to, end }
  const place = intervalFolder(folder, market, interval)
  const path = join(place, recipeName)
  mkdirSync(place, { recursive: true })
  const part = partOf(path)
  writeFileSync(part, `${JSON.stringify({ seed, from, startPrice, annualVolatility, made })}\n`)
  renameOver(part, path)
}

/** How the candles of a market were generated, or undefined when the recipe is absent or unreadable. */
export function findRecipe(folder: string, market: string, interval: Interval): Recipe | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(join(intervalFolder(folder, market, interval), recipeName), 'utf8'))
    if (typeof read !== 'object' || read === null) return undefined
    const { seed, from, startPrice, annualVolatility, made } = read as Readonly<Record<string, unknown>> // any object can be read by key
    if (typeof seed !== 'number' || typeof from !== 'number') return undefined
    return {
      seed,
      interval,
      from,
      ...(typeof startPrice === 'number' ? { startPrice } : {}),
      ...(typeof annualVolatility === 'number' ? { annualVolatility } : {}),
      ...readMade(made),
    }
  } catch {
    return undefined // absent or damaged: the market ends with its stored candles
  }
}

/** JSON has no NaN; it was written as null. */
function readMade(value: unknown): { made?: Made } {
  if (typeof value !== 'object' || value === null) return {}
  const { hash, to, end } = value as Readonly<Record<string, unknown>> // any object can be read by key
  if (typeof hash !== 'string' || typeof to !== 'number' || !Array.isArray(end)) return {}
  const state = end.map((part) => (typeof part === 'number' ? part : Number.NaN))
  return state.length === MARKET_STATE_LENGTH ? { made: { hash, to, end: state } } : {}
}

/**
 * The stored candles and what the generator adds to them, up to the first candle that opens at or after `to` (ms UTC).
 * @returns undefined when the recipe does not make the stored candles again, or there would be more than four million
 */
export function continueCandles(
  recipe: Recipe,
  { candles: stored, hash }: { readonly candles: Candles; readonly hash: string },
  to: number,
): Candles | undefined {
  const intervalMs = INTERVALS[recipe.interval]
  const total = Math.ceil((Math.min(to, LATEST_TIME) - recipe.from) / intervalMs)
  if (total > mostContinued || total < 1 || stored.intervalMs !== intervalMs) return undefined
  const end = (stored.openTime.at(-1) ?? recipe.from - intervalMs) + intervalMs
  const until = recipe.from + total * intervalMs
  if (recipe.made?.hash === hash && recipe.made.to === end && until > end) {
    const more = tryGenerate({ ...recipe, from: end }, daysOf(until - end), recipe.made.end)
    return more === undefined ? undefined : joined(stored, more, 0)
  }
  const made = tryGenerate(recipe, daysOf(total * intervalMs), undefined)
  if (made === undefined || !contains(made, stored)) return undefined
  const first = Math.round((end - recipe.from) / intervalMs)
  return first >= made.openTime.length ? stored : joined(stored, made, first)
}

/** Half of the shortest interval more: a fraction of a day that is rounded down would lack the last candle. */
function daysOf(ms: number): number {
  return (ms + 500) / dayMs
}

function tryGenerate(recipe: Recipe, days: number, state: MarketState | undefined): Candles | undefined {
  try {
    return generateOn({ ...recipe, days }, state).candles
  } catch {
    return undefined // the recipe has options that the generator refuses
  }
}

/** True when `made` contains every stored candle unchanged; `stored` may lack candles of `made`. */
function contains(made: Candles, stored: Candles): boolean {
  for (let i = 0; i < stored.openTime.length; i++) {
    const row = (stored.openTime[i] - made.openTime[0]) / made.intervalMs
    if (made.openTime.at(row) !== stored.openTime[i]) return false
    for (const name of VALUE_COLUMNS) if (made[name][row] !== stored[name][i]) return false
  }
  return true
}

function joined(stored: Candles, made: Candles, first: number): Candles {
  const count = stored.openTime.length
  const candles = emptyCandles(stored.intervalMs, count + made.openTime.length - first)
  for (const name of ['openTime', ...VALUE_COLUMNS] as const) {
    candles[name].set(stored[name], 0)
    candles[name].set(made[name].subarray(first), count)
  }
  return candles
}
