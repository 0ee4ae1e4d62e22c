/**
 * Results that a service states otherwise than when they were paid for. What it says now is kept beside the first, and becomes the result only
 * when a person takes it (`reparse --revised`); what it replaces then stays readable.
 */
import type Database from 'better-sqlite3'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import { prepared } from '../../sqlite/statements.ts'
import { type JobObservation, keepReply } from './observe-job.ts'
import type { ResultChanges, RevisedResult } from './records.ts'
import { unpacked } from './replies.ts'
import { metricsFromColumns, parsed, type StoredMetrics } from './results.ts'
import { type Store, write } from './store.ts'
import { isoTime } from './tables.ts'
import { isShown } from './views/latest-attempt.ts'

/** A result that may be asked for again. */
export interface CheckableResult {
  readonly jobId: number
  readonly remoteId: string
}

interface RevisedCount {
  /** Results that were read again. */
  readonly checked: number
  /** Those of them that the service now states otherwise. */
  readonly revised: number
}

/** SQL for what is stated now and not taken. `v`: revised_result, `c`: result_check, `r`: result. */
const IS_PENDING = 'v.taken_at is null and c.reply_id is v.reply_id and v.reply_id <> r.reply_id'

/**
 * Results of these attempts (`attempt.id`) that came before a moment (ms UTC) and can be compared, those that waited longest first. A job that is
 * deleted at the service, and a reply that was pruned, say nothing.
 */
export function listCheckable(
  store: Store,
  { attempts, before }: { readonly attempts: readonly number[]; readonly before: number },
): readonly CheckableResult[] {
  return prepared<[object], CheckableResult>(
    store.db,
    `select j.id as jobId, j.remote_id as remoteId from json_each(:attempts) f
     join job j on j.attempt_id = f.value and j.duplicate = 0 and j.state = 'done' and j.deleted_at is null
     join result r on r.job_id = j.id join reply p on p.id = r.reply_id
     left join result_check c on c.job_id = j.id
     where p.body is not null and p.received_at < :before
     order by coalesce(c.checked_at, p.received_at), j.id`,
  ).all({ attempts: JSON.stringify(attempts), before: isoTime(before) })
}

/** The reply that a result was read from; undefined = it was pruned. */
export function readResultBody(store: Store, jobId: number): string | undefined {
  const row = prepared<[number], { body: Uint8Array | null }>(
    store.db,
    'select p.body from result r join reply p on p.id = r.reply_id where r.job_id = ?',
  ).get(jobId)
  return row?.body ? unpacked(row.body) : undefined
}

/** The metrics of those of the jobs that have a result, by the service's id. */
export function readStoredMetrics(
  store: Store,
  { identity, remoteIds }: { readonly identity: string; readonly remoteIds: readonly string[] },
): ReadonlyMap<string, MetricsAsRead> {
  const rows = prepared<[object], StoredMetrics & { readonly remoteId: string }>(
    store.db,
    `select j.remote_id as remoteId, r.* from json_each(:ids) f
     join job j on j.identity = :identity and j.remote_id = f.value join result r on r.job_id = j.id`,
  ).all({ identity, ids: JSON.stringify(remoteIds) })
  return new Map(
    rows.flatMap((row) => {
      const metrics = metricsFromColumns(row)
      return metrics === null ? [] : [[row.remoteId, metrics] as const]
    }),
  )
}

/** A result was asked for again at a moment (ms UTC). `found`: what the service said, where that differs; null = nothing new. */
export function recordCheck(
  store: Store,
  check: {
    readonly jobId: number
    readonly at: number
    readonly found: { readonly observation: JobObservation; readonly changes: ResultChanges } | null
  },
): Promise<void> {
  const { jobId, found } = check
  const at = isoTime(check.at)
  return write(store, () => {
    const replyId = found === null ? null : keepRevised(store.db, { jobId, at, ...found })
    prepared<unknown[], unknown>(
      store.db,
      `insert into result_check (job_id, checked_at, reply_id) values (?, ?, ?)
       on conflict do update set checked_at = excluded.checked_at, reply_id = excluded.reply_id`,
    ).run(jobId, at, replyId)
  })
}

