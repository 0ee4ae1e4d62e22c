/**
 * Runs waiting jobs, as many at once as there are engine threads. It has no timer: it looks for jobs when the service starts and
 * whenever a job is created, read or finished. A job that nobody reads may wait until the next request.
 */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { findSymbolRules, type LoadedCandles, listCandles, loadCandles } from '../../candles/folder/folder.ts'
import type { CandlesBody, JobRequestBody, JobResultBody } from '../../contract/bodies.ts'
import { type Interval, isInterval, marketName } from '../../contract/market.ts'
import { ENGINE_VERSION } from '../../engine/backtest.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import { Failure } from '../../errors.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Clock, System } from '../../system.ts'
import type { EnginePool } from '../../workers/pool.ts'
import { sharedColumns } from '../../workers/share.ts'
import { type Database, isBusy, query } from '../database.ts'
import type { JobTerms, ServiceTerms } from '../job-terms.ts'

// Knows which runners are alive. A runner holds a SQLite lock on an empty file of its own for as long as its process lives. The
// operating system frees the lock when the process ends, however it ends, so a runner is dead exactly when its lock can be taken.
// This needs no heartbeat, no timeout and no process id, which another program may have by now. A suspended runner stays alive.

export interface Runner {
  readonly id: string
  /** Returns its unfinished jobs to the queue and frees its lock. */
  end(): void
}

/** Registers this process as a runner of the store. */
export function startRunner(db: Database, system: System, storePath: string): Runner {
  const id = Buffer.from(system.randomBytes(6)).toString('hex')
  const path = lockPath(storePath, id)
  closeSync(openSync(path, 'wx', 0o600)) // SQLite would create it readable by others
  const lock = takeLock(path)
  if (lock === undefined) throw new Error(`the lock of a new runner is taken already: ${path}`)
  // The row is inserted after locking: a process that reads the row finds the lock held.
  runBuilt(db, query.insertInto('runners').values({ id, started_at_ms: Math.floor(system.clock.wall()) }))
  return {
    id,
    end() {
      try {
        forgetRunner(db, system, id, { orderly: true })
      } finally {
        dropLock(lock, path) // if the store could not be written, other processes find the lock free
      }
    },
  }
}

/** Puts the jobs of dead runners back into the queue. @param runners ids of other runners; see `otherRunners` */
export function releaseDead(db: Database, system: System, storePath: string, runners: readonly string[]): void {
  for (const id of runners) {
    const path = lockPath(storePath, id)
    const lock = existsSync(path) ? takeLock(path) : null
    if (lock === undefined) continue
    forgetRunner(db, system, id, { orderly: false })
    dropLock(lock, path)
  }
}

const others = statement(({ ownId }: { readonly ownId: string }) =>
  query.selectFrom('runners').select('id').where('id', '<>', ownId),
)

const othersWithJobs = statement(({ ownId }: { readonly ownId: string }) =>
  query
    .selectFrom('jobs')
    .select('claimed_by as id')
    .distinct()
    .where('state', '=', 'running')
    .where('claimed_by', '<>', ownId),
)

/** Every runner except `ownId`; with `holdingJobs` only those that hold a job. */
export function otherRunners(
  db: Database,
  ownId: string,
  { holdingJobs }: { readonly holdingJobs: boolean },
): string[] {
  const found = holdingJobs ? othersWithJobs.all(db, { ownId }) : others.all(db, { ownId })
  return found.flatMap(({ id }) => id ?? [])
}

const release = statement(
  ({ id, now, unclaimed }: { readonly id: string; readonly now: number; readonly unclaimed: number }) =>
    query
      .updateTable('jobs')
      .set({ state: 'queued', claimed_by: null, started_at_ms: null, changed_at_ms: now })
      .set(({ eb }) => ({ claims: eb('claims', '-', unclaimed) }))
      .where('state', '=', 'running')
      .where('claimed_by', '=', id),
)

/**
 * Removes a runner. After an orderly end its claim does not count against the job; after a death it does, because the job may
 * have been the cause.
 */
function forgetRunner(db: Database, system: System, id: string, { orderly }: { readonly orderly: boolean }): void {
  db.transaction(() => {
    release.run(db, { id, now: Math.floor(system.clock.wall()), unclaimed: orderly ? 1 : 0 })
    runBuilt(db, query.deleteFrom('runners').where('id', '=', id))
  }).immediate()
}

function lockPath(storePath: string, id: string): string {
  return `${storePath}-runner-${id}`
}

