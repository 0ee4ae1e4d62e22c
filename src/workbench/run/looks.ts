/** When this run looks at its running jobs: the state over the arithmetic of `poll.ts`. All times: ms, service time. */
import {
  firstPace,
  lookAfterSubmission,
  nextPace,
  type PollLook,
  type PollPace,
  type PollTerms,
  pollSince,
} from './poll.ts'

export class Looks {
  readonly #terms: PollTerms
  #pace: PollPace
  #surveyed = false
  #lookedAt: number | null = null
  #sawAllAt: number | null = null
  #nextAt = 0

  constructor(terms: PollTerms) {
    this.#terms = terms
    this.#pace = firstPace(terms)
  }

  /** The whole list has been read once since the start, or since `surveyAgain`. */
  get surveyed(): boolean {
    return this.#surveyed
  }

  get lookedAt(): number | null {
    return this.#lookedAt
  }

  /** When a look last asked for everything since the oldest running job: what had ended by then is known. */
  get sawAllAt(): number | null {
    return this.#sawAllAt
  }

  get nextAt(): number {
    return this.#nextAt
  }

  noteSurvey(now: number): void {
    this.#surveyed = true
    this.#lookedAt = now
    this.#sawAllAt = now
    this.#nextAt = now + this.#pace.intervalMs
  }

  /** Other trials are planned than at the last survey. */
  surveyAgain(): void {
    this.#surveyed = false
  }

  noteSubmission(now: number): void {
    this.#nextAt = lookAfterSubmission(this.#terms, { now, pollAt: this.#nextAt, lookedAt: this.#lookedAt })
  }

  /** Since when jobs are asked for. `isMissed`: one was not found, so only a list that would show it can confirm that it is gone. */
  askSince(oldestSubmittedAt: number, { isMissed }: { readonly isMissed: boolean }): number {
    return pollSince(this.#pace, isMissed ? null : this.#lookedAt, oldestSubmittedAt)
  }

  /** A look that began at `startedAt` is over. */
  noteLook(
    look: Omit<PollLook, 'elapsedMs'>,
    when: { startedAt: number; now: number; oldestSubmittedAt: number; isWide: boolean },
  ): void {
    const { startedAt, now, oldestSubmittedAt } = when
    if (when.isWide) this.#sawAllAt = startedAt
    const elapsedMs = startedAt - (this.#lookedAt ?? oldestSubmittedAt)
    this.#pace = nextPace(this.#pace, this.#terms, { ...look, elapsedMs })
    this.#lookedAt = startedAt
    this.#nextAt = now + this.#pace.intervalMs
  }
}
