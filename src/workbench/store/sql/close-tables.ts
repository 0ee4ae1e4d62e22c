/**
 * While a hold-out is being opened, `dcalab sql` shows no more of it under the names of tables than the views do, so that nobody meets its
 * results by a question about something else. Whoever writes `main.result`, or asks another program, means to see them.
 */
import type Database from 'better-sqlite3'
import { isShown } from '../views/closed-results.ts'

const OF_SHOWN_JOB = `job_id in (select j.id from main.job j where ${isShown('j.fingerprint')})`

/** What came back, by table: SQL for the rows that may be shown. A list of jobs, as a service tells it, may hold their results. */
const SHOWN = {
  result: OF_SHOWN_JOB,
  deal: OF_SHOWN_JOB,
  reply: OF_SHOWN_JOB,
  revised_result: OF_SHOWN_JOB,
  service_reply: "endpoint not like '%/backtest/jobs%'",
} as const

/** Stands views of this connection before the tables, where an opening is not complete. Call before a statement is prepared. */
export function closeTables(db: Database.Database): void {
  if (!isOpening(db)) return
  for (const [table, isRowShown] of Object.entries(SHOWN)) {
    db.exec(`create temp view ${table} as select * from main.${table} where ${isRowShown}`)
  }
}

/** Stores of older layouts have no openings. */
function isOpening(db: Database.Database): boolean {
  const has = db.prepare("select 1 from main.sqlite_schema where name = 'holdout_opening' and type = 'table'").get()
  return (
    has !== undefined && db.prepare('select 1 from main.holdout_opening where completed_at is null').get() !== undefined
  )
}
