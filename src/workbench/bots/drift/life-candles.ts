/** The local candles of a bot's life. A synthetic market is continued by its generator, as the embedded service does it. */
import { findSymbolRules, listCandles, loadCandles } from '../../../candles/folder/folder.ts'
import { hashCandles } from '../../../candles/hash.ts'
import { continueCandles, findRecipe } from '../../../candles/synthetic/continue.ts'
import { INTERVALS, type Interval, isInterval } from '../../../contract/market.ts'
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import { Failure } from '../../../errors.ts'

export interface LifeCandles {
  readonly candles: Candles
  readonly interval: Interval
  readonly symbol: SymbolRules
  /** Of the candles compared on. */
  readonly hash: string
  /** End of the last one, ms UTC. */
  readonly to: number
}

export interface CandleQuestion {
  /** `exchange/BASE-QUOTE` */
  readonly market: string
  /** As the service says it; null = the finest that is stored and covers the start. */
  readonly interval: string | null
  /** ms UTC. */
  readonly from: number
  /** Those complete by then, ms UTC. */
  readonly to: number
}

/** Those that are there: they may end before `to`. @throws Failure candlesMissing without one at the start, candlesInvalid */
export function readLifeCandles(folder: string, { market, interval, from, to }: CandleQuestion): LifeCandles {
  const stored = listCandles(folder).filter((each) => each.market === market)
  const named = interval !== null && isInterval(interval) ? interval : null
  const fitting = stored.filter((each) => named === null || each.interval === named)
  const chosen = fitting.find((each) => each.from < from + INTERVALS[each.interval] && goesOnUntil(folder, each) > from)
  if (chosen === undefined) {
    const wanted = named === null ? market : `${market} ${named}`
    const since = new Date(from).toISOString()
    throw new Failure('candlesMissing', `no stored candles of ${wanted} cover the bot’s start, ${since}`, {
      hint: `import them: \`dcalab candles import <file> --market ${market}\`, or \`dcalab candles fetch\``,
    })
  }
  const whole = loadCandles(folder, chosen).candles
  const recipe = to > chosen.to && chosen.synthetic ? findRecipe(folder, market, chosen.interval) : undefined
  const longer = recipe === undefined ? undefined : continueCandles(recipe, { candles: whole, hash: chosen.hash }, to)
  const intervalMs = INTERVALS[chosen.interval]
  const candles = sliceCandles(longer ?? whole, from, to - intervalMs + 1)
  const last = candles.openTime.at(-1)
  return {
    candles,
    interval: chosen.interval,
    symbol: findSymbolRules(folder, market),
    hash: hashCandles(candles),
    to: last === undefined ? from : last + intervalMs,
  }
}

/** Synthetic ones go on for ever. */
function goesOnUntil(folder: string, stored: ReturnType<typeof listCandles>[number]): number {
  const { market, interval, synthetic, to } = stored
  return synthetic && findRecipe(folder, market, interval) !== undefined ? Number.POSITIVE_INFINITY : to
}
