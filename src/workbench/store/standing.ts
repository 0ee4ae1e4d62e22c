/** Where somebody's work stands, in the few facts that `dcalab` shows when it is called alone. */

import { prepared } from '../../statements.ts'
import type { Store } from './store.ts'

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
  return prepared<[], StandingBot>(
    store.db,
    `select p.bot_id as bot, p.name, t.market, p.started_at as startedAt from promotion p
     join trial t on t.fingerprint = p.fingerprint
     where p.bot_id is not null and p.state in ('created', 'verified') order by p.id desc`,
  ).all()
}

/** Whether a result of this study was ever examined. */
export function isExamined(store: Store, study: string): boolean {
  const examined = prepared<[string], unknown>(
    store.db,
    'select 1 from examination where study = ? and finished_at is not null limit 1',
  )
  return examined.get(study) !== undefined
}

/** Whether a trial of this study was ever made a bot. */
export function isPromoted(store: Store, study: string): boolean {
  const promoted = prepared<[string], unknown>(
    store.db,
    `select 1 from promotion p join study_trial s on s.fingerprint = p.fingerprint
     where s.study = ? and p.bot_id is not null limit 1`,
  )
  return promoted.get(study) !== undefined
}
