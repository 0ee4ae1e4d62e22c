/** The queue of jobs: a runner claims a job and finishes it. A claim is one immediate transaction, so that every job has one runner at a time. */
import type { JobRequestBody, JobResultBody } from '../../contract/bodies.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Clock } from '../../system.ts'
import { type Database, query } from '../database.ts'
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

/** A job whose runner died this often is assumed to be the cause, and fails. */
const mostClaims = 3

const next = statement(() =>
  query
    .selectFrom('jobs')
    .select(['id', 'request_json', 'terms_json', 'claims'])
    .where('state', '=', 'queued')
    .orderBy('seq')
    .limit(1),
)

/** Takes the oldest waiting job for a runner, or undefined when none waits. */
export function claimJob(db: Database, clock: Clock, runnerId: string): ClaimedJob | undefined {
  if (next.first(db) === undefined) return undefined
  return db
    .transaction(() => {
      for (;;) {
        const row = next.first(db)
        if (row === undefined) return undefined
        const now = Math.floor(clock.wall())
        if (row.claims < mostClaims) {
          const claim = { state: 'running', claimed_by: runnerId, started_at_ms: now, changed_at_ms: now } as const
          runBuilt(
            db,
            query
              .updateTable('jobs')
              .set({ ...claim, claims: row.claims + 1 })
              .where('id', '=', row.id),
          )
          // Both were written by createJob from checked values.
          return { id: row.id, request: JSON.parse(row.request_json), terms: JSON.parse(row.terms_json) }
        }
        const message = `the service stopped ${mostClaims} times while running this job`
        const error_json = JSON.stringify({ code: 'RunnerLost', message })
        const failed = { state: 'failed', error_json, finished_at_ms: now, changed_at_ms: now } as const
        runBuilt(db, query.updateTable('jobs').set(failed).where('id', '=', row.id))
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
  runBuilt(
    db,
    query
      .updateTable('jobs')
      .set({
        state: ending.kind,
        result_json: ending.kind === 'completed' ? JSON.stringify(ending.result) : null,
        error_json: ending.kind === 'failed' ? JSON.stringify(ending.error) : null,
        finished_at_ms: now,
        changed_at_ms: now,
        claimed_by: null,
      })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('claimed_by', '=', runnerId),
  )
}
