/** What the views of results, deals and series have in common: the paid result that a row belongs to. */
import { sqlMatches } from '../settings-row.ts'
import type { Columns } from './column.ts'
import { attemptOfPlace, isShown, settingsDigits } from './latest-attempt.ts'
import { serviceColumn, shared, trialDigits } from './shared-columns.ts'

/** `result r` with the job, the attempt that paid for it, the trial and the service; a second job of the same request is left out.
 * `likely` lets SQLite begin with the result where its order is asked for. */
export const PAID_RESULT = `result r
  join job j on j.id = r.job_id and likely(j.duplicate = 0) and ${isShown('j.fingerprint')}
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity`

/** SQL for the revision that a run was of. `run`: SQL for its number. */
export function revisionOfRun(run: string): string {
  return `(select d.number from study_run q join study d on d.name = q.study and d.fingerprint = q.study_fingerprint where q.id = ${run})`
}

/** The study of `attempt a`: attempts keep the name that they were sent with. */
export const PAYING_STUDY: Columns = {
  study: {
    sql: 'a.study',
    unit: 'text',
    meaning: 'the study that paid for it, by its name at that time; study_runs has its name of today',
    whenNull: null,
  },
}

const asked = `(select w.settings_id from study_settings w where s.simulated = 1
      and w.study = y.study and w.study_fingerprint = y.fingerprint and w.market = t.market)`

/** Whose, where, which version: of a result, and of every row of its series. For a view with the part `shown`. */
export const RESULT_KEY: Columns = {
  ...trialDigits('j.fingerprint'),
  ...PAYING_STUDY,
  revision: {
    sql: revisionOfRun('a.study_run_id'),
    unit: 'count',
    meaning: 'the revision of the study that paid for it, from 1',
    whenNull: 'for rows of an earlier version, and once the study was removed',
  },
  ...serviceColumn,
  is_current: {
    sql: `exists (select 1 from shown y cross join study_trial m on m.study = y.study and m.study_fingerprint = y.fingerprint
      and m.fingerprint = j.fingerprint where y.study = coalesce((select q.study from study_run q where q.id = a.study_run_id), a.study)
      and y.identity = j.identity and a.id = ${attemptOfPlace({ identity: 'j.identity', agrees: (found) => sqlMatches(asked, found) })})`,
    unit: 'yes/no',
    meaning:
      'it stands for a trial of the current revision of the study, on the service whose results are shown: that with most trials done, else the one it was run on last',
    whenNull: null,
    since: 22,
  },
  ...shared('t', 'market', 'period_from', 'period_to'),
  ...shared('j', 'identity', 'fingerprint'),
  ...settingsDigits('a'),
  job_id: { sql: 'j.remote_id', unit: 'text', meaning: 'the job’s id at the service; one result each', whenNull: null },
}
