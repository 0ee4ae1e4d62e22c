/** Jobs that the service's list shows and that no answer to us named: second deliveries, and trials that were paid for before. */

import type Database from 'better-sqlite3'
import { runBuilt } from '../../sqlite/statements.ts'
import { type AttemptRequest, isNameTaken, nextName, readSentName } from './attempts.ts'
import { forgetForeign, insertJob } from './jobs.ts'
import type { JobObservation } from './observe-job.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

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
    forgetForeign.run(db, { identity, remoteId: observation.remoteId }) // or its name were taken
    const { number, name } = nameOf(db, { identity, study, fingerprint, sentAs: observation.name })
    const at = isoTime(job.countedAt)
    const sent = { identity, account, study, fingerprint, number, name, settings_id: settingsId, study_run_id: runId }
    const adopted = { state: 'adopted', opened_at: at, counted_at: at, settled_at: at } as const
    const inserted = runBuilt(db, query.insertInto('attempt').values({ ...sent, ...adopted }))
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
