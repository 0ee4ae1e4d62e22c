import { RATE_LIMIT } from '../contract/refusals.ts'
import type { Clock } from '../system.ts'
import type { Database } from './database.ts'

/**
 * Counts one request of a key, or says how long until one fits: at most `limit` in any minute, over every process that has
 * this file open. Only requests that are let through count, so asking too often never prolongs the wait.
 * @returns milliseconds to wait, or null when the request was counted
 */
export function countRequest(
  db: Database,
  clock: Clock,
  { keyPrefix, limit }: { readonly keyPrefix: string; readonly limit: number },
): number | null {
  return db
    .transaction(() => {
      const now = clock.monotonic()
      // Later than now: written before this machine last started. Nothing is known about how long ago that was.
      db.prepare('delete from requests where at_ms <= ? or at_ms > ?').run(now - RATE_LIMIT.windowMs, now)
      const blocking = db
        .prepare<[string, number], { at_ms: number }>(
          'select at_ms from requests where key_prefix = ? order by at_ms desc limit 1 offset ?',
        )
        .get(keyPrefix, limit - 1)
      if (blocking !== undefined) return blocking.at_ms + RATE_LIMIT.windowMs - now
      db.prepare('insert into requests (key_prefix, at_ms) values (?, ?)').run(keyPrefix, now)
      return null
    })
    .immediate()
}
