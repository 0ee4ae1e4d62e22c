/**
 * Results on a hold-out that is being opened: closed to every view and reader until all of them are in, so that nobody chooses, or stops,
 * by the first of them.
 */

/** SQL for the roles of what is run on a hold-out. */
export const HOLDOUT_ROLES = "('winner', 'finalist')"

/** Trials of openings that are not complete: a list that is made once for each statement, from the few openings there are. */
const CLOSED_TRIALS = `(
    select u.fingerprint from holdout_opening w cross join proposal u on u.study = w.study and u.role in ${HOLDOUT_ROLES}
    where w.completed_at is null)`

/** SQL for whether the results of a trial may be shown. `fingerprint`: of the trial. */
export function isShown(fingerprint: string): string {
  return `${fingerprint} not in ${CLOSED_TRIALS}`
}
