/**
 * A synthetic market does not end with its stored candles: the generator that made them continues. Its recipe is stored beside
 * the months (`<interval>/.generator.json`) and used only when it makes every stored candle again; a market that was changed or
 * mixed since ends with its last candle, as a recorded one does. When the hash shows that the stored candles are exactly those
 * that were made, the generator continues from its saved state; otherwise it starts from the beginning.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INTERVALS, type Interval } from '../../contract/market.ts'
import type { Candles } from '../../engine/candles.ts'
import { STATE_LENGTH } from '../../engine/random.ts'
import { partOf, renameOver } from '../../system.ts'
import { intervalFolder } from '../folder/folder.ts'
import { emptyCandles, hashCandles, LATEST_TIME, VALUE_COLUMNS } from '../months.ts'
import { type Generated, type GenerateOptions, generateOn, type MarketState } from './generate.ts'

/** The options of `generateCandles`, without the length and the gaps. */
type Recipe = Omit<GenerateOptions, 'days' | 'gaps'> & { readonly made?: Made }

/** The result: the hash of the candles, when the next one opens (ms UTC), and the generator's state. */
interface Made {
  readonly hash: string
  readonly to: number
  readonly end: MarketState
}

/** About 190 MB; seven and a half years of minutes. */
const mostCandles = 4_000_000
const dayMs = 86_400_000
const recipeName = '.generator.json'

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

/** `open`, `price`, three numbers of the motion, and two random generators. */
const MARKET_STATE_LENGTH = 5 + 2 * STATE_LENGTH

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
  if (total > mostCandles || total < 1 || stored.intervalMs !== intervalMs) return undefined
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

/** One second more: a fraction of a day that is rounded down would lack the last candle. */
function daysOf(ms: number): number {
  return (ms + 1000) / dayMs
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
