/**
 * The service's time, in which the allowance is counted. Anchored at the first `Date` header and carried on by the monotonic clock, so
 * that no step of this machine's wall clock can open the window early or keep it shut. Later headers correct what a clock may drift,
 * and no more: one wrong date moves it by seconds.
 */
import { Failure } from '../../errors.ts'
import type { Clock } from '../../system.ts'
import type { RawReply } from '../api/outcome.ts'
import { readNewestCount } from '../store/ledger.ts'
import type { ServiceAccount } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import { refuseImpossibleTime } from '../store/tables.ts'

export interface ServiceClock {
  /** ms UTC, service time; this machine's wall clock (read once) as long as the service sends no date. */
  now(): number
  /** The service has stated its time; without that, the times in its replies cannot be compared with `now`. */
  isAnchored(): boolean
  /** Service time of the last reply heard, with a date or without; null when the service has never stated its time. */
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

// The day's allowance is counted in the service's time. Where the service states none, this machine's clock stands in for it, and one that
// was set back (an empty battery: 1970) would write times that the ledger forgets as soon as it is put right. So it is refused.

/** A clock that is corrected steps back by as much. */
const toleranceMs = 120_000

interface TrustedTime {
  readonly serviceAccount: ServiceAccount
  /** ms, service time as far as it is known. */
  readonly now: number
  /** The service has stated its time: then nothing of ours is relied upon. */
  readonly timesAgree: boolean
}

/** @throws Failure clockWrong */
export function refuseWrongClock(store: Store, { serviceAccount, now, timesAgree }: TrustedTime): void {
  refuseImpossibleTime(now)
  const newest = timesAgree ? null : readNewestCount(store, serviceAccount)
  if (newest === null || newest <= now + toleranceMs) return
  const [ours, stored] = [now, newest].map((ms) => new Date(ms).toISOString())
  throw new Failure(
    'clockWrong',
    `This machine’s clock says ${ours}, before the newest stored submission (${stored}), and the service reports no time`,
    {
      hint: 'set the clock and run again; if it is right now and was ahead then, add --trust-clock',
    },
  )
}
