/** What a poll of a job found: its reply is stored as it came, then what we derived from it, in one transaction. */

import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Insertable } from 'kysely'
import { METRICS } from '../../contract/metrics.ts'
import type { ResultReading } from '../../contract/result-reading.ts'
import { firstRow, runEach, statement } from '../../sqlite/statements.ts'
import { packed } from './replies.ts'
import { insertDeals, resultColumns } from './results.ts'
import type { Tables } from './table-types.ts'
import { isoTime, isoTimeOrNull, query, type RowOf } from './tables.ts'

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
  /** The job's own JSON text, keys removed; null = no reply has it, and it is `gone`. */
  readonly body: string | null
  readonly receivedAt: number
  /** Used only when the job is done; null = it has no result that we can read. */
  readonly result: ResultReading | null
}

const resultOfTrial = statement(({ fingerprint }: { readonly fingerprint: string }) =>
  query
    .selectFrom('job as j')
    .innerJoin('result as r', 'r.job_id', 'j.id')
    .select('j.id')
    .where('j.fingerprint', '=', fingerprint)
    .where('j.state', '=', 'done')
    .limit(1),
)

const countTrial = statement(({ fingerprint, at }: { readonly fingerprint: string; readonly at: string }) =>
  query
    .insertInto('tried')
    .columns(['market', 'period_from', 'period_to', 'source', 'key', 'configs', 'first_at', 'last_at'])
    .expression(({ selectFrom, lit, val }) =>
      selectFrom('trial')
        .select(['market', 'period_from', 'period_to'])
        .select([val('paid').as('source'), val('').as('key'), lit(1).as('configs')])
        .select([val(at).as('first_at'), val(at).as('last_at')])
        .where('fingerprint', '=', fingerprint),
    )
    .onConflict((known) =>
      known.doUpdateSet(({ fn, ref, eb }) => ({
        configs: eb('configs', '+', 1),
        first_at: fn<string>('min', [ref('first_at'), ref('excluded.first_at')]),
        last_at: fn<string>('max', [ref('last_at'), ref('excluded.last_at')]),
      })),
    ),
)

const updateJob = statement(({ jobId, state, remoteState, finishedAt, lastSeenAt, failure, name }: SeenJob) =>
  query
    .updateTable('job')
    .set(({ fn, val, ref }) => ({
      state,
      remote_state: remoteState,
      finished_at: finishedAt,
      last_seen_at: lastSeenAt,
      missing_since: null,
      failure,
      name: fn.coalesce(val(name), ref('name')),
    }))
    .where('id', '=', jobId),
)

