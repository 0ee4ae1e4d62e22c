import { RATE_LIMIT } from '../../contract/refusals.ts'
import type { Clock } from '../../system.ts'
import type { Database } from '../database.ts'
import type { WindowType } from '../jobs/allowance.ts'

export interface RateTerms {
  /** Requests per minute and key; 0 = unlimited. */
  readonly limit: number
  /** Any minute, or minutes that begin every 60 s of the monotonic clock. */
  readonly window: WindowType
}

/**
 * Counts one request of a key, or returns how long to wait until one fits: at most `limit` per minute, over all processes that
 * have this file open. Only accepted requests count, so asking too often does not prolong the wait.
 * @returns milliseconds to wait, or null when the request was counted
 */
export function countRequest(
  db: Database,
  clock: Clock,
  { keyPrefix, rate: { limit, window } }: { readonly keyPrefix: string; readonly rate: RateTerms },
): number | null {
  const { windowMs } = RATE_LIMIT
  return db
    .transaction(() => {
      const now = clock.monotonic()
      // A time later than now was written before this machine last started. How long ago that was is unknown, so it is deleted
      // too.
      db.prepare('delete from requests where at_ms <= ? or at_ms > ?').run(now - windowMs, now)
      const start = window === 'sliding' ? now - windowMs : Math.floor(now / windowMs) * windowMs
      const blocking = db
        .prepare<[string, number, number], { at_ms: number }>(
          'select at_ms from requests where key_prefix = ? and at_ms >= ? order by at_ms desc limit 1 offset ?',
        )
        .get(keyPrefix, start, limit - 1)
      if (blocking !== undefined) return (window === 'sliding' ? blocking.at_ms : start) + windowMs - now
      db.prepare('insert into requests (key_prefix, at_ms) values (?, ?)').run(keyPrefix, now)
      return null
    })
    .immediate()
}
