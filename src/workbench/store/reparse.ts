/**
 * Derives columns again from stored replies, as if the present rules had been used when each reply came: for every job the first
 * reply that reads as final decides, or the one that was taken since (`revised-results.ts`). Replies never change, a job that has ended
 * stays ended, and a reply that the present rules cannot read keeps its columns.
 */
import type Database from 'better-sqlite3'
import { METRIC_NAMES, metricValue } from '../../contract/metrics.ts'
import type { ResultReading } from '../../contract/result-reading.ts'
import { allRows, prepared } from '../../sqlite/statements.ts'
import { type JobObservation, LOCAL_COLUMNS, observe } from './observe-job.ts'
import { unpacked } from './replies.ts'
import { dealsDiffer, replaceDeals, resultColumns } from './results.ts'
import { decidingReplies } from './revised-results.ts'
import type { ServiceRecord } from './services.ts'
import { type Store, write } from './store.ts'
import { splitStudyName } from './study-records.ts'
import { isoTime, isoTimeOrNull, msOf, query } from './tables.ts'

export interface KeptReply {
  readonly service: ServiceRecord
  /** As received, keys removed. */
  readonly body: string
  /** ms UTC. */
  readonly receivedAt: number
}

export type Reread = (reply: KeptReply) => JobObservation | { readonly problem: string }

interface UnreadableJob {
  /** Full fingerprint. */
  readonly trial: string
  readonly jobId: string
  readonly reason: string
}

interface PrunedJob {
  /** Full fingerprint. */
  readonly trial: string
  readonly jobId: string
  /** ISO 8601 UTC. */
  readonly prunedAt: string
}

export interface ReparseReport {
  /** Jobs that were read: those with a result, and those whose end was not recognised so far. */
  readonly jobs: number
  readonly changed: number
  readonly unchanged: number
  readonly unreadable: readonly UnreadableJob[]
  /** Jobs whose final reply was pruned: nothing can be derived again, their columns stay. */
  readonly pruned: readonly PrunedJob[]
  /** Column → in how many jobs it changed. */
  readonly columns: Readonly<Record<string, number>>
}

/** How stored replies are read again. */
export interface ReadingRules {
  /** Jobs of other services are skipped. */
  readonly accepts: (service: ServiceRecord) => boolean
  readonly reread: Reread
}

interface ReparseRequest extends ReadingRules {
  /** A study's name, or that of a revision; default: every job of the store. */
  readonly study?: string
  /** Only results that the service now states otherwise, which are taken in place of those that were paid for. */
  readonly revised?: boolean
  /** Report changes and write nothing. */
  readonly dryRun: boolean
  readonly signal?: AbortSignal
}

interface JobRow {
  readonly id: number
  readonly identity: string
  readonly remote_id: string
  readonly fingerprint: string
  readonly state: string
  readonly simulated: number
  readonly origin: string
}

interface Change {
  readonly columns: readonly string[]
  /** Inside a transaction. */
  apply(): void
}

/** Jobs per transaction: a run in another process, or an interrupt, waits for no more than these. */
const jobsPerTransaction = 50

