/** Jobs of the service that belong to our trials: made, observed, missed, deleted. */

import type Database from 'better-sqlite3'
import { allRows, runBuilt, statement } from '../../sqlite/statements.ts'
import { type JobObservation, noteDeleted, observe } from './observe-job.ts'
import type { ServiceAccount } from './services.ts'
import { type Store, write } from './store.ts'
import { isoTime, msOf, query, type RowOf } from './tables.ts'

export interface OpenJob {
  readonly id: number
  readonly remoteId: string
  readonly fingerprint: string
  /** For which it was sent. */
  readonly study: string
  readonly state: 'running' | 'stalled'
  /** ms, service time. */
  readonly submittedAt: number
  /** The run that paid for it; 0 = of a layout that did not keep it. */
  readonly runId: number
  /** ms UTC of our clock; null = never seen since it was acknowledged. */
  readonly lastSeenAt: number | null
  readonly missingSince: number | null
}

const openJobsOf = statement(({ identity, account }: Readonly<Record<'identity' | 'account', string>>) =>
  query
    .selectFrom('job')
    .innerJoin('attempt', 'attempt.id', 'job.attempt_id')
    .select([
      'job.id',
      'job.remote_id',
      'job.fingerprint',
      'job.state',
      'job.submitted_at',
      'job.last_seen_at',
      'job.missing_since',
      'attempt.study',
      'attempt.study_run_id',
    ])
    .where('job.identity', '=', identity)
    .where('job.state', 'in', ['running', 'stalled'])
    .where('attempt.account', '=', account)
    .orderBy('job.id'),
)

/** Jobs that have not ended as far as we know, oldest first. */
export function listOpenJobs(store: Store, account: ServiceAccount): readonly OpenJob[] {
  return openJobsOf.all(store.db, account).map((row) => ({
    id: row.id,
    remoteId: row.remote_id,
    fingerprint: row.fingerprint,
    study: row.study,
    state: row.state === 'stalled' ? 'stalled' : 'running',
    submittedAt: msOf(row.submitted_at),
    runId: row.study_run_id ?? 0,
    lastSeenAt: row.last_seen_at === null ? null : msOf(row.last_seen_at),
    missingSince: row.missing_since === null ? null : msOf(row.missing_since),
  }))
}

/** Jobs of an account that are done, the latest first. */
export function listLatestDone(
  store: Store,
  { identity, account }: ServiceAccount,
  most: number,
): readonly { readonly id: number; readonly fingerprint: string }[] {
  return allRows(
    store.db,
    query
      .selectFrom('job')
      .innerJoin('attempt', 'attempt.id', 'job.attempt_id')
      .select(['job.id', 'job.fingerprint'])
      .where('job.identity', '=', identity)
      .where('job.state', '=', 'done')
      .where('attempt.account', '=', account)
      .orderBy('job.id', 'desc')
      .limit(most),
  )
}

/** The latest of them say what the service takes; what it took a month ago may have been on another machine of its own. */
const latestJobs = 50

/**
 * How long the longest of the latest finished jobs of the service took, from submission to end, ms; null = none has finished yet. A job that
 * ended before it was sent, because the clock was set between, says nothing.
 */
export function readLongestJobMs(store: Store, { identity }: Pick<ServiceAccount, 'identity'>): number | null {
  const finished = query
    .selectFrom('job')
    .select(['submitted_at', 'finished_at'])
    .where('identity', '=', identity)
    .where('state', '=', 'done')
    .orderBy('id', 'desc')
    .limit(latestJobs)
  const took = allRows(store.db, finished)
    .flatMap(({ submitted_at, finished_at }) => (finished_at === null ? [] : [msOf(finished_at) - msOf(submitted_at)]))
    .filter((ms) => ms >= 0)
  return took.length === 0 ? null : Math.max(...took)
}

export interface NewJob {
  readonly identity: string
  readonly fingerprint: string
  readonly attemptId: number
  readonly duplicate: boolean
  /** ms, service time. */
  readonly submittedAt: number
  readonly observation: JobObservation
}

type BegunJob = Pick<
  RowOf<'job'>,
  'identity' | 'remote_id' | 'fingerprint' | 'attempt_id' | 'duplicate' | 'name' | 'submitted_at'
>

const begin = statement(({ identity, remote_id, fingerprint, attempt_id, duplicate, name, submitted_at }: BegunJob) =>
  query.insertInto('job').values({
    ...{ identity, remote_id, fingerprint, attempt_id, duplicate, name, submitted_at },
    state: 'running',
  }),
)

interface AtService {
  readonly identity: string
  readonly remoteId: string
}

/** It is our job now. */
export const forgetForeign = statement(({ identity, remoteId }: AtService) =>
  query.deleteFrom('foreign_job').where('identity', '=', identity).where('remote_id', '=', remoteId),
)

const jobByRemoteId = statement(({ identity, remoteId }: AtService) =>
  query.selectFrom('job').select('id').where('identity', '=', identity).where('remote_id', '=', remoteId),
)

/** Inserts a job with its first observation. Call inside a transaction. */
export function insertJob(db: Database.Database, job: NewJob): void {
  const { identity, observation } = job
  const inserted = begin.run(db, {
    identity,
    remote_id: observation.remoteId,
    fingerprint: job.fingerprint,
    attempt_id: job.attemptId,
    duplicate: job.duplicate ? 1 : 0,
    name: observation.name,
    submitted_at: isoTime(job.submittedAt),
  })
  forgetForeign.run(db, { identity, remoteId: observation.remoteId })
  observe(db, Number(inserted.lastInsertRowid), job.observation)
}

/**
 * Stores observations of known jobs and ignores those of unknown ones. Returns how many jobs ended by them. On a full disk it
 * tries again, because a result was paid for.
 */
export function recordObservations(
  store: Store,
  { identity, observations }: { identity: string; observations: readonly JobObservation[] },
): Promise<number> {
  return write(
    store,
    () => {
      let ended = 0
      for (const observation of observations) {
        const job = jobByRemoteId.first(store.db, { identity, remoteId: observation.remoteId })
        if (job !== undefined && observe(store.db, job.id, observation)) ended++
      }
      return ended
    },
    { patient: true },
  )
}

/** The service answered 404 for a job: records since when, unless it was already missing. */
export function recordMissing(store: Store, { jobId, at }: { jobId: number; at: number }): Promise<void> {
  return write(store, () => {
    const since = isoTime(at)
    const job = query.updateTable('job').where('id', '=', jobId)
    runBuilt(
      store.db,
      job.set(({ fn, val }) => ({ missing_since: fn.coalesce('missing_since', val(since)) })),
    )
  })
}

/**
 * The service no longer has the job. An ended job keeps its result. One that had not ended becomes `gone`: it stays counted and
 * is not sent again automatically.
 */
export function recordDeleted(store: Store, { jobId, at }: { jobId: number; at: number }): Promise<void> {
  return write(store, () => {
    noteDeleted(store.db, jobId, at)
    const gone = query.updateTable('job').set({ state: 'gone', failure: 'deleted at the service' })
    runBuilt(store.db, gone.where('id', '=', jobId).where('state', 'in', ['running', 'stalled']))
  })
}

/** Marks those of the jobs that still run as stalled. */
export function recordStalled(store: Store, jobIds: readonly number[]): Promise<void> {
  return write(store, () => {
    const stalled = query.updateTable('job').set({ state: 'stalled' }).where('id', 'in', jobIds)
    runBuilt(store.db, stalled.where('state', '=', 'running'))
  })
}
