/** Where somebody's work stands, in the few facts that `dcalab` shows when it is called alone. */

import { firstRow, statement } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { IS_OPEN, query } from './tables.ts'

export interface StandingBot {
  readonly bot: string
  readonly name: string
  /** exchange/BASE-QUOTE. */
  readonly market: string
  /** ISO 8601 UTC; null = it was not started by this program. */
  readonly startedAt: string | null
}

/** Demo bots that trials of this store became, the latest first. What became of them since, only the service knows. */
export function listStandingBots(store: Store): readonly StandingBot[] {
  return standingBots.all(store.db)
}

const standingBots = statement(() =>
  query
    .selectFrom('promotion as p')
    .innerJoin('trial as t', 't.fingerprint', 'p.fingerprint')
    .select(['p.bot_id as bot', 'p.name', 't.market', 'p.started_at as startedAt'])
    .where('p.bot_id', 'is not', null)
    .where('p.state', 'in', ['created', 'verified'])
    .orderBy('p.id', 'desc')
    .$narrowType<{ bot: string }>(),
)

/** Whether a result of this study was ever examined. */
export function isExamined(store: Store, study: string): boolean {
  const examined = query.selectFrom('examination').select('id').where('study', '=', study)
  return firstRow(store.db, examined.where('finished_at', 'is not', null).limit(1)) !== undefined
}

/** Whether a trial of this study was ever made a bot. */
export function isPromoted(store: Store, study: string): boolean {
  const promoted = query
    .selectFrom('promotion as p')
    .innerJoin('study_trial as s', 's.fingerprint', 'p.fingerprint')
    .select('p.id')
    .where('s.study', '=', study)
    .where('p.bot_id', 'is not', null)
    .limit(1)
  return firstRow(store.db, promoted) !== undefined
}

/** How much the store holds. */
export function countHeld({ db }: Store): Readonly<Record<'studies' | 'jobs' | 'unresolved', number>> {
  const studies = query.selectFrom('study').select(({ fn }) => fn.count<number>('name').distinct().as('n'))
  const jobs = query.selectFrom('job').select(({ fn }) => fn.countAll<number>().as('n'))
  const open = query.selectFrom('attempt').select(({ fn }) => fn.countAll<number>().as('n'))
  return {
    studies: firstRow(db, studies)?.n ?? 0,
    jobs: firstRow(db, jobs)?.n ?? 0,
    unresolved: firstRow(db, open.where(IS_OPEN))?.n ?? 0,
  }
}
