/**
 * The service's time, in which the allowance is counted. Anchored at the first `Date` header and carried on by the monotonic clock, so
 * that no step of this machine's wall clock can open the window early or keep it shut. Later headers correct what a clock may drift,
 * and no more: one wrong date moves it by seconds.
 */

import type { Clock } from '../../system.ts'
import type { RawReply } from '../api/outcome.ts'

export interface ServiceClock {
  /** ms UTC, service time; this machine's wall clock (read once) as long as the service sends no date. */
  now(): number
  /** The service has told its time; without that, the times in its replies cannot be compared with `now`. */
  isAnchored(): boolean
  /** Service time of the last reply heard, with a date or without; null when the service has never told its time. */
  heardAt(): number | null
  learn(raw: RawReply | null): void
}

/** A date is whole seconds, and as old as its reply was on its way: an exchange takes at most 30 s. */
const oldestDateMs = 31_000
/** Clocks run true to a hundredth, ours and theirs together. */
const driftShare = 0.01
const jitterMs = 1_000

export function createServiceClock(clock: Clock): ServiceClock {
  let offset = clock.wall() - clock.monotonic()
  let heard: number | null = null
  let spoke = 0
  const now = () => offset + clock.monotonic()
  return {
    now,
    isAnchored: () => heard !== null,
    heardAt: () => (heard === null ? null : offset + spoke),
    learn: (raw) => {
      if (raw === null) return
      spoke = clock.monotonic()
      if (raw.serverDate === null) return
      const elapsedMs = heard === null ? Number.POSITIVE_INFINITY : clock.monotonic() - heard
      const most = jitterMs + driftShare * elapsedMs
      offset += Math.max(-most, Math.min(most, errorOf(raw.serverDate, now(), heard === null)))
      heard = clock.monotonic()
    },
  }
}

/** How far the clock is certainly off: it is never earlier than a date that was read, and never much later. */
function errorOf(serverDate: number, now: number, isFirst: boolean): number {
  if (isFirst || serverDate > now) return serverDate - now
  return Math.min(0, serverDate + oldestDateMs - now)
}
