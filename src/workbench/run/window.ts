/**
 * What kind of window the service counts in, as far as it shows. Our ledger assumes the strictest kind and is safe for all; a service
 * that forgets sooner says so in its limits, and then what it allows is used: never more than it says is left.
 */
import type { LimitsReading } from '../api/reading/readings.ts'
import type { Allowance } from './allowance.ts'

export interface WindowObservation {
  readonly type: 'sliding' | 'fixed' | 'forgetful'
  /** What shows it, in one sentence. */
  readonly evidence: string
}

/** Limits may be told with a delay; what is younger proves nothing, and is taken off what is left. */
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
    const evidence = `it accepted ${most} within ${hours} h, so it is not a sliding window of ${hours} h`
    return { type: 'forgetful', evidence }
  }
  if (words !== null || used === null) return words
  const certain = acceptedAt.filter((at) => at > now - windowMs + lagMs && at < now - lagMs).length
  if (used >= certain) return null
  return {
    type: 'forgetful',
    evidence: `it counts ${used} where ${certain} were accepted within ${hours} h, so it forgets sooner than a sliding window of ${hours} h`,
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
