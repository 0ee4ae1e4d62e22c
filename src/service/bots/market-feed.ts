/** The candles that live bots trade on: those complete by now. A synthetic market is continued by its generator where its stored candles end. */
import { listCandles, loadCandles, type StoredCandles } from '../../candles/folder/folder.ts'
import { findStretch } from '../../candles/folder/stored-months.ts'
import { continueCandles, findRecipe } from '../../candles/synthetic/continue.ts'
import { INTERVALS, type Interval } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Clock } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { Tables } from '../table-types.ts'

export interface LiveCandles {
  /** Opened at `from` or later and complete by `now`. */
  readonly candles: Candles
  readonly synthetic: boolean
  /** The market, or this stretch of it, has no candle after these. */
  readonly ended: boolean
  /** A different text means that an earlier candle may have changed. */
  readonly origin: string
}

/** The candle folder at one moment. */
export interface MarketView {
  /** The finest interval whose candles cover the moment, else the finest there is; undefined for a market that is not stored. */
  findInterval(market: string, at: number): Interval | undefined
  /** Returns no candles when the market is no longer stored. */
  take(request: { market: string; interval: Interval; from: number; now: number }): LiveCandles
}

export interface MarketFeed {
  read(): MarketView
}

interface Shelved {
  readonly origin: string
  readonly stored: Candles
  /** Stored and generated ones. */
  candles: Candles
  /** The generator was asked for candles up to here; when `candles` end before, it had none. */
  askedTo: number
}

/** Candles kept in memory for all markets; the market read last is kept whatever its size. */
const mostCandles = 8_000_000

export function createMarketFeed(folder: string): MarketFeed {
  const candleCache = new Map<string, Shelved>()

  function shelve(stored: StoredCandles): Shelved {
    const { market, interval, hash } = stored
    const name = `${market} ${interval}`
    const known = candleCache.get(name)
    const entry = known?.origin === hash ? known : load(folder, stored)
    candleCache.delete(name)
    candleCache.set(name, entry)
    let kept = 0
    for (const [other, { candles }] of [...candleCache].reverse()) {
      kept += candles.openTime.length
      if (kept > mostCandles && other !== name) candleCache.delete(other)
    }
    return entry
  }

  return {
    read() {
      const folderNow = listCandles(folder)
      return {
        findInterval(market, at) {
          const stored = folderNow.filter((each) => each.market === market)
          const covering = stored.find((each) => covers(folder, each, at))
          return (covering ?? stored.at(0))?.interval
        },
        take({ market, interval, from, now }) {
          const stored = folderNow.find((each) => each.market === market && each.interval === interval)
          if (stored === undefined) return noCandles(INTERVALS[interval])
          const entry = shelve(stored)
          extend(folder, entry, stored, now)
          const intervalMs = INTERVALS[interval]
          const last = entry.candles.openTime.at(-1) ?? 0
          return {
            candles: sliceCandles(entry.candles, from, now - intervalMs + 1),
            synthetic: stored.synthetic,
            ended: endOfStretch(stored, last + intervalMs, now) + intervalMs <= now,
            origin: entry.origin,
          }
        },
      }
    },
  }
}

function load(folder: string, { market, interval, hash, from, to }: StoredCandles): Shelved {
  const { candles } = loadCandles(folder, { market, interval, from, to })
  return { origin: hash, stored: candles, candles, askedTo: to }
}

/**
 * Asks the generator for the rest of the month as well: it must start where the stored candles end or even at the beginning, so
 * it should be called seldom.
 */
function extend(folder: string, entry: Shelved, { market, interval, synthetic }: StoredCandles, now: number): void {
  if (!synthetic || now <= entry.askedTo) return
  const date = new Date(now)
  entry.askedTo = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const recipe = findRecipe(folder, market, interval)
  const longer =
    recipe === undefined
      ? undefined
      : continueCandles(recipe, { candles: entry.stored, hash: entry.origin }, entry.askedTo)
  if (longer !== undefined) entry.candles = longer
}

function covers(folder: string, stored: StoredCandles, at: number): boolean {
  if (stored.stretches.some(({ from, to }) => from <= at && at < to)) return true
  return stored.to <= at && goesOn(folder, stored)
}

/** The end of the stretch for this moment. The last stretch ends with the candles, which the generator may have continued (`end`). */
function endOfStretch({ stretches }: StoredCandles, end: number, now: number): number {
  const stretch = findStretch(stretches, now)
  return stretch === undefined || stretch === stretches.at(-1) ? end : stretch.to
}

function goesOn(folder: string, { market, interval, synthetic }: StoredCandles): boolean {
  return synthetic && findRecipe(folder, market, interval) !== undefined
}

function noCandles(intervalMs: number): LiveCandles {
  const none = new Float64Array(0)
  const candles = { intervalMs, openTime: none, open: none, high: none, low: none, close: none, volume: none }
  return { candles, synthetic: false, ended: true, origin: '' }
}

// Market time: the wall clock, unless it was set otherwise. The setting is in the store, so every process that serves the
// file has the same market time, and it continues while none of them runs.
//
//     market time = the time it was set to + (wall clock now − wall clock then) · speed

export interface MarketClock {
  /** Whole milliseconds UTC. */
  now(): number
}

export interface MarketSetting {
  /** ms UTC; `wall` returns to the wall clock. Default: unchanged. */
  readonly now?: number | 'wall'
  /** Market seconds per second, above 0. Default: 1 when `now` is given, else unchanged. */
  readonly speed?: number
}

const setting = statement(() => query.selectFrom('market_clock').select(['wall_ms', 'market_ms', 'speed']))

export function createMarketClock(db: Database, clock: Clock): MarketClock {
  return { now: () => readMarket(setting.first(db), clock.wall()) }
}

export function setMarketClock(db: Database, clock: Clock, { now, speed }: MarketSetting): void {
  if (now === undefined && speed === undefined) return
  db.transaction(() => {
    const wall = Math.floor(clock.wall())
    const row = setting.first(db)
    runBuilt(db, query.deleteFrom('market_clock'))
    const factor = speed ?? 1
    if (now === 'wall' && factor === 1) return
    const start = typeof now === 'number' ? now : now === 'wall' ? wall : readMarket(row, wall)
    const set = { id: 1, wall_ms: wall, market_ms: start, speed: factor }
    runBuilt(db, query.insertInto('market_clock').values(set))
  }).immediate()
}

/** When the wall clock was set back before the time of the setting, market time stays at the value that was set. */
function readMarket(row: Omit<Tables['market_clock'], 'id'> | undefined, wall: number): number {
  if (row === undefined) return Math.floor(wall)
  return Math.floor(row.market_ms + Math.max(0, wall - row.wall_ms) * row.speed)
}
