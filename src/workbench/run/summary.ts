/** What a run says at its end (`run --json`, surface contract). Counted from the store, not from memory. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Metrics } from '../../contract/metrics.ts'
import { findTrialsByPrefix, listScores, type OutcomeRecord } from '../store/readers.ts'
import { rankByObjective } from '../study/objective.ts'
import { countUsed } from './allowance.ts'
import { allowanceOpensAt, countAvailable } from './limits.ts'
import type { StoppedBy } from './plan.ts'
import type { TrialCounts } from './progress.ts'
import { recall, recallSpent } from './recall.ts'
import type { OpenRun, RunState } from './run-state.ts'

export interface RunSummary {
  readonly study: string
  readonly trials: {
    readonly total: number
    /** Outcomes in the store, reused ones included. */
    readonly done: number
    readonly failed: number
    /** Done without a submission of this run. */
    readonly reused: number
    readonly pending: number
  }
  readonly allowance: {
    readonly limit: number
    readonly used: number
    readonly available: number
    /** When the next submission fits; null when one fits now (or, with nothing allowed, never). ISO 8601 UTC. */
    readonly nextAt: string | null
  }
  readonly requests: number
  readonly best: {
    readonly trial: string
    readonly config: DcaSpotConfig
    readonly metrics: Metrics
    /** Of the candles it was tested on; null where the service does not tell. */
    readonly interval: string | null
  } | null
  readonly stoppedBy: StoppedBy | null
}

const FAILED: readonly string[] = ['failed', 'gone']
const RUNNING: readonly string[] = ['submitting', 'unknown', 'running']

export function countTrials(run: RunState, outcomes: ReadonlyMap<string, OutcomeRecord>): TrialCounts {
  const states = [...outcomes.values()].map(({ state }) => state)
  return {
    total: run.trials.length,
    done: states.filter((state) => state === 'done').length,
    failed: states.filter((state) => FAILED.includes(state)).length,
    running: states.filter((state) => RUNNING.includes(state)).length,
  }
}

export function summarize(run: OpenRun, stoppedBy: StoppedBy | null): RunSummary {
  const outcomes = recall(run).outcomes()
  const { total, done, failed } = countTrials(run, outcomes)
  const reused = [...outcomes].filter(([fingerprint, { state }]) => state === 'done' && !run.submitted.has(fingerprint))
  return {
    study: run.study.name,
    trials: { total, done, failed, reused: reused.length, pending: total - done - failed },
    allowance: describeAllowance(run),
    requests: requestsOf(run),
    best: findBest(run),
    stoppedBy,
  }
}

function describeAllowance(run: OpenRun): RunSummary['allowance'] {
  const now = run.clock.now()
  const spent = recallSpent(run, now)
  const used = countUsed(spent, run.allowance, now)
  const opensAt = Math.max(allowanceOpensAt(run, spent, now), run.fullUntil ?? 0, run.probeAt ?? 0)
  const isOpen = opensAt <= now
  return {
    limit: run.limit,
    used,
    available: isOpen ? countAvailable(run, spent, now) : 0,
    nextAt: isOpen || !Number.isFinite(opensAt) ? null : new Date(opensAt).toISOString(),
  }
}

function findBest(run: OpenRun): RunSummary['best'] {
  const { identity } = run.spender
  const done = listScores(run.store, { study: run.study.name, identity }).filter(({ state }) => state === 'done')
  const winner = rankByObjective(done, run.study.objective).ranked.at(0)
  if (winner === undefined) return null
  const whole = findTrialsByPrefix(run.store, winner.fingerprint).find((trial) => trial.identity === identity)
  const metrics = whole?.metrics ?? winner.metrics
  return metrics === null
    ? null
    : { trial: winner.fingerprint, config: winner.config, metrics, interval: whole?.candles?.interval ?? null }
}

export function requestsOf(run: RunState): number {
  return run.options.countRequests?.() ?? run.requests
}

/** Nothing could be learned: the service did not even say who it is. */
export function summarizeNothing(run: RunState, stoppedBy: StoppedBy | null): RunSummary {
  const total = run.trials.length
  return {
    study: run.study.name,
    trials: { total, done: 0, failed: 0, reused: 0, pending: total },
    allowance: { limit: run.limit, used: 0, available: run.allowance.count, nextAt: null },
    requests: requestsOf(run),
    best: null,
    stoppedBy,
  }
}
