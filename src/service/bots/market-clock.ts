/**
 * Market time: the wall clock, unless it was set otherwise. The setting is in the store, so every process that serves the
 * file has the same market time, and it continues while none of them runs.
 *
 *     market time = the time it was set to + (wall clock now − wall clock then) · speed
 */
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Clock } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { Tables } from '../table-types.ts'

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