/** @throws Failure storeUnusable; the signal's reason. Calling it again continues */
export async function reparseReplies(store: Store, request: ReparseRequest): Promise<ReparseReport> {
  const { revised = false } = request
  const jobs = listJobs(store, request.study).filter(
    (job) => request.accepts(serviceOf(job)) && (!revised || decides(store, job, { revised }).length > 0),
  )
  const unreadable: UnreadableJob[] = []
  const pruned: PrunedJob[] = []
  const columns = new Map<string, number>()
  let changed = 0
  let waiting: Change[] = []
  const settle = async () => {
    const changes = waiting
    waiting = []
    if (!request.dryRun && changes.length > 0) {
      await write(store, () => {
        for (const change of changes) change.apply()
      })
    }
    await store.clock.sleep(0, request.signal) // lets an interrupt take effect
  }
  for (const [index, job] of jobs.entries()) {
    if (index > 0 && index % jobsPerTransaction === 0) await settle()
    const found = rederive(store, job, { ...request, revised })
    if ('prunedAt' in found) pruned.push({ trial: job.fingerprint, jobId: job.remote_id, prunedAt: found.prunedAt })
    else if ('problem' in found)
      unreadable.push({ trial: job.fingerprint, jobId: job.remote_id, reason: found.problem })
    else if (found.columns.length > 0) {
      changed++
      for (const name of found.columns) columns.set(name, (columns.get(name) ?? 0) + 1)
      waiting.push(found)
    }
  }
  await settle()
  return {
    jobs: jobs.length,
    changed,
    unchanged: jobs.length - changed - unreadable.length - pruned.length,
    unreadable,
    pruned,
    columns: Object.fromEntries([...columns].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function listJobs(store: Store, study: string | undefined): readonly JobRow[] {
  const all = query
    .selectFrom('job as j')
    .innerJoin('service as s', 's.identity', 'j.identity')
    .select(['j.id', 'j.identity', 'j.remote_id', 'j.fingerprint', 'j.state', 's.simulated', 's.origin'])
    .orderBy('j.id')
  if (study === undefined) return allRows(store.db, all)
  const { name, revision } = splitStudyName(study)
  const ofName = query
    .selectFrom('study_trial as m')
    .innerJoin('study as d', (on) =>
      on.onRef('d.name', '=', 'm.study').onRef('d.fingerprint', '=', 'm.study_fingerprint'),
    )
    .select('m.fingerprint')
    .where('m.study', '=', name)
  const ofStudy = revision === null ? ofName : ofName.where('d.number', '=', revision)
  return allRows(store.db, all.where('j.fingerprint', 'in', ofStudy))
}

function serviceOf({ identity, simulated, origin }: JobRow): ServiceRecord {
  return { identity, simulated: simulated === 1, origin }
}

interface DecidingReply {
  readonly id: number
  readonly body: Uint8Array | null
  readonly final: number
  readonly received_at: string
  readonly pruned_at: string | null
  readonly revised: number
}

function decides(store: Store, { id }: JobRow, which: { readonly revised: boolean }): readonly DecidingReply[] {
  return prepared<[number], DecidingReply>(store.db, decidingReplies(which)).all(id)
}

const nothing: Change = { columns: [], apply: () => {} }

/** Compares a job as the present rules read it with the store. No columns = nothing to change. */
function rederive(
  store: Store,
  job: JobRow,
  { reread, revised }: Pick<ReparseRequest, 'reread'> & { readonly revised: boolean },
): Change | { readonly problem: string } | { readonly prunedAt: string } {
  let problem: string | undefined
  for (const reply of decides(store, job, { revised })) {
    if (reply.body === null || reply.pruned_at !== null) {
      // The first final reply decides; where it is gone, no later one takes its place.
      if (reply.final === 1 && reply.pruned_at !== null) return { prunedAt: reply.pruned_at }
      continue
    }
    const seen = reread({ service: serviceOf(job), body: unpacked(reply.body), receivedAt: msOf(reply.received_at) })
    const why = 'problem' in seen ? seen.problem : findProblem(job, seen)
    if (why !== undefined) problem ??= why
    else if (!('problem' in seen) && isEnd(seen.state)) {
      if (!isEnd(job.state)) return { columns: ['state'], apply: () => void observe(store.db, job.id, seen) }
      return compare(store, job, { reply, seen, takes: revised })
    }
  }
  if (problem !== undefined) return { problem }
  return isEnd(job.state) ? { problem: 'none of its replies reads as its end' } : nothing
}

function isEnd(state: string): boolean {
  return state === 'done' || state === 'failed'
}

function findProblem(job: JobRow, seen: JobObservation): string | undefined {
  if (seen.remoteId !== job.remote_id) return `it reads as the reply of another job, ${seen.remoteId}`
  if (isEnd(seen.state) && isEnd(job.state) && seen.state !== job.state)
    return `it reads as ${seen.state}, but the job is ${job.state}`
  if (seen.state === 'done' && !statesAnything(seen.result)) return 'no metric of it can be read'
  return undefined
}

function statesAnything(result: ResultReading | null): boolean {
  return result !== null && METRIC_NAMES.some((name) => metricValue(result.metrics, name) !== null)
}

type Row = Readonly<Record<string, unknown>>

function compare(
  store: Store,
  job: JobRow,
  { reply, seen, takes }: { readonly reply: DecidingReply; readonly seen: JobObservation; readonly takes: boolean },
): Change {
  // The job ended when it ended: what is stated later is about its result alone.
  const ofJob =
    reply.revised === 1
      ? {}
      : {
          remote_state: seen.remoteState,
          finished_at: isoTimeOrNull(seen.finishedAt ?? seen.receivedAt),
          failure: seen.failure,
        }
  const ofResult =
    seen.state === 'done' ? { reply_id: reply.id, ...resultColumns(seen.result), cost_sensitivity_json: null } : {}
  const changesOfResult = changedColumns(store, { table: 'result', key: 'job_id', id: job.id }, ofResult)
  const changes = [
    { table: 'job', key: 'id', to: changedColumns(store, { table: 'job', key: 'id', id: job.id }, ofJob) },
    { table: 'result', key: 'job_id', to: withoutLocal(changesOfResult) },
  ].filter(({ to }) => Object.keys(to).length > 0)
  const deals = seen.state === 'done' ? (seen.result?.deals ?? []) : []
  const otherDeals = dealsDiffer(store.db, job.id, deals)
  return {
    columns: [...changes.flatMap(({ to }) => Object.keys(to)), ...(otherDeals ? ['deals'] : [])],
    apply: () => {
      if (takes) {
        const stored = rowOf(store, { table: 'result', key: 'job_id', id: job.id })
        const of = changes.find(({ table }) => table === 'result')?.to ?? {}
        const replaced = Object.fromEntries(Object.keys(of).map((name) => [name, stored[name]]))
        noteTaken(store.db, { jobId: job.id, replyId: reply.id, at: store.clock.wall(), replaced })
      }
      if (otherDeals) replaceDeals(store.db, job.id, deals)
      for (const { table, key, to } of changes) {
        const set = Object.keys(to).map((name) => `${name} = :${name}`)
        store.db.prepare(`update ${table} set ${set.join(', ')} where ${key} = :jobId`).run({ ...to, jobId: job.id })
      }
    },
  }
}

/** It is the result from now on. `replaced`: columns of `result` with what stood there. Call inside a transaction. */
function noteTaken(
  db: Database.Database,
  taken: { readonly jobId: number; readonly replyId: number; readonly at: number; readonly replaced: object },
): void {
  prepared<unknown[], unknown>(
    db,
    'update revised_result set taken_at = ?, replaced_json = ? where job_id = ? and reply_id = ? and taken_at is null',
  ).run(isoTime(taken.at), JSON.stringify(taken.replaced), taken.jobId, taken.replyId)
}

const TERMS: readonly string[] = ['conventions_json', 'fee_percent', 'slippage_percent', 'symbol_json', 'candles_hash']

/** What candles here said of a result is not the reply's to erase, while the terms and candles that it rests on stay. */
function withoutLocal(changes: Row): Row {
  if (TERMS.some((name) => name in changes)) return changes
  return Object.fromEntries(
    Object.entries(changes).filter(([name, to]) => to !== null || !LOCAL_COLUMNS.includes(name)),
  )
}

interface Place {
  readonly table: string
  readonly key: string
  readonly id: number
}

function rowOf(store: Store, { table, key, id }: Place): Row {
  const stored = prepared<[number], Row>(store.db, `select * from ${table} where ${key} = ?`).get(id)
  if (stored === undefined) throw new Error(`Job ${id} has no row in ${table}`)
  return stored
}

function changedColumns(store: Store, place: Place, wanted: Row): Row {
  const stored = rowOf(store, place)
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => stored[name] !== value))
}
