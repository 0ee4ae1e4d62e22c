/** Service identities: which service answered, and whether it is a simulation. */

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
 * The account whose allowance is spent. On a real service the keys are part of the identity, so `account` is empty; our embedded
 * service is one identity with several accounts.
 */
export interface Spender {
  readonly identity: string
  readonly account: string
}

/** The embedded service that was used last, at `origin` if one is given; undefined before the first use. */
export function findSimulatedIdentity(store: Store, { origin }: { readonly origin?: string } = {}): string | undefined {
  const simulated = query.selectFrom('service').select('identity').where('simulated', '=', 1)
  const wanted = origin === undefined ? simulated : simulated.where('origin', '=', origin)
  return firstRow(store.db, wanted.orderBy('first_seen_at', 'desc').limit(1))?.identity
}

/** Whether it is a service of ours; false for one that was never met. */
export function isSimulated(store: Store, { identity }: Pick<Spender, 'identity'>): boolean {
  const service = query.selectFrom('service').select('simulated').where('identity', '=', identity)
  return firstRow(store.db, service)?.simulated === 1
}