/** Once for what is stated, however often it is met, and whatever else a reply says. */
function keepRevised(
  db: Database.Database,
  revised: {
    readonly jobId: number
    readonly at: string
    readonly observation: JobObservation
    readonly changes: ResultChanges
  },
): number {
  const { jobId, at } = revised
  const changes = JSON.stringify(revised.changes)
  const known = prepared<[number, string], number>(
    db,
    'select reply_id from revised_result where job_id = ? and changes_json = ? and taken_at is null',
  )
    .pluck()
    .get(jobId, changes)
  if (typeof known === 'number') return known
  const replyId = keepReply(db, jobId, revised.observation, true)
  if (replyId === null) throw new Error('a revised result has its reply')
  prepared<unknown[], unknown>(
    db,
    'insert into revised_result (job_id, noticed_at, reply_id, changes_json) values (?, ?, ?, ?) on conflict do nothing',
  ).run(jobId, at, replyId, changes)
  return replyId
}

/** What a service said later of a job's result, oldest first; nothing of a hold-out that is being opened. */
export function listRevised(db: Database.Database, jobId: number): readonly RevisedResult[] {
  const rows = prepared<
    [number],
    { noticedAt: string; changes: string; takenAt: string | null; replaced: string | null; pending: number }
  >(
    db,
    `select v.noticed_at as noticedAt, v.changes_json as changes, v.taken_at as takenAt, v.replaced_json as replaced,
       coalesce(${IS_PENDING}, 0) as pending
     from revised_result v join job j on j.id = v.job_id join result r on r.job_id = v.job_id left join result_check c on c.job_id = v.job_id
     where v.job_id = ? and ${isShown('j.fingerprint')} order by v.noticed_at`,
  ).all(jobId)
  return rows.map(({ changes, replaced, pending, ...row }) => ({
    ...row,
    changes: changesFrom(changes),
    replaced: parsed<Readonly<Record<string, unknown>>>(replaced),
    isPending: pending === 1,
  }))
}

/** A store may have been merged from another's: what is no pair of numbers is left out. */
function changesFrom(json: string): ResultChanges {
  const isPair = (value: unknown): value is readonly [number, number] =>
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number')
  return Object.fromEntries(
    Object.entries(Object(JSON.parse(json))).flatMap(([name, value]) => (isPair(value) ? [[name, value]] : [])),
  )
}

/** Of the results of these trials on a service. */
export function countRevised(
  store: Store,
  { identity, fingerprints }: { readonly identity: string; readonly fingerprints: readonly string[] },
): RevisedCount {
  const row = prepared<[object], RevisedCount>(
    store.db,
    `select count(distinct c.job_id) as checked, count(distinct case when ${IS_PENDING} then v.job_id end) as revised
     from json_each(:fingerprints) f join job j on j.identity = :identity and j.fingerprint = f.value and j.duplicate = 0
     join result_check c on c.job_id = j.id join result r on r.job_id = j.id left join revised_result v on v.job_id = j.id
     where ${isShown('j.fingerprint')}`,
  ).get({ identity, fingerprints: JSON.stringify(fingerprints) })
  return row ?? { checked: 0, revised: 0 }
}

/**
 * SQL for the replies of a job (`p`) that may decide its result, and whether that is one stated later: the one that was taken last, else the first
 * that reads as its end. `revised`: the one that is to be taken.
 */
export function decidingReplies({ revised }: { readonly revised: boolean }): string {
  const ofJob = 'from revised_result v where v.job_id = p.job_id'
  const taken = `(select v.reply_id ${ofJob} and v.taken_at is not null order by v.taken_at desc, v.noticed_at desc limit 1)`
  const which = revised
    ? `p.id in (select v.reply_id from revised_result v join result_check c on c.job_id = v.job_id join result r on r.job_id = v.job_id
        where v.job_id = p.job_id and ${IS_PENDING})`
    : `coalesce(p.id = ${taken}, p.id not in (select v.reply_id ${ofJob}))`
  return `select p.id, p.body, p.final, p.received_at, p.pruned_at, ${revised ? '1' : `${taken} is not null`} as revised
    from reply p where p.job_id = +? and ${which} order by p.id`
}
