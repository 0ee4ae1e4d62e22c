/** The queue of jobs: a runner claims a job and finishes it. A claim is one immediate transaction, so that every job has one runner at a time. */
import type { JobRequestBody, JobResultBody } from '../../contract/bodies.ts'
import type { Clock } from '../../system.ts'
import type { Database } from '../database.ts'
import type { KeptTerms } from '../job-terms.ts'

export interface ClaimedJob {
  readonly id: string
  readonly request: JobRequestBody
  readonly terms: KeptTerms
}

export type JobEnding =
  | { readonly kind: 'completed'; readonly result: JobResultBody }
  | { readonly kind: 'failed'; readonly error: JobError }

export interface JobError {
  readonly code: string
  readonly message: string
}

interface QueuedRow {
  readonly id: string
  readonly request_json: string
  readonly terms_json: string
  readonly claims: number
}

/** A job whose runner died this often is assumed to be the cause, and fails. */
const mostClaims = 3

const selectNext = "select id, request_json, terms_json, claims from jobs where state = 'queued' order by seq limit 1"

/** Takes the oldest waiting job for a runner, or undefined when none waits. */
export function claimJob(db: Database, clock: Clock, runnerId: string): ClaimedJob | undefined {
  if (db.prepare(selectNext).get() === undefined) return undefined
  return db
    .transaction(() => {
      for (;;) {
        const row = db.prepare<[], QueuedRow>(selectNext).get()
        if (row === undefined) return undefined
        const now = Math.floor(clock.wall())
        if (row.claims < mostClaims) {
          db.prepare(
            `update jobs set state = 'running', claimed_by = ?, claims = claims + 1, started_at_ms = ?, changed_at_ms = ?
             where id = ?`,
          ).run(runnerId, now, now, row.id)
          // Both were written by createJob from checked values.
          return { id: row.id, request: JSON.parse(row.request_json), terms: JSON.parse(row.terms_json) }
        }
        const message = `the service ended ${mostClaims} times while it ran this job`
        db.prepare(
          "update jobs set state = 'failed', error_json = ?, finished_at_ms = ?, changed_at_ms = ? where id = ?",
        ).run(JSON.stringify({ code: 'RunnerLost', message }), now, now, row.id)
      }
    })
    .immediate()
}

/** Records the outcome of a job. A job that was deleted or taken by another runner meanwhile keeps its state. */
export function finishJob(
  db: Database,
  clock: Clock,
  { id, runnerId, ending }: { readonly id: string; readonly runnerId: string; readonly ending: JobEnding },
): void {
  const now = Math.floor(clock.wall())
  const result = ending.kind === 'completed' ? JSON.stringify(ending.result) : null
  const error = ending.kind === 'failed' ? JSON.stringify(ending.error) : null
  db.prepare(
    `update jobs set state = ?, result_json = ?, error_json = ?, finished_at_ms = ?, changed_at_ms = ?, claimed_by = null
     where id = ? and state = 'running' and claimed_by = ?`,
  ).run(ending.kind, result, error, now, now, id, runnerId)
}
