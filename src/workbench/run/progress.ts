/**
 * What is said of how far a run is, and when a job that runs is given up: pure arithmetic on times. Then what running a study would
 * take, from the store alone, for `study check`, `status` and `service limits`, and what agents may still spend: pure but for its reads.
 */
import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import type { LimitsReading } from '../api/reading/readings.ts'
import type { OpenJob } from '../store/jobs.ts'
import { readAccepted, readAgentSpent, readSpent } from '../store/ledger.ts'
import { type MarketStagesQuestion, readStagesByMarket } from '../store/readers.ts'
import type { ServiceAccount } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import type { Trial } from '../study/study.ts'
import {
  type Allowance,
  type AllowanceOutlook,
  acceptedSince,
  allowanceOf,
  countUsed,
  countWindows,
  finishAt,
  foreseeAllowance,
  ledgerSince,
  nextOpening,
  observeWindow,
  type Reopening,
  type ReopeningSource,
  reopeningOrNull,
  type WindowObservation,
} from './allowance.ts'

interface TrialCounts {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly running: number
}

export interface Progress extends TrialCounts, Pick<AllowanceOutlook, 'windows' | 'reopensAt' | 'source'> {
  /** Trials a second that end or, before the first has ended, that are submitted; null while there is none of either. */
  readonly perSecond: number | null
  /** Until the last trial has ended, ms; null while nothing shows it. */
  readonly leftMs: number | null
  /** Absent while no job takes unusually long. */
  readonly slowest?: SlowJob
}

// When a job that does not end is no longer waited for: after a multiple of what this service's jobs take. As long as jobs end one after
// the other, the longest of them grows with the queue, so that a queue is never taken for a standstill. Times: ms, service time.

const timesTheLongest = 20
const stallTimeMs = { atLeast: 3_600_000, atMost: 24 * 3_600_000 } as const

/** `longestMs`: what the longest of the service's latest jobs took; null = none has ended yet. */
export function stallsAfter(longestMs: number | null): number {
  const { atLeast, atMost } = stallTimeMs
  return longestMs === null ? atMost : Math.min(atMost, Math.max(atLeast, timesTheLongest * longestMs))
}

/** Between two runs nobody looked, and the clock may have been set: no more than this part of the time until a job stalls counts of it. */
const mostBetweenRuns = 1 / 4

/** What is known of how long a job has run, beside when it was sent. */
export interface Watched {
  /** ms, service time. */
  readonly now: number
  /** For how long this run has waited for it: ms of the monotonic clock, which nobody sets. */
  readonly waitedMs: number
  /** When the runs began that could ask for it, from the one that sent it to this one: ms UTC of our clock. */
  readonly begun: readonly number[]
}

/**
 * For how long a job was seen to run: no longer than the clock says, and no longer than runs were there to see it, so that a step of the clock
 * alone makes none stall. Where the clock was set back, only what was seen counts.
 */
export function countRunning(
  { submittedAt }: Pick<OpenJob, 'submittedAt'>,
  { now, waitedMs, begun }: Watched,
  stallsAfterMs: number,
): number {
  const most = mostBetweenRuns * stallsAfterMs
  const between = begun.slice(1).map((at, n) => Math.max(0, Math.min(most, at - begun[n])))
  const seenMs = between.reduce((sum, ms) => sum + ms, waitedMs)
  return submittedAt > now ? seenMs : Math.min(now - submittedAt, seenMs)
}

/** The oldest job that runs, once it takes longer than jobs of this service usually do. */
export interface SlowJob {
  readonly runsForMs: number
  readonly longestMs: number | null
  /** When it is given up, unless another job has taken longer by then. */
  readonly stallsAt: number
}

// What running a study would take, from the store alone.

interface AllowanceSettings {
  readonly allowance?: number
  readonly allowanceWindowMs?: number
  readonly reserve?: number
}

export interface AllowanceReport {
  readonly limit: number
  readonly windowHours: number
  readonly used: number
  readonly available: number
  /** When the next submission fits; null when one fits now. ISO 8601 UTC. */
  readonly nextAt: string | null
  /** Where `nextAt` comes from: this store alone; null where it is. */
  readonly source: ReopeningSource | null
}

/** The allowance by our ledger. `now`: ms UTC; the ledger is in service time, which differs by a clock's error. */
export function readAllowance(
  store: Store,
  { now, ...options }: ServiceAccount & AllowanceSettings & { readonly now: number },
): AllowanceReport {
  return reportAllowance(
    readSpent(store, { ...options, now, since: ledgerSince(allowanceOf(options), now) }),
    options,
    now,
  )
}

/** How the service counts, as far as its limits body and our ledger show. */
export function readWindow(
  store: Store,
  { limits, now, ...serviceAccount }: ServiceAccount & { readonly limits: LimitsReading; readonly now: number },
): WindowObservation | null {
  const windowMs = limits.windowMs ?? BACKTEST_ALLOWANCE.windowMs
  const acceptedAt = readAccepted(store, { ...serviceAccount, since: acceptedSince(windowMs, now) })
  return observeWindow(limits, acceptedAt, { limit: BACKTEST_ALLOWANCE.count, windowMs, now })
}