/** Returns true when the job ended with this observation. The first final reply decides. Call inside a transaction. */
export function observe(db: Database.Database, jobId: number, seen: JobObservation): boolean {
  const final = seen.state === 'done' || seen.state === 'failed'
  const replyId = keepReply(db, jobId, seen, final)
  const job = firstRow(db, query.selectFrom('job').select(['state', 'fingerprint']).where('id', '=', jobId))
  if (job === undefined) return false
  if (seen.state === 'gone') noteDeleted(db, jobId, seen.receivedAt)
  if (job.state === 'done' || job.state === 'failed') return false
  if (seen.state === 'done' && replyId !== null) {
    countPaid(db, job.fingerprint, seen.finishedAt ?? seen.receivedAt)
    insertResult(db, jobId, replyId, seen.result)
  }
  // A stalled job that still runs stays stalled until it ends.
  const state = job.state === 'stalled' && seen.state === 'running' ? 'stalled' : seen.state
  updateJob.run(db, {
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

/** Counts a trial's first result on any service. Call inside a transaction, before the result is inserted. `at`: ms UTC. */
function countPaid(db: Database.Database, fingerprint: string, at: number): void {
  if (resultOfTrial.first(db, { fingerprint }) === undefined) countTrial.run(db, { fingerprint, at: isoTime(at) })
}

interface SeenJob extends Pick<JobObservation, 'remoteState' | 'failure' | 'name'> {
  readonly state: JobObservation['state'] | 'stalled'
  readonly jobId: number
  readonly finishedAt: string | null
  readonly lastSeenAt: string
}

const insertReply = statement(({ job_id, sha256, body, final, received_at }: NewReply) =>
  query
    .insertInto('reply')
    .values({ job_id, sha256, body, final, received_at })
    .onConflict((known) =>
      known.columns(['job_id', 'sha256']).doUpdateSet(({ fn, ref }) => ({
        final: fn<number>('max', [ref('reply.final'), ref('excluded.final')]),
      })),
    ),
)

/** Answers the number of the reply, which is kept once however often it comes; null = there is none. Call inside a transaction. */
export function keepReply(db: Database.Database, jobId: number, seen: JobObservation, final: boolean): number | null {
  if (seen.body === null) return null
  const sha256 = createHash('sha256').update(seen.body).digest('hex')
  const reply = { job_id: jobId, sha256, body: packed(seen.body), final: final ? 1 : 0 }
  insertReply.run(db, { ...reply, received_at: isoTime(seen.receivedAt) })
  const same = query.selectFrom('reply').select('id').where('job_id', '=', jobId).where('sha256', '=', sha256)
  const row = firstRow(db, same)
  if (row === undefined) throw new Error('A reply was stored and cannot be found')
  return row.id
}

type NewReply = Pick<Insertable<Tables['reply']>, 'job_id' | 'sha256' | 'body' | 'final' | 'received_at'>

function insertResult(db: Database.Database, jobId: number, replyId: number, result: ResultReading | null): void {
  runEach(db, [{ job_id: jobId, reply_id: replyId, ...resultColumns(result) }], (row) =>
    query.insertInto('result').values(row),
  )
  insertDeals(db, jobId, result?.deals ?? [])
}

/** What candles here say of a result, and where it is kept. */
const LOCAL = {
  stressedPerUsed: METRICS.stressedPerUsed.column,
  timeInDealPercent: METRICS.timeInDealPercent.column,
} as const

/** Columns that no reply erases: they are not its own. */
export const LOCAL_COLUMNS: readonly string[] = [...Object.values(LOCAL), 'cost_sensitivity_json']

type LocalMetrics = Readonly<Record<keyof typeof LOCAL, number | null>> & { readonly jobId: number }

const addLocal = statement((found: LocalMetrics) =>
  query
    .updateTable('result')
    .set(({ fn, val }) => ({
      [LOCAL.stressedPerUsed]: fn.coalesce(LOCAL.stressedPerUsed, val(found.stressedPerUsed)),
      [LOCAL.timeInDealPercent]: fn.coalesce(LOCAL.timeInDealPercent, val(found.timeInDealPercent)),
    }))
    .where('job_id', '=', found.jobId),
)

/** Values that the service reported are kept. Percentages. Call inside a transaction. */
export function addLocalMetrics(db: Database.Database, found: LocalMetrics): void {
  addLocal.run(db, found)
}

/** A result under other costs: fee and slippage in percent, amounts in quote. */
export interface CostCell {
  readonly feePercent: number
  readonly slippagePercent: number
  readonly netProfit: number
  /** null = no capital was used. */
  readonly netProfitPerUsedPercent: number | null
  readonly maxDrawdownPercent: number
  readonly closedDeals: number
}

interface ResultCosts {
  readonly identity: string
  /** As the service names it. */
  readonly jobId: string
  readonly cells: readonly CostCell[]
}

const setCosts = statement(({ identity, jobId, json }: Omit<ResultCosts, 'cells'> & { readonly json: string }) =>
  query
    .updateTable('result')
    .set({ cost_sensitivity_json: json })
    .where('job_id', '=', (job) =>
      job.selectFrom('job').select('id').where('identity', '=', identity).where('remote_id', '=', jobId),
    ),
)

/** Replaces what was computed before. Call inside a transaction. */
export function keepCosts(db: Database.Database, results: readonly ResultCosts[]): void {
  for (const { cells, ...job } of results) setCosts.run(db, { ...job, json: JSON.stringify(cells) })
}

/** Replaces what is known of whole days; a part of one is kept only where nothing is known. Call inside a transaction. */
export function keepMarketDays(
  db: Database.Database,
  days: readonly RowOf<'market_day'>[],
  isWhole: (day: RowOf<'market_day'>) => boolean,
): void {
  const [whole, parts] = [days.filter(isWhole), days.filter((day) => !isWhole(day))]
  runEach(db, whole, (row) => query.replaceInto('market_day').values(row))
  runEach(db, parts, (row) =>
    query
      .insertInto('market_day')
      .values(row)
      .onConflict((known) => known.doNothing()),
  )
}

const setDeleted = statement(({ jobId, at }: { readonly jobId: number; readonly at: string }) =>
  query
    .updateTable('job')
    .set(({ fn, val }) => ({ deleted_at: fn.coalesce('deleted_at', val(at)) }))
    .where('id', '=', jobId),
)

/** Call inside a transaction. `at`: ms UTC. */
export function noteDeleted(db: Database.Database, jobId: number, at: number): void {
  setDeleted.run(db, { jobId, at: isoTime(at) })
}
