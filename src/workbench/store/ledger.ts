/** The allowance ledger: what the service may have counted, per account. It is always read from rows. */

import { allRows, runBuilt, statement } from '../../sqlite/statements.ts'
import type { ServiceAccount } from './services.ts'
import { type Store, write } from './store.ts'
import { IS_OPEN, isoTime, msOf, query, type RowOf } from './tables.ts'

// What agents spent, counted from the rows of the runs that they asked for: a restart, or a second server, forgets nothing.

/**
 * When each backtest of agents may have been counted (ms, service time), in no order, on any service and account; an attempt without an answer
 * counts as of `now`. `since`: what was spent before it is left out.
 */
export function readAgentSpent(
  store: Store,
  { now, since }: { readonly now: number; readonly since: number },
): readonly number[] {
  return spentByAgents.all(store.db, { since: isoTime(since) }).map(({ at }) => (at === null ? now : msOf(at)))
}

const ofAgents = query
  .selectFrom('study_run as r')
  .innerJoin('attempt as a', 'a.study_run_id', 'r.id')
  .where('r.asked_by', '=', 'agent')

const spentByAgents = statement(({ since }: { readonly since: string }) =>
  ofAgents
    .select('a.counted_at as at')
    .where(({ eb, or }) => or([eb('a.counted_at', '>=', since), eb('a.state', '=', 'intent')]))
    .unionAll(
      ofAgents
        .innerJoin('job as j', 'j.attempt_id', 'a.id')
        .select('j.submitted_at as at')
        .where('j.duplicate', '=', 1)
        .where('j.submitted_at', '>=', since),
    ),
)

/** The end of the time that is asked about is always now. */
export interface LedgerQuestion extends ServiceAccount {
  /** ms, service time: what was spent before it is left out. Absent = everything there ever was. */
  readonly since?: number
}

const foreign = statement(({ identity, account, since }: Since) =>
  query
    .selectFrom('foreign_job')
    .select('counted_at')
    .where('identity', '=', identity)
    .where('account', '=', account)
    .where('counted_at', '>=', since),
)

/** A request delivered twice on its way may have been counted twice. */
const duplicates = statement(({ identity, account, since }: Since) =>
  query
    .selectFrom('job')
    .innerJoin('attempt', 'attempt.id', 'job.attempt_id')
    .select('job.submitted_at as counted_at')
    .where('job.identity', '=', identity)
    .where('job.duplicate', '=', 1)
    .where('job.submitted_at', '>=', since)
    .where('attempt.account', '=', account),
)

/**
 * The latest time at which each unit may have been spent (ms, service time), oldest first; an open attempt counts as spent `now`.
 * Includes jobs of other clients, and second jobs of one request, that we saw in the service's list.
 */
export function readSpent(
  store: Store,
  { identity, account, now, since = Number.NEGATIVE_INFINITY }: LedgerQuestion & { now: number },
): readonly number[] {
  const of = { identity, account, since: isoTime(since) }
  return [
    ...counted.all(store.db, of),
    ...openAttempts.all(store.db, of),
    ...foreign.all(store.db, of),
    ...duplicates.all(store.db, of),
  ]
    .map(({ counted_at }) => (counted_at === null ? now : msOf(counted_at)))
    .sort(ascending)
}

const ofAccount = ({ identity, account }: ServiceAccount) =>
  query.selectFrom('attempt').select('counted_at').where('identity', '=', identity).where('account', '=', account)

type Since = ServiceAccount & { readonly since: string }

// A released attempt has no such time and never counts. Neither has an open one, which is found by an index of its own.
const counted = statement((given: Since) => ofAccount(given).where('counted_at', '>=', given.since))
const openAttempts = statement((given: Since) => ofAccount(given).where(IS_OPEN).where('state', '=', 'intent'))

function ascending(a: number, b: number): number {
  return a - b
}

const accepted = statement((given: Since) =>
  ofAccount(given).where('state', '=', 'acked').where('counted_at', '>=', given.since).orderBy('counted_at'),
)

const newest = statement((given: ServiceAccount) =>
  ofAccount(given).where('counted_at', 'is not', null).orderBy('counted_at', 'desc').limit(1),
)

/** When submissions were certainly accepted (ms, service time), oldest first. */
export function readAccepted(
  store: Store,
  { identity, account, since = Number.NEGATIVE_INFINITY }: LedgerQuestion,
): readonly number[] {
  const of = { identity, account, since: isoTime(since) }
  return accepted.all(store.db, of).flatMap(({ counted_at }) => (counted_at === null ? [] : [msOf(counted_at)]))
}

/** The latest time at which a unit was counted (ms, service time); null = none ever was. */
export function readNewestCount(store: Store, { identity, account }: ServiceAccount): number | null {
  const countedAt = newest.first(store.db, { identity, account })?.counted_at ?? null
  return countedAt === null ? null : msOf(countedAt)
}

interface ForeignJob {
  readonly remoteId: string
  readonly name: string | null
  /** ms, service time. */
  readonly countedAt: number
}

const ourJob = statement(({ identity, remote_id }: Pick<RowOf<'foreign_job'>, 'identity' | 'remote_id'>) =>
  query.selectFrom('job').select('id').where('identity', '=', identity).where('remote_id', '=', remote_id),
)

const insertForeign = statement(({ identity, account, remote_id, name, counted_at }: RowOf<'foreign_job'>) =>
  query
    .insertInto('foreign_job')
    .values({ identity, account, remote_id, name, counted_at })
    .onConflict((known) => known.doNothing()),
)

/** Records jobs that no attempt of ours made. Known ones keep their first time. Answers the ids of those that are new. */
export function recordForeignJobs(
  store: Store,
  { identity, account, jobs }: ServiceAccount & { jobs: readonly ForeignJob[] },
): Promise<readonly string[]> {
  return write(store, () => {
    const added = jobs.filter(({ remoteId, name, countedAt }) => {
      const row = { identity, account, remote_id: remoteId, name, counted_at: isoTime(countedAt) }
      return ourJob.first(store.db, row) === undefined && insertForeign.run(store.db, row).changes > 0
    })
    return added.map(({ remoteId }) => remoteId)
  })
}

/** Ids of jobs that were seen and are not ours; `before`: only those counted before then (ms, service time). */
export function listForeignIds(
  store: Store,
  { identity, account, before = Number.POSITIVE_INFINITY }: ServiceAccount & { readonly before?: number },
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
 * Sets times that are later than is possible to the latest that is: now, or `settleMs` later for submissions, which count from when they can no longer arrive.
 * They come from a clock that was set back since, so their true age is unknown; this way they count for one window at most, and not for years.
 */
export function pullBackFutureTimes(
  store: Store,
  { identity, account, now, settleMs }: ServiceAccount & { readonly now: number; readonly settleMs: number },
): Promise<void> {
  return write(store, () => {
    for (const table of ['attempt', 'foreign_job'] as const) {
      const at = isoTime(table === 'attempt' ? now + settleMs : now)
      const ofAccount = query.updateTable(table).where('identity', '=', identity).where('account', '=', account)
      runBuilt(store.db, ofAccount.set({ counted_at: at }).where('counted_at', '>', at))
    }
  })
}
