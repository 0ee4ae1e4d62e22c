/** What agents spent, counted from the rows of the runs that they asked for: a restart, or a second server, forgets nothing. */

import { statement } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'
import { isoTime, msOf } from './times.ts'

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
