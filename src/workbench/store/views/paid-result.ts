/** What the views of results, deals and series have in common: the paid result that a row belongs to. */
import { isShown } from './closed-results.ts'
import { type Columns, sinceLayout } from './column.ts'
import { settingsDigits } from './latest-attempt.ts'
import { shared, trialDigits } from './shared-columns.ts'

/** The layout that first had these views. */
export const RESULTS_SINCE = 8

/** `result r` with the job and the attempt that paid for it; a second job of the same request is left out.
 * `likely` lets SQLite begin with the result where its order is asked for. */
export const PAID_RESULT = `result r
  join job j on j.id = r.job_id and likely(j.duplicate = 0) and ${isShown('j.fingerprint')}
  join attempt a on a.id = j.attempt_id`

/** SQL for the revision that paid for `attempt a`. */
export const REVISION_OF_ATTEMPT = `(select d.number from study_run q join study d on d.name = q.study and d.fingerprint = q.study_fingerprint where q.id = a.study_run_id)`

/** The study of `attempt a`: attempts keep the name that they were sent with. */
export const PAYING_STUDY: Columns = {
  study: {
    sql: 'a.study',
    unit: 'text',
    meaning: 'the study that paid for it, by its name at that time; study_runs has its name of today',
    whenNull: null,
  },
}

/** Which result a row belongs to: identity, study, trial, settings and job. */
export const RESULT_KEY: Columns = sinceLayout(RESULTS_SINCE, {
  ...shared('j', 'identity'),
  ...PAYING_STUDY,
  ...shared('j', 'fingerprint'),
  ...trialDigits('j.fingerprint'),
  ...settingsDigits('a'),
  job_id: { sql: 'j.remote_id', unit: 'text', meaning: 'the job’s id at the service; one result each', whenNull: null },
})
