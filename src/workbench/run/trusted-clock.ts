/**
 * The day's allowance is counted in the service's time. Where the service tells none, this machine's clock stands in for it, and one that
 * was set back (an empty battery: 1970) would write times that the ledger forgets as soon as it is put right. So it is refused.
 */
import { Failure } from '../../errors.ts'
import { readNewestCount } from '../store/ledger.ts'
import type { Spender } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import { refuseImpossibleTime } from '../store/times.ts'

/** A clock that is corrected steps back by as much. */
const toleranceMs = 120_000

export interface TrustedTime {
  readonly spender: Spender
  /** ms, service time as far as it is known. */
  readonly now: number
  /** The service has told its time: then nothing of ours is relied upon. */
  readonly timesAgree: boolean
}

/** @throws Failure clockWrong */
export function refuseWrongClock(store: Store, { spender, now, timesAgree }: TrustedTime): void {
  refuseImpossibleTime(now)
  const newest = timesAgree ? null : readNewestCount(store, spender)
  if (newest === null || newest <= now + toleranceMs) return
  const [ours, stored] = [now, newest].map((ms) => new Date(ms).toISOString())
  throw new Failure(
    'clockWrong',
    `This machine’s clock says ${ours}, which is before the newest submission in the store (${stored}); the service tells no time, so the allowance cannot be counted`,
    {
      hint: 'set the clock and run the same command again; if it is right, and was ahead then, `dcalab run --trust-clock` counts those submissions as made now',
    },
  )
}
