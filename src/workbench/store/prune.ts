/**
 * Drops what is large and old: replies, and the series of results (deals, daily equity). Rows of the ledger, jobs and metrics stay, and
 * what was dropped says since when, so that it does not look as if the service had stated nothing.
 */
import { sql } from 'kysely'
import { codeOf } from '../../sqlite/sqlite-file.ts'
import { itemsOf, runBuilt, statement } from '../../sqlite/statements.ts'
import { isBusy } from './sqlite-failure.ts'
import { type Store, storeFailure, write } from './store.ts'
import { isoTime, query } from './tables.ts'

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
const oldJobs = statement(({ before }: { readonly before: string }) =>
  query
    .selectFrom('job as j')
    .select('j.id')
    .where('j.state', 'in', ['done', 'failed', 'gone'])
    .where(({ fn }) => fn.coalesce('j.finished_at', 'j.last_seen_at', 'j.submitted_at'), '<', before)
    .where(({ exists, or, selectFrom }) => {
      const reply = selectFrom('reply as p').select('p.id').whereRef('p.job_id', '=', 'j.id')
      const result = selectFrom('result as r').select('r.job_id').whereRef('r.job_id', '=', 'j.id')
      return or([exists(reply.where('p.body', 'is not', null)), exists(result.where('r.pruned_at', 'is', null))])
    })
    .orderBy('j.id'),
)

const oldEndpointReplies = statement(({ before }: { readonly before: string }) =>
  query
    .selectFrom('service_reply')
    .select(({ fn }) => [fn.countAll<number>().as('rows'), total('body').as('bytes')])
    .where('received_at', '<', before),
)

interface Jobs {
  /** JSON of their ids. */
  readonly jobs: string
}

const repliesOf = statement(({ jobs }: Jobs) =>
  query
    .selectFrom('reply')
    .select(({ fn }) => [fn.countAll<number>().as('rows'), total('body').as('bytes')])
    .where('body', 'is not', null)
    .where('job_id', 'in', itemsOf<number>(jobs)),
)

const seriesOf = statement(({ jobs }: Jobs) =>
  query
    .selectFrom('result')
    .select(({ fn }) => [fn.countAll<number>().as('rows'), total('daily_equity_json').as('bytes')])
    .where('pruned_at', 'is', null)
    .where('job_id', 'in', itemsOf<number>(jobs)),
)

const dealsOf = statement(({ jobs }: Jobs) =>
  query
    .selectFrom('deal')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('job_id', 'in', itemsOf<number>(jobs)),
)

function total(column: string) {
  return sql<number>`coalesce(sum(length(${sql.ref(column)})), 0)`
}

const NOTHING = { rows: 0, bytes: 0 }

/** @throws Failure storeUnusable; what was dropped before an interrupt stays dropped, and calling it again continues */
export async function pruneStore(store: Store, { before, dryRun, pause }: PruneRequest): Promise<PruneReport> {
  const cut = isoTime(before)
  const size = fileSize(store)
  const ids = oldJobs.all(store.db, { before: cut }).map(({ id }) => id)
  const endpointReplies = oldEndpointReplies.first(store.db, { before: cut }) ?? NOTHING
  const counted = { ...countOld(store, ids), endpointReplies }
  const report = { before: cut, dryRun, ...counted, file: { before: size, after: null } }
  if (dryRun) return report
  for (let start = 0; start < ids.length; start += JOBS_AT_ONCE) {
    await pause()
    await write(store, () => dropOf(store, ids.slice(start, start + JOBS_AT_ONCE)))
  }
  await write(store, () => {
    runBuilt(store.db, query.deleteFrom('service_reply').where('received_at', '<', cut))
  })
  return { ...report, file: { before: size, after: shrink(store) } }
}

function countOld(store: Store, ids: readonly number[]): Pick<PruneReport, 'replies' | 'series'> {
  const { db } = store
  const jobs = JSON.stringify(ids)
  const series = seriesOf.first(db, { jobs }) ?? NOTHING
  const deals = dealsOf.first(db, { jobs })?.rows ?? 0
  return {
    replies: repliesOf.first(db, { jobs }) ?? NOTHING,
    series: { results: series.rows, deals, bytes: series.bytes + deals * DEAL_BYTES },
  }
}

/** Call inside a transaction. */
function dropOf(store: Store, ids: readonly number[]): void {
  const { db } = store
  const jobs = itemsOf<number>(JSON.stringify(ids))
  const pruned_at = isoTime(store.clock.wall())
  const replies = query.updateTable('reply').set({ body: null, pruned_at }).where('body', 'is not', null)
  const results = query.updateTable('result').set({ daily_equity_json: null, pruned_at }).where('pruned_at', 'is', null)
  runBuilt(db, replies.where('job_id', 'in', jobs))
  runBuilt(db, query.deleteFrom('deal').where('job_id', 'in', jobs))
  runBuilt(db, results.where('job_id', 'in', jobs))
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
