/** Which jobs of a service's list are ours. A store may know a million; a list shows a few. */
import type { Spender } from './services.ts'
import type { Store } from './store.ts'
import { prepared } from './tables.ts'

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
  { identity, account }: Spender,
  ids?: readonly string[],
): ReadonlyMap<string, KnownJob> {
  const among = ids === undefined ? '' : 'and j.remote_id in (select value from json_each(:ids))'
  type Flag = 'duplicate' | 'ended' | 'listed'
  const rows = prepared<[object], Omit<KnownJob, Flag> & Record<Flag, number>>(
    store.db,
    `select j.id, j.remote_id as remoteId, j.fingerprint, j.attempt_id as attemptId, j.duplicate, j.state in ('done', 'failed') as ended,
       a.account = :account and j.deleted_at is null and j.state <> 'gone' as listed
     from job j join attempt a on a.id = j.attempt_id where j.identity = :identity ${among}`,
  ).all({ identity, account, ...(ids === undefined ? {} : { ids: JSON.stringify(ids) }) })
  return new Map(
    rows.map((row) => {
      const [duplicate, ended, listed] = [row.duplicate === 1, row.ended === 1, row.listed === 1]
      return [row.remoteId, { ...row, duplicate, ended, listed }]
    }),
  )
}

/** The job of ours that a service calls so. */
export function findKnownJob(store: Store, spender: Spender, remoteId: string): KnownJob | undefined {
  return readKnownJobs(store, spender, [remoteId]).get(remoteId)
}

/** What this store knows to have been sent of a trial on a service. */
export interface SentTrial {
  /** The service's id of its latest job that is no duplicate; null = it has none. */
  readonly job: string | null
  /** A submission without a job may still become one: its outcome is not known, or it was taken for lost. */
  readonly mayArrive: boolean
}

export function readSentTrial(
  store: Store,
  { identity, fingerprint }: { readonly identity: string; readonly fingerprint: string },
): SentTrial {
  const row = prepared<[object], { job: string | null; open: number }>(
    store.db,
    `select (select remote_id from job where identity = :identity and fingerprint = :fingerprint and duplicate = 0
        order by id desc limit 1) as job,
       exists (select 1 from attempt where identity = :identity and fingerprint = :fingerprint
        and state in ('intent', 'ambiguous', 'parked', 'absent')) as open`,
  ).get({ identity, fingerprint })
  return { job: row?.job ?? null, mayArrive: row?.open === 1 }
}
