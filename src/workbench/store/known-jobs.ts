/** Which jobs of a service's list are ours. A store may know a million; a list shows a few. */

import { allRows, itemsOf, statement } from '../../sqlite/statements.ts'
import type { ServiceAccount } from './services.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'

export interface KnownJob {
  readonly id: number
  readonly remoteId: string
  readonly fingerprint: string
  readonly attemptId: number
  /** True when it is a second job of its attempt. */
  readonly duplicate: boolean
  /** True when it is done or failed, so that it need not be polled. */
  readonly ended: boolean
  /** True when the service should show it in this account's list. */
  readonly listed: boolean
}

/** Jobs of ours on a service, by the service's id: those among `ids`, or every one there is. */
export function readKnownJobs(
  store: Store,
  { identity, account }: ServiceAccount,
  ids?: readonly string[],
): ReadonlyMap<string, KnownJob> {
  const all = query
    .selectFrom('job as j')
    .innerJoin('attempt as a', 'a.id', 'j.attempt_id')
    .select([
      'j.id',
      'j.remote_id',
      'j.fingerprint',
      'j.attempt_id',
      'j.duplicate',
      'j.state',
      'j.deleted_at',
      'a.account',
    ])
    .where('j.identity', '=', identity)
  const asked = ids === undefined ? all : all.where('j.remote_id', 'in', itemsOf<string>(JSON.stringify(ids)))
  return new Map(
    allRows(store.db, asked).map(({ remote_id: remoteId, state, deleted_at, ...row }) => {
      const listed = row.account === account && deleted_at === null && state !== 'gone'
      const ended = state === 'done' || state === 'failed'
      const { id, fingerprint, attempt_id: attemptId } = row
      return [remoteId, { id, remoteId, fingerprint, attemptId, duplicate: row.duplicate === 1, ended, listed }]
    }),
  )
}

/** The job of ours that a service calls so. */
export function findKnownJob(store: Store, serviceAccount: ServiceAccount, remoteId: string): KnownJob | undefined {
  return readKnownJobs(store, serviceAccount, [remoteId]).get(remoteId)
}

const echoed = statement(({ identity }: { readonly identity: string }) =>
  query
    .selectFrom('study_run as r')
    .innerJoin('attempt as a', 'a.study_run_id', 'r.id')
    .innerJoin('job as j', 'j.attempt_id', 'a.id')
    .select('j.id')
    .where('r.identity', '=', identity)
    .whereRef('j.name', '=', 'a.name')
    .limit(1),
)

/** Whether a job of ours was ever shown under the name that it was sent with. Other services may give names of their own. */
export function echoesNames(store: Store, { identity }: Pick<ServiceAccount, 'identity'>): boolean {
  return echoed.first(store.db, { identity }) !== undefined
}

/** What this store knows to have been sent of a trial on a service. */
interface SentTrial {
  /** The service's id of its latest job that is no duplicate; null = it has none. */
  readonly job: string | null
  /** A submission without a job may still become one: its outcome is not known, or it was taken for lost. */
  readonly mayArrive: boolean
}

type OfTrial = Readonly<Record<'identity' | 'fingerprint', string>>

const latestOfTrial = statement(({ identity, fingerprint }: OfTrial) =>
  query
    .selectFrom('job')
    .select('remote_id')
    .where('identity', '=', identity)
    .where('fingerprint', '=', fingerprint)
    .where('duplicate', '=', 0)
    .orderBy('id', 'desc')
    .limit(1),
)

const openOfTrial = statement(({ identity, fingerprint }: OfTrial) =>
  query
    .selectFrom('attempt')
    .select('id')
    .where('identity', '=', identity)
    .where('fingerprint', '=', fingerprint)
    .where('state', 'in', ['intent', 'ambiguous', 'undecided', 'absent'])
    .limit(1),
)

export function readSentTrial(
  store: Store,
  { identity, fingerprint }: { readonly identity: string; readonly fingerprint: string },
): SentTrial {
  const ofTrial = { identity, fingerprint }
  const open = openOfTrial.first(store.db, ofTrial)
  return { job: latestOfTrial.first(store.db, ofTrial)?.remote_id ?? null, mayArrive: open !== undefined }
}
