/** Service identities: who answered, and whether it is a simulation. */

import type { Store } from './store.ts'
import { firstRow, query } from './tables.ts'
import { isoTime } from './times.ts'

export interface ServiceRecord {
  /** `embedded:<service id>`, or origin + SHA-256 of the key. */
  readonly identity: string
  readonly simulated: boolean
  readonly origin: string
}

/** Call inside a transaction. */
export function saveService(store: Store, { identity, simulated, origin }: ServiceRecord, now: number): void {
  store.db
    .prepare(
      `insert into service (identity, simulated, origin, first_seen_at) values (:identity, :simulated, :origin, :now)
       on conflict do nothing`,
    )
    .run({ identity, simulated: simulated ? 1 : 0, origin, now: isoTime(now) })
}

/**
 * Whose allowance is spent. Keys of a real service are their own identity, so `account` is empty there; our embedded service is one
 * identity with several accounts.
 */
export interface Spender {
  readonly identity: string
  readonly account: string
}

/** Whose allowance was spent last; undefined when nothing was ever submitted. */
export function findLatestSpender(store: Store): Spender | undefined {
  return firstRow(store.db, query.selectFrom('attempt').select(['identity', 'account']).orderBy('id', 'desc').limit(1))
}
