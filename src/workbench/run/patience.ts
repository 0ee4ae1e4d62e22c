/**
 * How long the service is left alone. Failures in a row make the pause grow from five seconds to five minutes; a service that asks for a
 * pause gets it. All times: ms, service time.
 */

const firstBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000
/** Without `--wait` a run gives a failing service up after this long. */
const patienceMs = 10 * 60_000
const patienceOnLoopbackMs = 30_000

export interface PatienceTerms {
  /** The service is on this machine: it is back soon, or not at all. */
  readonly loopback?: boolean
  /** Outlast every outage. */
  readonly wait?: boolean
}

export class Patience {
  readonly #terms: PatienceTerms
  #quietUntil = 0
  /** Failures in a row, and since when. */
  #failures = 0
  #failingSince: number | null = null

  constructor(terms: PatienceTerms) {
    this.#terms = terms
  }

  /** Nothing is asked of the service before. */
  get quietUntil(): number {
    return this.#quietUntil
  }

  /** A request got no sensible answer. `isOver`: it has gone on for longer than this run waits. */
  noteFailure(now: number): { readonly backoffMs: number; readonly isOver: boolean } {
    this.#failingSince ??= now
    const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#failures)
    this.#failures++
    this.#quietUntil = now + backoffMs
    const longest = this.#terms.loopback ? patienceOnLoopbackMs : patienceMs
    return { backoffMs, isOver: this.#terms.wait !== true && this.#quietUntil - this.#failingSince > longest }
  }

  /** It answers again. A pause that it asked for still holds. */
  noteAnswer(): void {
    this.#failures = 0
    this.#failingSince = null
  }

  pause(now: number, ms: number): void {
    this.#quietUntil = now + ms
  }

  /**
   * Submissions in a row without an answer may each have cost a unit. `tooMany`: how many of them came after the last that was taken
   * calmly; the pause doubles with each, from 5 minutes up to 80.
   */
  pauseUnsure(now: number, tooMany: number): void {
    this.#quietUntil = now + longestBackoffMs * 2 ** Math.min(4, tooMany)
  }

  endPause(): void {
    this.#quietUntil = 0
  }
}
