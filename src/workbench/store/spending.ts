/** What a study has cost on one service identity, for the account that submitted it last. */
import { sql } from 'kysely'
import { firstRow } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'

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

/** What runs of a study paid for, under whichever name it was sent; of layouts that kept no run, what was sent under this name. */
export function attemptsOf(study: string) {
  const runs = query.selectFrom('study_run').select('id').where('study', '=', study)
  const paid = query.selectFrom('attempt as p').select('p.id').where('p.study_run_id', 'in', runs)
  const kept = query
    .selectFrom('attempt as o')
    .select('o.id')
    .where('o.study', '=', study)
    .where('o.study_run_id', 'is', null)
  return query.selectFrom('attempt').where('attempt.id', 'in', paid.unionAll(kept))
}

export function readSpending(store: Store, { study, identity }: { study: string; identity: string }): Spending {
  // By its number, not by the index of a service, whose attempts may be a million: the plus takes that index away.
  const ofIdentity = attemptsOf(study).where(sql<string>`+attempt.identity`, '=', identity)
  const account =
    firstRow(store.db, ofIdentity.select('attempt.account').orderBy('attempt.id', 'desc').limit(1))?.account ?? ''
  const ofStudy = ofIdentity.where('attempt.account', '=', account)
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
            .whereRef('a.study_run_id', '=', 'r.id')
            .where('a.account', '!=', account),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attempt as a')
            .select('a.id')
            .whereRef('a.study', '=', 'r.study')
            .whereRef('a.identity', '=', 'r.identity')
            .where('a.study_run_id', 'is', null)
            .where('a.account', '!=', account)
            .whereRef('a.opened_at', '>=', 'r.started_at')
            .whereRef('a.opened_at', '<=', 'r.ended_at'),
        ),
      ),
    )
  const counted = ofStudy
    .select(({ fn }) => [fn.countAll<number>().as('attempts'), fn.min<string | null>('attempt.opened_at').as('first')])
    .where('attempt.state', '!=', 'released')
  const released = ofStudy
    .select(({ fn }) => fn.countAll<number>().as('refused'))
    .where('attempt.state', '=', 'released')
  const finished = ofStudy
    .innerJoin('job', 'job.attempt_id', 'attempt.id')
    .select(({ fn }) => fn.max<string | null>('job.finished_at').as('last'))
  const { attempts, first } = firstRow(store.db, counted) ?? { attempts: 0, first: null }
  return {
    requests: firstRow(store.db, runs)?.requests ?? 0,
    attempts,
    refused: firstRow(store.db, released)?.refused ?? 0,
    firstSubmittedAt: first,
    lastFinishedAt: firstRow(store.db, finished)?.last ?? null,
  }
}
