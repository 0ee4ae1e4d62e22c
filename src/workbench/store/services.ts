/** Service identities: which service answered, and whether it is a simulation. */

import type { Failure } from '../../errors.ts'
import { allRows, firstRow, runBuilt, statement } from '../../sqlite/statements.ts'
import { type NamedService, shortNames, unknownService } from './choose-service.ts'
import type { Store } from './store.ts'
import { isoTime, query } from './tables.ts'

export interface ServiceRecord {
  /** `embedded:<service id>`, or origin + SHA-256 of the key. */
  readonly identity: string
  readonly simulated: boolean
  readonly origin: string
}

/** Call inside a transaction. */
export function saveService(store: Store, { identity, simulated, origin }: ServiceRecord, now: number): void {
  const row = { identity, simulated: simulated ? 1 : 0, origin, first_seen_at: isoTime(now) }
  runBuilt(
    store.db,
    query
      .insertInto('service')
      .values(row)
      .onConflict((known) => known.doNothing()),
  )
}

/**
 * The account whose allowance is spent. On a real service the keys are part of the identity, so `account` is empty; our embedded
 * service is one identity with several accounts.
 */
export interface ServiceAccount {
  readonly identity: string
  readonly account: string
}

/** The embedded service that was used last, at `origin` if one is given; undefined before the first use. */
export function findSimulatedIdentity(store: Store, { origin }: { readonly origin?: string } = {}): string | undefined {
  const ours = query
    .selectFrom('service as s')
    .select('s.identity')
    .where('s.simulated', '=', 1)
    .orderBy(
      ({ selectFrom }) =>
        selectFrom('study_run as r')
          .select(({ fn }) => fn.max('r.id').as('last'))
          .whereRef('r.identity', '=', 's.identity'),
      'desc',
    )
    .orderBy('s.first_seen_at', 'desc')
    .limit(1)
  return firstRow(store.db, origin === undefined ? ours : ours.where('s.origin', '=', origin))?.identity
}

/** Whether it is a service of ours; false for one that was never met. */
export function isSimulated(store: Store, { identity }: Pick<ServiceAccount, 'identity'>): boolean {
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

const doneOn = statement(({ fingerprint }: { readonly fingerprint: string }) =>
  query
    .selectFrom('job')
    .select('identity')
    .distinct()
    .where('fingerprint', '=', fingerprint)
    .where('state', '=', 'done')
    .where('duplicate', '=', 0)
    .orderBy('identity'),
)

/** Identities of the services that have finished a trial. */
export function servicesWithResult(store: Store, fingerprint: string): readonly string[] {
  return doneOn.all(store.db, { fingerprint }).map(({ identity }) => identity)
}

/** @returns the failure that lists the services of this store, each with its finished trials */
export function unknownToStore(store: Store, asked: string): Failure {
  const done = query
    .selectFrom('job')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'done')
  const listed = listServices(store).map(({ identity, name }) => ({
    name,
    progress: `${firstRow(store.db, done.where('identity', '=', identity))?.n ?? 0} done`,
  }))
  return unknownService(asked, 'this store', listed)
}
