/** What a study has cost on one service identity. */
import type { Store } from './store.ts'
import { firstRow, query } from './tables.ts'

export interface Spending {
  /** HTTP requests of all its runs. */
  readonly requests: number
  /** Submissions that may have been counted against the allowance. */
  readonly attempts: number
  /** Submissions that the service refused before it did anything, or that never left. */
  readonly refused: number
  /** ISO 8601 UTC. */
  readonly firstSubmittedAt: string | null
  readonly lastFinishedAt: string | null
}

export function readSpending(store: Store, { study, identity }: { study: string; identity: string }): Spending {
  const runs = query
    .selectFrom('study_run')
    .select(({ fn }) => fn.sum<number | null>('requests').as('requests'))
    .where('study', '=', study)
    .where('identity', '=', identity)
  const ofStudy = query.selectFrom('attempt').where('study', '=', study).where('identity', '=', identity)
  const counted = ofStudy
    .select(({ fn }) => [fn.countAll<number>().as('attempts'), fn.min<string | null>('opened_at').as('first')])
    .where('state', '!=', 'released')
  const released = ofStudy.select(({ fn }) => fn.countAll<number>().as('refused')).where('state', '=', 'released')
  const finished = query
    .selectFrom('job')
    .innerJoin('attempt', 'attempt.id', 'job.attempt_id')
    .select(({ fn }) => fn.max<string | null>('job.finished_at').as('last'))
    .where('attempt.study', '=', study)
    .where('attempt.identity', '=', identity)
  const { attempts, first } = firstRow(store.db, counted) ?? { attempts: 0, first: null }
  return {
    requests: firstRow(store.db, runs)?.requests ?? 0,
    attempts,
    refused: firstRow(store.db, released)?.refused ?? 0,
    firstSubmittedAt: first,
    lastFinishedAt: firstRow(store.db, finished)?.last ?? null,
  }
}
