/**
 * Runs waiting jobs, as many at once as there are engine threads. It has no timer: it looks for jobs when the service starts and
 * whenever a job is created, read or finished. A job that nobody reads may wait until the next request.
 */
import { findSymbolRules } from '../../candles/folder/folder.ts'
import type { JobRequestBody } from '../../contract/bodies.ts'
import { isInterval, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { System } from '../../system.ts'
import type { EnginePool } from '../../workers/pool.ts'
import { type Database, isBusy } from '../database.ts'
import type { CandlePeriod, CandleShelf } from './candle-shelf.ts'
import { type ClaimedJob, claimJob, finishJob, type JobEnding } from './job-queue.ts'
import { toJobResult } from './job-result.ts'
import { otherRunners, type Runner, releaseDead } from './runners.ts'

export interface JobRunner {
  /** Starts waiting jobs, including those of runners that died. */
  look(): void
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
  readonly shelf: CandleShelf
  readonly pool: EnginePool
  readonly runner: Runner
}

const busyPauseMs = 250

export function createJobRunner(bench: Bench): JobRunner {
  const { db, system, storePath, pool, runner } = bench
  const underWay = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const closing = new AbortController()

  function look(): void {
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
      // The store is locked by another process; the next look tries again.
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
      look()
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
    look,
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
    const { candles, info } = bench.shelf.take(period)
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
