import { RATE_LIMIT } from '../../contract/refusals.ts'
import { statement } from '../../sqlite/statements.ts'
import type { Clock } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { WindowType } from '../jobs/allowance.ts'

export interface RateTerms {
  /** Requests per minute and key; 0 = unlimited. */
  readonly limit: number
  /** Any minute, or minutes that begin every 60 s of the monotonic clock. */
  readonly window: WindowType
}

const forget = statement(({ over, now }: { readonly over: number; readonly now: number }) =>
  query.deleteFrom('requests').where(({ eb, or }) => or([eb('at_ms', '<=', over), eb('at_ms', '>', now)])),
)

const findBlocking = statement(
  ({ keyPrefix, start, others }: { readonly keyPrefix: string; readonly start: number; readonly others: number }) =>
    query
      .selectFrom('requests')
      .select('at_ms')
      .where('key_prefix', '=', keyPrefix)
      .where('at_ms', '>=', start)
      .orderBy('at_ms', 'desc')
      .limit(1)
      .offset(others),
)

const count = statement(({ keyPrefix, now }: { readonly keyPrefix: string; readonly now: number }) =>
  query.insertInto('requests').values({ key_prefix: keyPrefix, at_ms: now }),
)

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
      forget.run(db, { over: now - windowMs, now })
      const start = window === 'sliding' ? now - windowMs : Math.floor(now / windowMs) * windowMs
      const blocking = findBlocking.first(db, { keyPrefix, start, others: limit - 1 })
      if (blocking !== undefined) return (window === 'sliding' ? blocking.at_ms : start) + windowMs - now
      count.run(db, { keyPrefix, now })
      return null
    })
    .immediate()
}
