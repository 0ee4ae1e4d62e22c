/**
 * The service's time, in which the allowance is counted. Anchored once at the first `Date` header and carried on by the monotonic
 * clock, so that no step of this machine's wall clock can open the window early or keep it shut.
 */
import type { RawReply } from '../api/outcome.ts'
import type { Clock } from '../system.ts'

export interface ServiceClock {
  /** ms UTC, service time; this machine's wall clock (read once) as long as the service sends no date. */
  now(): number
  /** Takes the anchor from the first reply that has a date; later ones change nothing. */
  learn(raw: RawReply | null): void
}

export function createServiceClock(clock: Clock): ServiceClock {
  let offset = clock.wall() - clock.monotonic()
  let anchored = false
  return {
    now: () => offset + clock.monotonic(),
    learn: (raw) => {
      if (anchored || raw === null || raw.serverDate === null) return
      offset = raw.serverDate - clock.monotonic()
      anchored = true
    },
  }
}
