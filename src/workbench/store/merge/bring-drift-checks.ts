/** Looks at demo bots that were taken elsewhere. */
import type Database from 'better-sqlite3'
import { copyRows } from './copy-rows.ts'

/** Two looks at one bot at the same moment are the same look. Call inside a transaction, when services and trials are there. */
export function bringDriftChecks(db: Database.Database): number {
  return copyRows(db, 'drift_check', {
    without: ['id'],
    rest: `where not exists (
        select 1 from main.drift_check m where m.identity = o.identity and m.bot_id = o.bot_id and m.checked_at = o.checked_at)
      order by o.id`,
  })
}
