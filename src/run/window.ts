/**
 * What kind of window the service counts in, as far as it shows. Our ledger assumes the strictest kind and is safe for all; a service
 * that forgets sooner says so in its limits, and then what it allows is used: never more than it says is left.
 */
import type { LimitsReading } from '../api/readings.ts'
import type { Allowance } from './allowance.ts'

export interface WindowObservation {
  readonly type: 'sliding' | 'fixed' | 'forgetful'
  /** What shows it, in one sentence. */
  readonly evidence: string
}

/** Limits may be told with a delay; what is younger proves nothing, and is taken off what is left. */
const lagMs = 10 * 60_000

/** `acceptedAt`: when submissions were accepted for certain, ms, service time. `windowMs`: the service's, without our margin. */
export function observeWindow(
  limits: LimitsReading,
  acceptedAt: readonly number[],
  { windowMs, now }: { readonly windowMs: number; readonly now: number },
): WindowObservation | null {
  if (limits.windowType !== null)
    return { type: limits.windowType, evidence: `the service says it is ${limits.windowType}` }
  if (limits.used === null) return null
  const certain = acceptedAt.filter((at) => at > now - windowMs + lagMs && at < now - lagMs).length
  if (limits.used >= certain) return null
  const hours = Math.round(windowMs / 3_600_000)
  return {
    type: 'forgetful',
    evidence: `it counts ${limits.used} where ${certain} were accepted within ${hours} h, so it is not a sliding window of ${hours} h`,
  }
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

/** Whether one more fits into what was granted; everything that may have been counted since is taken off. Pure, from rows. */
export function fitsGrant(grant: Grant | null, spentAt: readonly number[]): boolean {
  if (grant === null) return false
  return grant.left > spentAt.filter((at) => at > grant.at - lagMs).length
}
