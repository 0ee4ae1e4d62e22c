/** The allowance ledger: what the service may have counted, per spender. It is always read from rows. */

import { sql } from 'kysely'
import { allRows } from '../../statements.ts'
import type { Spender } from './services.ts'
import { type Store, write } from './store.ts'
import { IS_OPEN, query } from './tables.ts'
import { isoTime, msOf } from './times.ts'

/** The end of the time that is asked about is always now. */
export interface LedgerQuestion extends Spender {
  /** ms, service time: what was spent before it is left out. Absent = everything there ever was. */
  readonly since?: number
}

/**
 * The latest time at which each unit may have been spent (ms, service time), oldest first; an open attempt counts as spent `now`.
 * Includes jobs of other clients, and second jobs of one request, that we saw in the service's list.
 */
export function readSpent(
  store: Store,
  { identity, account, now, since = Number.NEGATIVE_INFINITY }: LedgerQuestion & { now: number },
): readonly number[] {
  const after = isoTime(since)
  const ofSpender = query
    .selectFrom('attempt')
    .select('counted_at')
    .where('identity', '=', identity)
    .where('account', '=', account)
  // A released attempt has no such time and never counts. Neither has an open one, which is found by an index of its own.
  const attempts = allRows(store.db, ofSpender.where('counted_at', '>=', after))
  const open = allRows(store.db, ofSpender.where(IS_OPEN).where('state', '=', 'intent'))
  const foreign = allRows(
    store.db,
    query
      .selectFrom('foreign_job')
      .select('counted_at')
      .where('identity', '=', identity)
      .where('account', '=', account)
      .where('counted_at', '>=', after),
  )
  // A request delivered twice on its way may have been counted twice.
  const duplicates = allRows(
    store.db,
    query
      .selectFrom('job')
      .innerJoin('attempt', 'attempt.id', 'job.attempt_id')
      .select('job.submitted_at as counted_at')
      .where('job.identity', '=', identity)
      .where(sql<boolean>`job.duplicate = 1`) // spelled out: a parameter would keep SQLite from the index of those
      .where('job.submitted_at', '>=', after)
      .where('attempt.account', '=', account),
  )
  return [...attempts, ...open, ...foreign, ...duplicates]
    .map(({ counted_at }) => (counted_at === null ? now : msOf(counted_at)))
    .sort(ascending)
}

function ascending(a: number, b: number): number {
  return a - b
}

/** When submissions were certainly accepted (ms, service time), oldest first. */
export function readAccepted(
  store: Store,
  { identity, account, since = Number.NEGATIVE_INFINITY }: LedgerQuestion,
): readonly number[] {
  const accepted = query
    .selectFrom('attempt')
    .select('counted_at')
    .where('identity', '=', identity)
    .where('account', '=', account)
    .where('state', '=', 'acked')
    .where('counted_at', '>=', isoTime(since))
    .orderBy('counted_at')
  return allRows(store.db, accepted).flatMap(({ counted_at }) => (counted_at === null ? [] : [msOf(counted_at)]))
}

/** The latest time at which a unit was counted (ms, service time); null = none ever was. */
export function readNewestCount(store: Store, { identity, account }: Spender): number | null {
  const newest = query
    .selectFrom('attempt')
    .select('counted_at')
    .where('identity', '=', identity)
    .where('account', '=', account)
    .where('counted_at', 'is not', null)
    .orderBy('counted_at', 'desc')
    .limit(1)
  const countedAt = allRows(store.db, newest).at(0)?.counted_at ?? null
  return countedAt === null ? null : msOf(countedAt)
}

export interface ForeignJob {
  readonly remoteId: string
  readonly name: string | null
  /** ms, service time. */
  readonly countedAt: number
}

/** Records jobs that no attempt of ours made. Known ones keep their first time. Answers the ids of those that are new. */
export function recordForeignJobs(
  store: Store,
  { identity, account, jobs }: Spender & { jobs: readonly ForeignJob[] },
): Promise<readonly string[]> {
  return write(store, () => {
    const insert = store.db.prepare(
      `insert into foreign_job (identity, account, remote_id, name, counted_at) select :identity, :account, :remoteId, :name, :countedAt
       where not exists (select 1 from job where identity = :identity and remote_id = :remoteId)
       on conflict do nothing`,
    )
    const added = jobs.filter(({ remoteId, name, countedAt }) => {
      const row = { identity, account, remoteId, name, countedAt: isoTime(countedAt) }
      return insert.run(row).changes > 0
    })
    return added.map(({ remoteId }) => remoteId)
  })
}

/** Ids of jobs that were seen and are not ours; `before`: only those counted before then (ms, service time). */
export function listForeignIds(
  store: Store,
  { identity, account, before = Number.POSITIVE_INFINITY }: Spender & { readonly before?: number },
): ReadonlySet<string> {
  const foreign = query
    .selectFrom('foreign_job')
    .select('remote_id')
    .where('identity', '=', identity)
    .where('account', '=', account)
    .where('counted_at', '<', isoTime(before))
  return new Set(allRows(store.db, foreign).map(({ remote_id }) => remote_id))
}

/**
 * Sets times that are later than now to now. They come from a clock that was set back since, so their true age is unknown; this
 * way they count for one window at most, and not for years.
 */
export function pullBackFutureTimes(
  store: Store,
  { identity, account, now }: Spender & { now: number },
): Promise<void> {
  return write(store, () => {
    for (const table of ['attempt', 'foreign_job']) {
      store.db
        .prepare(
          `update ${table} set counted_at = :now where identity = :identity and account = :account and counted_at > :now`,
        )
        .run({ identity, account, now: isoTime(now) })
    }
  })
}
