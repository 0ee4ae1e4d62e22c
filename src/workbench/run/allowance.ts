/**
 * The arithmetic of the backtest allowance: pure answers from the list of what was spent. A unit counts from its submission until
 * `windowMs` after its latest possible arrival, so that a service never counts more than `count` in any window, sliding or fixed
 * (`decisions/0002`, A-07).
 */
import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import type { LimitsReading } from '../api/reading/readings.ts'

export interface Allowance {
  readonly count: number
  readonly windowMs: number
}

/** Where a time comes from at which the next unit fits: the service said it, our own rows say it, or it is when a full service is asked again. */
export type ReopeningSource = keyof typeof REOPENING_WORDS

/** When the next unit fits: ms, service time. */
export interface Reopening {
  readonly at: number
  readonly source: ReopeningSource
}

/** What is said in front of such a time. */
export const REOPENING_WORDS = {
  reported: 'reopens at',
  ledger: 'next backtest, counted here, at',
  recheck: 'the service is full and gives no time; asked again at',
} as const

/** As JSON shows it: ISO 8601 UTC. */
export function reopeningOrNull(reopening: Reopening | null): {
  readonly nextAt: string | null
  readonly source: ReopeningSource | null
} {
  if (reopening === null) return { nextAt: null, source: null }
  return { nextAt: new Date(reopening.at).toISOString(), source: reopening.source }
}

/** Clocks may disagree in rate and the service's dates have seconds: a minute covers both. */
export const allowanceMarginMs = 60_000

/** What one may use: the documented allowance, or the settings in its place, less what is to be left for others. */
export function allowanceOf(
  settings: Partial<Record<'allowance' | 'allowanceWindowMs' | 'reserve', number | undefined>> = {},
): Allowance {
  const limit = settings.allowance ?? BACKTEST_ALLOWANCE.count
  return {
    count: Math.max(0, limit - (settings.reserve ?? 0)),
    windowMs: (settings.allowanceWindowMs ?? BACKTEST_ALLOWANCE.windowMs) + allowanceMarginMs,
  }
}

/**
 * The earliest moment one more submission fits, never before `now`; Infinity when none ever does.
 * `spentAt`: ms, oldest first.
 */
export function nextOpening(spentAt: readonly number[], allowance: Allowance, now: number): number {
  if (allowance.count < 1) return Number.POSITIVE_INFINITY
  const blocking = spentAt.at(-allowance.count)
  return blocking === undefined ? now : Math.max(now, blocking + allowance.windowMs)
}

/** The earliest moment at which `n` more fit together; else as `nextOpening`, which is this for one. */
export function nextOpeningFor(n: number, spentAt: readonly number[], allowance: Allowance, now: number): number {
  return nextOpening(spentAt, { ...allowance, count: allowance.count - (n - 1) }, now)
}

/** How many of `spentAt` still count. */
export function countUsed(spentAt: readonly number[], allowance: Allowance, now: number): number {
  return spentAt.filter((at) => at > now - allowance.windowMs).length
}

/** What was spent before this moment (ms) has no say in what is allowed; a day more than the window, for clocks that are set. */
export function ledgerSince(allowance: Allowance, now: number): number {
  return now - allowance.windowMs - 24 * 3_600_000
}

/** When the last of `n` submissions fits, each sent as early as it may; `now` when there are none. */
export function finishAt(spentAt: readonly number[], allowance: Allowance, now: number, n: number): number {
  const spent = [...spentAt]
  let at = now
  for (let k = 0; k < n && Number.isFinite(at); k++) {
    at = nextOpening(spent, allowance, at)
    spent.push(at)
  }
  return at
}

/** Windows that `n` submissions take; the present one is the first, if it has room. */
export function countWindows(n: number, available: number, perWindow: number): number {
  if (n === 0 || perWindow === 0) return 0
  return (available > 0 ? 1 : 0) + Math.ceil(Math.max(0, n - available) / perWindow)
}

// What kind of window the service counts in, as far as it shows. Our ledger assumes the strictest kind and is safe for all; a service
// that forgets sooner says so in its limits, and then what it allows is used: never more than it says is left.

export interface WindowObservation {
  readonly type: 'sliding' | 'fixed' | 'forgetful'
  /** What shows it, in one sentence. */
  readonly evidence: string
}

/** Limits may be stated with a delay; what is younger proves nothing, and is taken off what is left. */
const lagMs = 10 * 60_000

/** What was accepted before this moment (ms) shows nothing of a window of this length. */
export function acceptedSince(windowMs: number, now: number): number {
  return now - 2 * windowMs
}

/**
 * `acceptedAt`: when submissions were accepted for certain, ms, service time, oldest first. `windowMs`: the service's, without our
 * margin. What was accepted weighs more than words, and words more than counts.
 */
export function observeWindow(
  limits: LimitsReading,
  acceptedAt: readonly number[],
  { limit, windowMs, now }: { readonly limit: number; readonly windowMs: number; readonly now: number },
): WindowObservation | null {
  const { windowType, used } = limits
  const words = windowType === null ? null : { type: windowType, evidence: `the service says it is ${windowType}` }
  if (words !== null && words.type !== 'sliding') return words
  const hours = Math.round(windowMs / 3_600_000)
  const most = mostWithin(
    windowMs - lagMs,
    acceptedAt.filter((at) => at > acceptedSince(windowMs, now)),
  )
  if (most > (limits.limit ?? limit)) {
    const evidence = `it accepted ${most} within ${hours} h: not a sliding window of ${hours} h`
    return { type: 'forgetful', evidence }
  }
  if (words !== null || used === null) return words
  const certain = acceptedAt.filter((at) => at > now - windowMs + lagMs && at < now - lagMs).length
  if (used >= certain) return null
  return {
    type: 'forgetful',
    evidence: `it counts ${used} of ${certain} accepted within ${hours} h: shorter than a sliding window of ${hours} h`,
  }
}

/** The most of `times` (ascending) that lie within any `spanMs`. */
function mostWithin(spanMs: number, times: readonly number[]): number {
  let from = 0
  let most = 0
  for (const [index, at] of times.entries()) {
    while (times[from] <= at - spanMs) from++
    most = Math.max(most, index - from + 1)
  }
  return most
}

/** What the service said is left, and when (ms, service time). */
export interface Grant {
  readonly left: number
  readonly at: number
}

/** null: nothing beyond our own ledger is to be had. */
export function grantOf(
  limits: LimitsReading,
  window: WindowObservation | null,
  { allowance, now }: { readonly allowance: Allowance; readonly now: number },
): Grant | null {
  if (window === null || window.type === 'sliding' || limits.remaining === null || limits.used === null) return null
  // A reserve, or a smaller allowance than the service's, holds in its window too.
  return { left: Math.min(limits.remaining, allowance.count - limits.used), at: now }
}

/** How many more fit into what was granted; everything that may have been counted since is taken off. Pure, from rows. */
export function leftOfGrant(grant: Grant | null, spentAt: readonly number[]): number {
  if (grant === null) return 0
  return Math.max(0, grant.left - spentAt.filter((at) => at > grant.at - lagMs).length)
}

/** Whether so many fit into it together. */
export function fitsGrant(grant: Grant | null, spentAt: readonly number[], together = 1): boolean {
  return leftOfGrant(grant, spentAt) >= together
}
