/** What a study has cost on one service identity, for the account that submitted it last. */
import type { Store } from './store.ts'
import { firstRow, query } from './tables.ts'

export interface Spending {
  /** HTTP requests of the account's runs. */
  readonly requests: number
  /** Submissions that may have been counted against the allowance. */
  readonly attempts: number
  /** Submissions that the service refused before it did anything, or that were not sent. */
  readonly refused: number
  /** ISO 8601 UTC. */
  readonly firstSubmittedAt: string | null
  readonly lastFinishedAt: string | null
}

export function readSpending(store: Store, { study, identity }: { study: string; identity: string }): Spending {
  const ofIdentity = query.selectFrom('attempt').where('study', '=', study).where('identity', '=', identity)
  const account = firstRow(store.db, ofIdentity.select('account').orderBy('id', 'desc').limit(1))?.account ?? ''
  const ofStudy = ofIdentity.where('account', '=', account)
  // A run does not record its account. A run that submitted for another account is not counted.
  const runs = query
    .selectFrom('study_run as r')
    .select(({ fn }) => fn.sum<number | null>('r.requests').as('requests'))
    .where('r.study', '=', study)
    .where('r.identity', '=', identity)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attempt as a')
            .select('a.id')
            .whereRef('a.study', '=', 'r.study')
            .whereRef('a.identity', '=', 'r.identity')
            .where('a.account', '!=', account)
            .whereRef('a.opened_at', '>=', 'r.started_at')
            .whereRef('a.opened_at', '<=', 'r.ended_at'),
        ),
      ),
    )
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
    .where('attempt.account', '=', account)
  const { attempts, first } = firstRow(store.db, counted) ?? { attempts: 0, first: null }
  return {
    requests: firstRow(store.db, runs)?.requests ?? 0,
    attempts,
    refused: firstRow(store.db, released)?.refused ?? 0,
    firstSubmittedAt: first,
    lastFinishedAt: firstRow(store.db, finished)?.last ?? null,
  }
}