function reportAllowance(spentAt: readonly number[], settings: AllowanceSettings, now: number): AllowanceReport {
  const allowance = allowanceOf(settings)
  const used = countUsed(spentAt, allowance, now)
  return {
    limit: allowance.count + (settings.reserve ?? 0),
    windowHours: Math.round((allowance.windowMs / 3_600_000) * 10) / 10,
    used,
    available: Math.max(0, allowance.count - used),
    ...reopeningOrNull(reopeningByLedger(spentAt, allowance, now)),
  }
}

function reopeningByLedger(spentAt: readonly number[], allowance: Allowance, now: number): Reopening | null {
  const at = nextOpening(spentAt, allowance, now)
  return at > now && Number.isFinite(at) ? { at, source: 'ledger' } : null
}

/** What the allowance makes of `todo` more submissions. */
export function foreseeRest(
  store: Store,
  {
    todo,
    now,
    serviceAccount,
  }: { readonly todo: number; readonly now: number; readonly serviceAccount: ServiceAccount | undefined },
): AllowanceOutlook {
  const allowance = allowanceOf()
  const spentAt =
    serviceAccount === undefined ? [] : readSpent(store, { ...serviceAccount, now, since: ledgerSince(allowance, now) })
  return foreseeAllowance(spentAt, allowance, {
    now,
    todo,
    available: allowance.count - countUsed(spentAt, allowance, now),
    reopening: reopeningByLedger(spentAt, allowance, now),
  })
}

type SettingsOn = MarketStagesQuestion['settingsOn']

export interface RunEstimate {
  /** Trials that need no submission: they have an outcome, or are on their way. */
  readonly known: number
  readonly toRun: number
  readonly allowance: AllowanceReport & {
    readonly windowsNeeded: number
    /** When the last trial can be submitted; null when it never can. */
    readonly finishAt: string | null
  }
}

/**
 * @param store undefined = there is none yet
 * @param options.serviceAccount undefined = no service has been met yet, so nothing is known or spent
 * @param options.settingsOn what a service of ours would be asked to compute under on a market; null = any
 * @param options.jobs how many there will be at most, where the trials are only those that are known so far
 */
export function estimateRun(
  store: Store | undefined,
  trials: readonly Trial[],
  now: number,
  options: AllowanceSettings & {
    readonly serviceAccount?: ServiceAccount
    readonly settingsOn?: SettingsOn
    readonly jobs?: number
  } = {},
): RunEstimate {
  const { serviceAccount, settingsOn = () => null } = options
  const isKnown = store !== undefined && serviceAccount !== undefined
  const known = isKnown ? readStagesByMarket(store, { identity: serviceAccount.identity, trials, settingsOn }).size : 0
  const allowance = allowanceOf(options)
  const spentAt = isKnown ? readSpent(store, { ...serviceAccount, now, since: ledgerSince(allowance, now) }) : []
  const current = reportAllowance(spentAt, options, now)
  const toRun = Math.max(0, (options.jobs ?? trials.length) - known)
  const last = finishAt(spentAt, allowance, now, toRun)
  return {
    known,
    toRun,
    allowance: {
      ...current,
      windowsNeeded: countWindows(toRun, current.available, allowance.count),
      finishAt: Number.isFinite(last) ? new Date(last).toISOString() : null,
    },
  }
}

/** What agents may still spend. It is counted in the store whenever it is asked, so that no restart and no second server begins anew. */
interface AgentSpending {
  /** Backtests that agents spent within a window. */
  readonly used: number
  readonly left: number
  /** When one more fits, ms; null = now, or never with a budget of 0. */
  readonly nextAt: number | null
}

/** `now`: ms. The window is that of the allowance. */
export function readAgentSpending(
  store: Store,
  { budget, now, windowMs }: { readonly budget: number; readonly now: number } & Pick<Allowance, 'windowMs'>,
): AgentSpending {
  const spentAt = readAgentSpent(store, { now, since: now - windowMs }).toSorted((a, b) => a - b)
  const used = countUsed(spentAt, { count: budget, windowMs }, now)
  const blocking = used < budget ? undefined : spentAt.at(-budget)
  return { used, left: Math.max(0, budget - used), nextAt: blocking === undefined ? null : blocking + windowMs }
}

/** Infinity where a person asks. Inside a transaction it is what the row that follows rests on. */
export function budgetLeft({
  options,
  store,
  clock,
}: {
  readonly options: { readonly agentBudget?: number }
  readonly store: Store
  readonly clock: { now(): number }
}): number {
  const { agentBudget: budget } = options
  if (budget === undefined) return Number.POSITIVE_INFINITY
  const { windowMs } = allowanceOf() // the documented one: a run with a shorter one of its own gives agents no more
  return readAgentSpending(store, { budget, now: clock.now(), windowMs }).left
}
