/** Service identities: which service answered, and whether it is a simulation. */

import type { Failure } from '../../errors.ts'
import { type NamedService, shortNames, unknownService } from './choose-service.ts'
import type { Store } from './store.ts'
import { allRows, firstRow, prepared, query } from './tables.ts'
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
  const used = prepared<[object], string>(
    store.db,
    `select s.identity from service s where s.simulated = 1 and (:origin is null or s.origin = :origin)
     order by (select max(r.id) from study_run r where r.identity = s.identity) desc, s.first_seen_at desc limit 1`,
  )
  return used.pluck().get({ origin: origin ?? null })
}

/** Whether it is a service of ours; false for one that was never met. */
export function isSimulated(store: Store, { identity }: Pick<Spender, 'identity'>): boolean {
  const service = query.selectFrom('service').select('simulated').where('identity', '=', identity)
  return firstRow(store.db, service)?.simulated === 1
}

/** Every service that the store knows, with its short name. */
export function listServices(store: Store): readonly NamedService[] {
  const identities = allRows(store.db, query.selectFrom('service').select('identity').orderBy('identity'))
  const names = shortNames(identities.map(({ identity }) => identity))
  return [...names].map(([identity, name]) => ({ identity, name }))
}

/** Its short name; of one that the store does not know, the name that it would have by itself. */
export function serviceName(store: Store, identity: string): string {
  const known = listServices(store).find((one) => one.identity === identity)
  return known?.name ?? shortNames([identity]).get(identity) ?? identity
}

/** Identities of the services that have finished a trial. */
export function servicesWithResult(store: Store, fingerprint: string): readonly string[] {
  const done = prepared<[string], string>(
    store.db,
    `select distinct identity from job where fingerprint = ? and state = 'done' and duplicate = 0 order by identity`,
  )
  return done.pluck().all(fingerprint)
}

/** @returns the failure that lists the services of this store, each with its finished trials */
export function unknownToStore(store: Store, asked: string): Failure {
  const done = prepared<[string], number>(
    store.db,
    `select count(*) from job where identity = ? and state = 'done'`,
  ).pluck()
  const listed = listServices(store).map(({ identity, name }) => ({
    name,
    progress: `${done.get(identity) ?? 0} done`,
  }))
  return unknownService(asked, 'this store', listed)
}
