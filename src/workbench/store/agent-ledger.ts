/** What agents spent, counted from the rows of the runs that they asked for: a restart, or a second server, forgets nothing. */

import { prepared } from '../../statements.ts'
import type { Store } from './store.ts'
import { isoTime, msOf } from './times.ts'

/**
 * When each backtest of agents may have been counted (ms, service time), in no order, on any service and account; an attempt without an answer
 * counts as of `now`. `since`: what was spent before it is left out.
 */
export function readAgentSpent(
  store: Store,
  { now, since }: { readonly now: number; readonly since: number },
): readonly number[] {
  const rows = prepared<[{ since: string }], { at: string | null }>(
    store.db,
    `select a.counted_at as at from study_run r join attempt a on a.study_run_id = r.id
       where r.asked_by = 'agent' and (a.counted_at >= :since or a.state = 'intent')
     union all
     select j.submitted_at from study_run r join attempt a on a.study_run_id = r.id join job j on j.attempt_id = a.id
       where r.asked_by = 'agent' and j.duplicate = 1 and j.submitted_at >= :since`,
  ).all({ since: isoTime(since) })
  return rows.map(({ at }) => (at === null ? now : msOf(at)))
}