/** The lock, held until closed; undefined when another connection holds it. */
function takeLock(path: string): Database | undefined {
  const lock = new BetterSqlite3(path, { timeout: 0 })
  try {
    lock.exec('begin immediate')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

function dropLock(lock: Database | null, path: string): void {
  lock?.close()
  for (const leftover of [path, `${path}-journal`]) rmSync(leftover, { force: true })
}

//

interface CandlePeriod {
  readonly market: string
  /** Default: the finest stored one that covers the period. */
  readonly interval?: Interval
  /** ms UTC, inclusive. */
  readonly from: number
  /** ms UTC, exclusive. */
  readonly to: number
}

export interface CandleCache {
  /** The candles of a period, in shared memory. @throws Failure candlesMissing naming what is stored instead */
  take(period: CandlePeriod): LoadedCandles
}

/** About 190 MB. */
const defaultCapacity = 4_000_000

/**
 * Keeps the candles of the latest periods, so that the jobs of one study load them once. The hash of the stored candles is part
 * of the key: the next job uses candles that were imported meanwhile.
 * @param capacity candles kept in all; the latest period is kept whatever its size
 */
export function createCandleCache(folder: string, capacity: number = defaultCapacity): CandleCache {
  const candleCache = new Map<string, LoadedCandles>()

  return {
    take(period) {
      const stored = listCandles(folder)
        .filter(({ market }) => market === period.market)
        .map(({ interval, hash, synthetic }) => [interval, hash, synthetic])
      const name = JSON.stringify([period.market, period.interval ?? '', period.from, period.to, stored])
      const loaded = candleCache.get(name) ?? load(folder, period)
      candleCache.delete(name)
      candleCache.set(name, loaded)
      let kept = 0
      for (const [other, { info }] of [...candleCache].reverse()) {
        kept += info.count
        if (kept > capacity && other !== name) candleCache.delete(other)
      }
      return loaded
    },
  }
}

function load(folder: string, period: CandlePeriod): LoadedCandles {
  return loadCandles(folder, { ...period, makeColumns: sharedColumns })
}

// The queue of jobs: a runner claims a job and finishes it. A claim is one immediate transaction, so that every job has one runner at a time.

/** The terms as they are stored. A job that was accepted before its symbol rules were kept has none. */
type KeptTerms = ServiceTerms & Partial<JobTerms>

interface ClaimedJob {
  readonly id: string
  readonly request: JobRequestBody
  readonly terms: KeptTerms
}

type JobEnding =
  | { readonly kind: 'completed'; readonly result: JobResultBody }
  | { readonly kind: 'failed'; readonly error: JobError }

interface JobError {
  readonly code: string
  readonly message: string
}

/** A job whose runner died this often is assumed to be the cause, and fails. */
const mostClaims = 3

const next = statement(() =>
  query
    .selectFrom('jobs')
    .select(['id', 'request_json', 'terms_json', 'claims'])
    .where('state', '=', 'queued')
    .orderBy('seq')
    .limit(1),
)

/** Takes the oldest waiting job for a runner, or undefined when none waits. */
function claimJob(db: Database, clock: Clock, runnerId: string): ClaimedJob | undefined {
  if (next.first(db) === undefined) return undefined
  return db
    .transaction(() => {
      for (;;) {
        const row = next.first(db)
        if (row === undefined) return undefined
        const now = Math.floor(clock.wall())
        if (row.claims < mostClaims) {
          const claim = { state: 'running', claimed_by: runnerId, started_at_ms: now, changed_at_ms: now } as const
          runBuilt(
            db,
            query
              .updateTable('jobs')
              .set({ ...claim, claims: row.claims + 1 })
              .where('id', '=', row.id),
          )
          // Both were written by createJob from checked values.
          return { id: row.id, request: JSON.parse(row.request_json), terms: JSON.parse(row.terms_json) }
        }
        const message = `the service stopped ${mostClaims} times while running this job`
        const error_json = JSON.stringify({ code: 'RunnerLost', message })
        const failed = { state: 'failed', error_json, finished_at_ms: now, changed_at_ms: now } as const
        runBuilt(db, query.updateTable('jobs').set(failed).where('id', '=', row.id))
      }
    })
    .immediate()
}

/** Records the outcome of a job. A job that was deleted or taken by another runner meanwhile keeps its state. */
function finishJob(
  db: Database,
  clock: Clock,
  { id, runnerId, ending }: { readonly id: string; readonly runnerId: string; readonly ending: JobEnding },
): void {
  const now = Math.floor(clock.wall())
  runBuilt(
    db,
    query
      .updateTable('jobs')
      .set({
        state: ending.kind,
        result_json: ending.kind === 'completed' ? JSON.stringify(ending.result) : null,
        error_json: ending.kind === 'failed' ? JSON.stringify(ending.error) : null,
        finished_at_ms: now,
        changed_at_ms: now,
        claimed_by: null,
      })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('claimed_by', '=', runnerId),
  )
}

/** The engine's result in the form of a job's result. */
function toJobResult(result: BacktestResult, candles: CandlesBody, terms: JobTerms): JobResultBody {
  const { metrics, deals, openDeal } = result
  return {
    metrics,
    deals: deals.map((deal) => ({ ...deal, openedAt: toTime(deal.openedAt), closedAt: toTime(deal.closedAt) })),
    openDeal: openDeal === null ? null : { ...openDeal, openedAt: toTime(openDeal.openedAt) },
    candles,
    conventions: terms.conventions,
    costs: terms.costs,
    symbol: terms.symbol,
    engineVersion: ENGINE_VERSION,
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

export interface JobRunner {
  /** Starts waiting jobs, including those of runners that died. */
  check(): void
  /** Stops computing a job that was deleted. */
  abandon(jobId: string): void
  /** Stops computing, puts unfinished jobs back into the queue, ends the pool. */
  close(): Promise<void>
}

interface Bench {
  readonly db: Database
  readonly system: System
  readonly storePath: string
  readonly candlesFolder: string
  readonly candleCache: CandleCache
  readonly pool: EnginePool
  readonly runner: Runner
}

const busyPauseMs = 250

export function createJobRunner(bench: Bench): JobRunner {
  const { db, system, storePath, pool, runner } = bench
  const underWay = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const closing = new AbortController()

  function check(): void {
    if (closing.signal.aborted) return
    try {
      releaseDead(db, system, storePath, otherRunners(db, runner.id, { holdingJobs: true }))
      while (underWay.size < pool.size) {
        const job = claimJob(db, system.clock, runner.id)
        if (job === undefined) return
        const stop = new AbortController()
        underWay.set(job.id, { stop, done: work(job, stop.signal) })
      }
    } catch (error) {
      // The store is locked by another process; the next round tries again.
      if (!isBusy(error)) throw error
    }
  }

  async function work(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    try {
      const ending = await simulate(bench, job, signal)
      if (!signal.aborted && !closing.signal.aborted) await record(job.id, ending)
    } catch (error) {
      system.terminal.err(`service: the result of ${job.id} could not be stored: ${String(error)}\n`)
    }
    underWay.delete(job.id)
    try {
      check()
    } catch (error) {
      system.terminal.err(`service: waiting jobs could not be taken up: ${String(error)}\n`)
    }
  }

  /** Waits for a locked store rather than lose a result. A service that is closing leaves the job to the next one. */
  async function record(id: string, ending: JobEnding): Promise<void> {
    for (;;) {
      try {
        return finishJob(db, system.clock, { id, runnerId: runner.id, ending })
      } catch (error) {
        if (!isBusy(error)) throw error
      }
      await system.clock.sleep(busyPauseMs, closing.signal)
    }
  }

  return {
    check,
    abandon: (jobId) => underWay.get(jobId)?.stop.abort(new Failure('interrupted', 'The job was deleted')),
    async close() {
      closing.abort(new Failure('interrupted', 'The service closed'))
      await pool.close()
      await Promise.all([...underWay.values()].map(({ done }) => done))
    },
  }
}

async function simulate(bench: Bench, { request, terms }: ClaimedJob, signal: AbortSignal): Promise<JobEnding> {
  try {
    const period = periodOf(request)
    const { candles, info } = bench.candleCache.take(period)
    const symbol = terms.symbol ?? findSymbolRules(bench.candlesFolder, period.market)
    const inForce = { ...terms, symbol }
    const result = await bench.pool.backtest({ candles, config: request, ...inForce }, { signal })
    return { kind: 'completed', result: toJobResult(result, info, inForce) }
  } catch (error) {
    const code = error instanceof Failure && error.code.startsWith('candles') ? 'CandlesUnusable' : 'EngineFailed'
    return { kind: 'failed', error: { code, message: error instanceof Error ? error.message : String(error) } }
  }
}

/** The candles that a checked request asks for. */
export function periodOf(request: JobRequestBody): CandlePeriod {
  const { interval } = request
  return {
    market: marketName(request),
    ...(interval !== undefined && isInterval(interval) ? { interval } : {}),
    from: Date.parse(request.from),
    to: Date.parse(request.to),
  }
}
