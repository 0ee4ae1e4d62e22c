/** Service identities: who answered, and whether it is a simulation. */

import type { Store } from './store.ts'
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
