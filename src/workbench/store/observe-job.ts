/** What a look at a job found: its reply is stored as it came, then what we derived from it, in one transaction. */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { ResultReading } from '../../contract/result-reading.ts'
import { firstRow, prepared } from '../../sqlite/statements.ts'
import { insertDeals } from './deals.ts'
import { countPaidLook } from './look-count.ts'
import { packed } from './replies.ts'
import { resultColumns } from './results.ts'
import { query } from './tables.ts'
import { isoTime, isoTimeOrNull } from './times.ts'

/** What one poll of a job found; plain data. */
export interface JobObservation {
  readonly remoteId: string
  readonly name: string | null
  /** Our reading of the service's state; unknown states count as `running`. */
  readonly state: 'running' | 'done' | 'failed' | 'gone'
  /** The service's own word for it. */
  readonly remoteState: string | null
  /** ms UTC. */
  readonly finishedAt: number | null
  readonly failure: string | null
  /** The job's own JSON text, keys removed; null = no reply tells of it, and it is `gone`. */
  readonly body: string | null
  readonly receivedAt: number
  /** Used only when the job is done; null = it has no result that we can read. */
  readonly result: ResultReading | null
}

/** Returns true when the job ended with this observation. The first final reply decides. Call inside a transaction. */
export function observe(db: Database.Database, jobId: number, seen: JobObservation): boolean {
  const final = seen.state === 'done' || seen.state === 'failed'
  const replyId = keepReply(db, jobId, seen, final)
  const job = firstRow(db, query.selectFrom('job').select(['state', 'fingerprint']).where('id', '=', jobId))
  if (job === undefined) return false
  if (seen.state === 'gone') noteDeleted(db, jobId, seen.receivedAt)
  if (job.state === 'done' || job.state === 'failed') return false
  if (seen.state === 'done' && replyId !== null) {
    countPaidLook(db, job.fingerprint, seen.finishedAt ?? seen.receivedAt)
    insertResult(db, jobId, replyId, seen.result)
  }
  // A stalled job that still runs stays stalled until it ends.
  const state = job.state === 'stalled' && seen.state === 'running' ? 'stalled' : seen.state
  prepared<[object], unknown>(
    db,
    `update job set state = :state, remote_state = :remoteState, finished_at = :finishedAt, last_seen_at = :lastSeenAt,
       missing_since = null, failure = :failure, name = coalesce(:name, name) where id = :jobId`,
  ).run({
    jobId,
    state,
    remoteState: seen.remoteState,
    finishedAt: final ? isoTimeOrNull(seen.finishedAt ?? seen.receivedAt) : null,
    lastSeenAt: isoTime(seen.receivedAt),
    failure: seen.failure,
    name: seen.name,
  })
  return state !== 'running' && state !== 'stalled'
}

/** Answers the number of the reply; one that was kept before is kept once; null = there is none. Call inside a transaction. */
export function keepReply(db: Database.Database, jobId: number, seen: JobObservation, final: boolean): number | null {
  if (seen.body === null) return null
  const sha256 = createHash('sha256').update(seen.body).digest('hex')
  prepared<unknown[], unknown>(
    db,
    `insert into reply (job_id, sha256, body, final, received_at) values (?, ?, ?, ?, ?)
     on conflict (job_id, sha256) do update set final = max(final, excluded.final)`,
  ).run(jobId, sha256, packed(seen.body), final ? 1 : 0, isoTime(seen.receivedAt))
  const same = query.selectFrom('reply').select('id').where('job_id', '=', jobId).where('sha256', '=', sha256)
  const row = firstRow(db, same)
  if (row === undefined) throw new Error('A reply was stored and cannot be found')
  return row.id
}

function insertResult(db: Database.Database, jobId: number, replyId: number, result: ResultReading | null): void {
  const row = { job_id: jobId, reply_id: replyId, ...resultColumns(result) }
  const columns = Object.keys(row)
  prepared<[object], unknown>(
    db,
    `insert into result (${columns.join(', ')}) values (${columns.map((name) => `:${name}`).join(', ')})`,
  ).run(row)
  insertDeals(db, jobId, result?.deals ?? [])
}

/** What candles here say of a result; values that the service reported are kept. Percentages. Call inside a transaction. */
export function addLocalMetrics(
  db: Database.Database,
  found: { readonly jobId: number; readonly stressedPerUsed: number | null; readonly timeInDealPercent: number | null },
): void {
  prepared<[object], unknown>(
    db,
    `update result set stressed_per_used = coalesce(stressed_per_used, :stressedPerUsed),
       time_in_deal_percent = coalesce(time_in_deal_percent, :timeInDealPercent) where job_id = :jobId`,
  ).run(found)
}

/** Call inside a transaction. `at`: ms UTC. */
export function noteDeleted(db: Database.Database, jobId: number, at: number): void {
  prepared<unknown[], unknown>(db, 'update job set deleted_at = coalesce(deleted_at, ?) where id = ?').run(
    isoTime(at),
    jobId,
  )
}
