/** The windows of the league: days of recorded candles that a seed draws, and made-up markets without and with an edge. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { emptyCandles } from '../../../src/candles/months.ts'
import { INTERVALS, type Interval, isInterval } from '../../../src/contract/market.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { DAY_MS } from '../../../src/engine/daily-equity.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { randomFor } from '../method/hidden-settings.ts'

export const TRAIN_DAYS = 45
/** Of the span after train, and of the one after that. */
export const SPAN_DAYS = 15
const WINDOW_DAYS = TRAIN_DAYS + 2 * SPAN_DAYS

export type Kind = 'recorded' | 'noEdge' | 'planted'

/** Configurations are chosen on 45 days from `from` on; all candles before its end are history. */
export interface LeagueWindow {
  readonly kind: Kind
  readonly market: string
  readonly interval: Interval
  readonly candles: Candles
  /** 00:00Z. */
  readonly from: number
  /** What is drawn together by a bootstrap: the month of the span after train, or the number of a made-up market. */
  readonly cluster: string
}

interface Recording {
  readonly market: string
  readonly interval: Interval
  readonly candles: Candles
}

/** Every recording of a folder, named `exchange_PAIR_interval_…csv.gz`. */
export function readRecordings(folder: string): readonly Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.csv.gz'))
    .toSorted()
    .flatMap((name) => {
      const [, pair = '', interval = ''] = name.split('_')
      if (!isInterval(interval)) return []
      return [{ market: pair, interval, candles: readCsvCandles(join(folder, name), INTERVALS[interval]) }]
    })
}

/** So many different windows, each day on which one can begin with the same chance. */
export function drawWindows(recordings: readonly Recording[], seed: string, count: number): readonly LeagueWindow[] {
  const random = randomFor(seed, 'league windows')
  const all = recordings.flatMap(({ market, interval, candles }) => {
    const first = Math.ceil((candles.openTime.at(0) ?? 0) / DAY_MS) * DAY_MS
    const days = Math.floor(((candles.openTime.at(-1) ?? 0) - first) / DAY_MS) - WINDOW_DAYS + 1
    return Array.from({ length: Math.max(0, days) }, (_, day): LeagueWindow => {
      const from = first + day * DAY_MS
      const cluster = new Date(from + TRAIN_DAYS * DAY_MS).toISOString().slice(0, 7)
      return { kind: 'recorded', market, interval, candles, from, cluster }
    })
  })
  const drawn: LeagueWindow[] = []
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(Math.floor(all.length * random.uniform()), 1))
  return drawn
}

const HISTORY_DAYS = 180
const FIVE_MINUTES = INTERVALS['5m']
const STEPS = 10
const FROM = Date.UTC(2024, 0, 1)
/** Yearly, around which it wanders, and how far its logarithm does; it forgets half in three days. */
const VOLATILITY = 0.7
const VOLATILITY_SPREAD = 0.5
const VOLATILITY_HALF_LIFE_DAYS = 3
/** Of the planted part: its standard deviation as a fraction of the price, and in what time half of it is gone. */
const EDGE = { deviation: 0.025, halfLifeMs: 6 * 3_600_000 }

/**
 * Five-minute candles of a random walk without drift whose volatility wanders, and, planted, a part beside it that comes back to zero
 * (an AR(1)): buying falls earns on it. @param number which of them; each is drawn by itself
 */
export function madeUpWindow(kind: 'noEdge' | 'planted', seed: string, number: number): LeagueWindow {
  const random = randomFor(seed, `league ${kind} ${number}`)
  const candles = emptyCandles(FIVE_MINUTES, ((HISTORY_DAYS + WINDOW_DAYS) * DAY_MS) / FIVE_MINUTES)
  const stepMs = FIVE_MINUTES / STEPS
  const keptOf = (halfLifeMs: number, ms: number) => 2 ** (-ms / halfLifeMs)
  const calm = keptOf(VOLATILITY_HALF_LIFE_DAYS * DAY_MS, FIVE_MINUTES)
  const back = keptOf(EDGE.halfLifeMs, stepMs)
  const planted = kind === 'planted' ? EDGE.deviation : 0
  let [walk, wave, wander] = [Math.log(1000), planted * random.normal(), VOLATILITY_SPREAD * random.normal()]
  for (let row = 0; row < candles.openTime.length; row++) {
    wander = calm * wander + VOLATILITY_SPREAD * Math.sqrt(1 - calm * calm) * random.normal()
    const deviation = VOLATILITY * Math.exp(wander) * Math.sqrt(stepMs / (365 * DAY_MS))
    let [high, low] = [walk + wave, walk + wave]
    candles.openTime[row] = FROM + row * FIVE_MINUTES
    candles.open[row] = Math.exp(walk + wave)
    for (let step = 0; step < STEPS; step++) {
      walk += deviation * random.normal() - (deviation * deviation) / 2
      wave = back * wave + planted * Math.sqrt(1 - back * back) * random.normal()
      high = Math.max(high, walk + wave)
      low = Math.min(low, walk + wave)
    }
    candles.high[row] = Math.exp(high)
    candles.low[row] = Math.exp(low)
    candles.close[row] = Math.exp(walk + wave)
    candles.volume[row] = 1
  }
  const name = `${kind} ${number}`
  return { kind, market: name, interval: '5m', candles, from: FROM + HISTORY_DAYS * DAY_MS, cluster: name }
}
