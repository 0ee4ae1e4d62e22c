/**
 * Drops what is large and old: replies, and the series of results (deals, daily equity). Rows of the ledger, jobs and metrics stay, and
 * what was dropped says since when, so that it does not look as if the service had told nothing.
 */
import { codeOf } from '../../sqlite-file.ts'
import { isBusy } from './sqlite-failure.ts'
import { type Store, storeFailure, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

export interface PruneReport {
  /** ISO 8601 UTC: results that ended before it. */
  readonly before: string
  readonly dryRun: boolean
  /** Of jobs that have ended; bytes as they lie in the file. */
  readonly replies: { readonly rows: number; readonly bytes: number }
  readonly series: { readonly results: number; readonly deals: number; readonly bytes: number }
  /** Of endpoints other than those of single jobs. */
  readonly endpointReplies: { readonly rows: number; readonly bytes: number }
  /** Size of the file; `after` is null where it was not made smaller. */
  readonly file: { readonly before: number; readonly after: number | null }
}

interface PruneRequest {
  /** ms UTC. */
  readonly before: number
  readonly dryRun: boolean
  /** Between transactions: lets an interrupt take effect. */
  readonly pause: () => Promise<void>
}

/** Jobs per transaction: another process waits for no more than these. */
const JOBS_AT_ONCE = 500
/** A row of `deal`, with its place in the tree. */
const DEAL_BYTES = 80
/** Below this share of free pages the file is left as it is: SQLite uses them for what comes next. */
const WORTH_IT = 0.1

/** Jobs that ended before the moment and still have something to drop. */
const OLD_JOBS = `from job j where j.state in ('done', 'failed', 'gone')
  and coalesce(j.finished_at, j.last_seen_at, j.submitted_at) < :before
  and (exists (select 1 from reply p where p.job_id = j.id and p.body is not null)
    or exists (select 1 from result r where r.job_id = j.id and r.pruned_at is null))`

/** @throws Failure storeUnusable; what was dropped before an interrupt stays dropped, and calling it again continues */
export async function pruneStore(store: Store, { before, dryRun, pause }: PruneRequest): Promise<PruneReport> {
  const cut = isoTime(before)
  const size = fileSize(store)
  const jobs = prepared<[{ before: string }], { id: number }>(store.db, `select j.id ${OLD_JOBS} order by j.id`)
  const ids = jobs.all({ before: cut }).map(({ id }) => id)
  const counted = { ...countOld(store, ids), endpointReplies: countEndpointReplies(store, cut) }
  const report = { before: cut, dryRun, ...counted, file: { before: size, after: null } }
  if (dryRun) return report
  for (let start = 0; start < ids.length; start += JOBS_AT_ONCE) {
    await pause()
    await write(store, () => dropOf(store, ids.slice(start, start + JOBS_AT_ONCE)))
  }
  await write(store, () => {
    store.db.prepare('delete from service_reply where received_at < ?').run(cut)
  })
  return { ...report, file: { before: size, after: shrink(store) } }
}

function countOld(store: Store, ids: readonly number[]): Pick<PruneReport, 'replies' | 'series'> {
  const jobs = JSON.stringify(ids)
  const sums = (sql: string) =>
    prepared<[string], { rows: number; bytes: number }>(store.db, sql).get(jobs) ?? { rows: 0, bytes: 0 }
  const ofJobs = 'job_id in (select value from json_each(?))'
  const replies = sums(
    `select count(*) as rows, coalesce(sum(length(body)), 0) as bytes from reply where body is not null and ${ofJobs}`,
  )
  const results = sums(
    `select count(*) as rows, coalesce(sum(length(daily_equity_json)), 0) as bytes from result where pruned_at is null and ${ofJobs}`,
  )
  const deals = sums(`select count(*) as rows, count(*) * ${DEAL_BYTES} as bytes from deal where ${ofJobs}`)
  return { replies, series: { results: results.rows, deals: deals.rows, bytes: results.bytes + deals.bytes } }
}

function countEndpointReplies(store: Store, cut: string): PruneReport['endpointReplies'] {
  const counted = prepared<[string], { rows: number; bytes: number }>(
    store.db,
    'select count(*) as rows, coalesce(sum(length(body)), 0) as bytes from service_reply where received_at < ?',
  )
  return counted.get(cut) ?? { rows: 0, bytes: 0 }
}

/** Call inside a transaction. */
function dropOf(store: Store, ids: readonly number[]): void {
  const of = { jobs: JSON.stringify(ids), at: isoTime(store.clock.wall()) }
  const ofJobs = 'job_id in (select value from json_each(:jobs))'
  const { db } = store
  db.prepare(`update reply set body = null, pruned_at = :at where body is not null and ${ofJobs}`).run(of)
  db.prepare(`delete from deal where ${ofJobs}`).run({ jobs: of.jobs })
  db.prepare(`update result set daily_equity_json = null, pruned_at = :at where pruned_at is null and ${ofJobs}`).run(
    of,
  )
}

/** Writes the file anew without its free pages; null where that is not worth it or another process reads the file. */
function shrink(store: Store): number | null {
  const { db } = store
  const [free, pages] = [pragma(store, 'freelist_count'), pragma(store, 'page_count')]
  if (free < pages * WORTH_IT) return null
  try {
    db.exec('vacuum')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // Busy, or no room for a second copy: the free pages are used again as they are.
    if (isBusy(error) || codeOf(error)?.startsWith('SQLITE_FULL')) return null
    throw storeFailure(store.path, error)
  }
  return fileSize(store)
}

function fileSize(store: Store): number {
  return pragma(store, 'page_count') * pragma(store, 'page_size')
}

function pragma({ db }: Store, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}
