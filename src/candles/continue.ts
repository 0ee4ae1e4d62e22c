/**
 * A synthetic market does not end where its stored candles end: the generator that made them goes on. Its recipe lies beside the
 * months (`<interval>/.generator.json`); it is believed only as far as it makes every stored candle again, so that a market that was
 * changed or mixed since simply ends, as a recorded one does.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INTERVALS, type Interval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { intervalFolder } from './folder.ts'
import { type GenerateOptions, generateCandles } from './generate.ts'
import { emptyCandles, LATEST_TIME, VALUE_COLUMNS } from './months.ts'

/** What `generateCandles` was told, but for how long and for the gaps. */
export type Recipe = Omit<GenerateOptions, 'days' | 'gaps'>

/** About 190 MB; seven and a half years of minutes. */
const mostCandles = 4_000_000
const dayMs = 86_400_000
const recipeName = '.generator.json'

/** Keeps how the candles of a market were generated, so that it can be continued. Call it once they are stored. */
export function keepRecipe(folder: string, market: string, options: GenerateOptions): void {
  const { seed, interval, from, startPrice, annualVolatility } = options
  const place = intervalFolder(folder, market, interval)
  const path = join(place, recipeName)
  mkdirSync(place, { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify({ seed, from, startPrice, annualVolatility })}\n`)
  renameSync(`${path}.new`, path)
}

/** How the candles of a market were generated, or undefined when nobody wrote it down legibly. */
export function findRecipe(folder: string, market: string, interval: Interval): Recipe | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(join(intervalFolder(folder, market, interval), recipeName), 'utf8'))
    if (typeof read !== 'object' || read === null) return undefined
    const { seed, from, startPrice, annualVolatility } = read as Readonly<Record<string, unknown>> // any object can be read by key
    if (typeof seed !== 'number' || typeof from !== 'number') return undefined
    return {
      seed,
      interval,
      from,
      ...(typeof startPrice === 'number' ? { startPrice } : {}),
      ...(typeof annualVolatility === 'number' ? { annualVolatility } : {}),
    }
  } catch {
    return undefined // absent or damaged: the market ends where it is stored
  }
}

/**
 * The stored candles and what the generator adds to them, up to the first candle that opens at or after `to` (ms UTC).
 * @returns undefined when the recipe does not make the stored candles again, or there would be more than four million
 */
export function continueCandles(recipe: Recipe, stored: Candles, to: number): Candles | undefined {
  const intervalMs = INTERVALS[recipe.interval]
  const total = Math.ceil((Math.min(to, LATEST_TIME) - recipe.from) / intervalMs)
  if (total > mostCandles || total < 1 || stored.intervalMs !== intervalMs) return undefined
  const made = tryGenerate(recipe, (total * intervalMs) / dayMs)
  if (made === undefined || !contains(made, stored)) return undefined
  const end = (stored.openTime.at(-1) ?? recipe.from - intervalMs) + intervalMs
  const first = Math.round((end - recipe.from) / intervalMs)
  return first >= made.openTime.length ? stored : joined(stored, made, first)
}

function tryGenerate(recipe: Recipe, days: number): Candles | undefined {
  try {
    return generateCandles({ ...recipe, days })
  } catch {
    return undefined // options that no generator would have taken
  }
}

/** True when every stored candle stands in `made` as it is; candles may be missing in `stored`. */
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
