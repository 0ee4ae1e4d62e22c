/** Jobs that the service's list shows and that no answer of ours told of: second deliveries, and trials that were paid for before. */

import type Database from 'better-sqlite3'
import { type AttemptRequest, isNameTaken, nextName, readSentName } from './attempts.ts'
import { insertJob } from './jobs.ts'
import type { JobObservation } from './observe-job.ts'
import { type Store, write } from './store.ts'
import { isoTime } from './times.ts'

export interface FoundJob {
  readonly identity: string
  readonly fingerprint: string
  /** The latest time at which it may have been counted: ms, service time. */
  readonly countedAt: number
  readonly observation: JobObservation
}

/** Records a second job of one request, which was delivered twice on the way. It never becomes the trial's outcome. */
export function recordDuplicateJob(
  store: Store,
  { attemptId, ...job }: FoundJob & { attemptId: number },
): Promise<void> {
  return write(store, () => {
    insertJob(store.db, { ...job, attemptId, duplicate: true, submittedAt: job.countedAt })
  })
}

/**
 * Records a job of this trial that no attempt in this store made (the store was lost, or another store sent it), so that the
 * trial is not paid for again.
 */
export function adoptFoundJob(
  store: Store,
  {
    study,
    account,
    settingsId,
    runId,
    ...job
  }: FoundJob & Pick<AttemptRequest, 'study' | 'account' | 'settingsId' | 'runId'>,
): Promise<void> {
  const { identity, fingerprint, observation } = job
  return write(store, () => {
    const { db } = store
    // It is our job now, so it is removed from the foreign jobs.
    db.prepare('delete from foreign_job where identity = ? and remote_id = ?').run(identity, observation.remoteId)
    const { number, name } = nameOf(db, { identity, study, fingerprint, sentAs: observation.name })
    const at = isoTime(job.countedAt)
    const inserted = db
      .prepare(
        `insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, counted_at, settled_at,
           settings_id, study_run_id)
         values (:identity, :account, :study, :fingerprint, :number, :name, 'adopted', :at, :at, :at, :settingsId, :runId)`,
      )
      .run({
        identity,
        account,
        study,
        fingerprint,
        number,
        name,
        at,
        settingsId,
        runId,
      })
    const attemptId = Number(inserted.lastInsertRowid)
    insertJob(db, { identity, fingerprint, attemptId, duplicate: false, submittedAt: job.countedAt, observation })
  })
}

/** The name that the job was sent under, where a store sent it; else the next one of ours. */
function nameOf(
  db: Database.Database,
  { sentAs, ...trial }: Pick<AttemptRequest, 'identity' | 'study' | 'fingerprint'> & { readonly sentAs: string | null },
): { readonly number: number; readonly name: string } {
  const sent = sentAs === null ? undefined : readSentName(sentAs)
  if (sentAs === null || sent?.digits !== trial.fingerprint.slice(0, 12)) return nextName(db, trial)
  return isNameTaken(db, trial.identity, sentAs) ? nextName(db, trial) : { number: sent.number, name: sentAs }
}
