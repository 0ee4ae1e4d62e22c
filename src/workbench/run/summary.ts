/** What a run says at its end (`run --json`, surface contract). Counted from the store, not from memory. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import type { TrialStage } from '../store/readers.ts'
import { rankStored } from '../store/stored-ranking.ts'
import { countUsed } from './allowance.ts'
import type { StoppedBy } from './next-step.ts'
import type { Beginning, OpenRun } from './open-run.ts'
import type { TrialCounts } from './progress.ts'

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
    readonly metrics: MetricsAsRead
    /** Of the candles it was tested on; null where the service does not tell. */
    readonly interval: string | null
  } | null
  readonly stoppedBy: StoppedBy | null
}

const FAILED: readonly string[] = ['failed', 'gone']
const RUNNING: readonly string[] = ['submitting', 'unknown', 'running']

export function countTrials(run: Beginning, stages: ReadonlyMap<string, TrialStage>): TrialCounts {
  const states = [...stages.values()].map(({ state }) => state)
  return {
    total: run.trials.length,
    done: states.filter((state) => state === 'done').length,
    failed: states.filter((state) => FAILED.includes(state)).length,
    running: states.filter((state) => RUNNING.includes(state)).length,
  }
}

export function summarize(run: OpenRun, stoppedBy: StoppedBy | null): RunSummary {
  const stages = run.recall.stages()
  const { total, done, failed } = countTrials(run, stages)
  const reused = [...stages].filter(
    ([fingerprint, { state }]) => state === 'done' && !run.tally.hasSubmitted(fingerprint),
  )
  return {
    study: run.study.name,
    trials: { total, done, failed, reused: reused.length, pending: total - done - failed },
    allowance: describeAllowance(run),
    requests: run.tally.requests,
    best: findBest(run),
    stoppedBy,
  }
}

function describeAllowance(run: OpenRun): RunSummary['allowance'] {
  const now = run.clock.now()
  const { serviceAllowance } = run
  const spentAt = run.recall.spentAt(now)
  const used = countUsed(spentAt, run.allowance, now)
  const { fullUntil, probeAt } = serviceAllowance
  const opensAt = Math.max(serviceAllowance.opensAt({ spentAt, now }), fullUntil ?? 0, probeAt ?? 0)
  const isOpen = opensAt <= now
  return {
    limit: run.limit,
    used,
    available: isOpen ? serviceAllowance.countAvailable({ spentAt, now }) : 0,
    nextAt: isOpen || !Number.isFinite(opensAt) ? null : new Date(opensAt).toISOString(),
  }
}

function findBest(run: OpenRun): RunSummary['best'] {
  const { name: study, objective } = run.study
  const winner = rankStored(run.store, { study, identity: run.spender.identity, objective, top: 1 }).top.at(0)
  if (winner === undefined || winner.metrics === null) return null
  const { fingerprint: trial, config, metrics, candles } = winner
  return { trial, config, metrics, interval: candles?.interval ?? null }
}

/** Nothing could be learned: the service did not even say who it is. */
export function summarizeNothing(run: Beginning, stoppedBy: StoppedBy | null): RunSummary {
  const total = run.trials.length
  return {
    study: run.study.name,
    trials: { total, done: 0, failed: 0, reused: 0, pending: total },
    allowance: { limit: run.limit, used: 0, available: run.allowance.count, nextAt: null },
    requests: run.tally.requests,
    best: null,
    stoppedBy,
  }
}
