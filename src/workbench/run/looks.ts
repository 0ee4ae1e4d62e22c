/** When this run looks at its running jobs: the state over the arithmetic of `poll.ts`. All times: ms, service time. */
import {
  firstPace,
  isListDueAfter,
  listSince,
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
  #submissions = 0
  /** Up to then the list is known with everything in it, whoever sent it. */
  #listedAt = 0
  #isListDue = false
  /** Nothing was sent, and no time has passed, since the list was read. */
  #isListFresh = false
  /** Another lab submits with the key: the list is read before every submission. */
  #isShared = false

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

  /** Before the next submission the list is read, because another lab may have sent that trial. */
  get isListDue(): boolean {
    return this.#isShared ? !this.#isListFresh : this.#isListDue
  }

  noteSurvey(now: number): void {
    this.#surveyed = true
    this.noteList(now)
    this.#lookedAt = now
    this.#sawAllAt = now
    this.#nextAt = now + this.#pace.intervalMs
  }

  /** Other trials are planned than at the last survey. */
  surveyAgain(): void {
    this.#surveyed = false
  }

  /** A list that shows everything since `listSince` or longer was asked for at `startedAt`. */
  noteList(startedAt: number): void {
    this.#listedAt = startedAt
    this.#isListDue = false
    this.#isListFresh = true
  }

  noteOtherLab(): void {
    this.#isShared = true
  }

  noteRest(): void {
    this.#isListFresh = false
  }

  noteSubmission(now: number): void {
    this.#submissions++
    this.#isListFresh = false
    this.#isListDue ||= isListDueAfter(this.#terms, this.#submissions)
    this.#nextAt = lookAfterSubmission(this.#terms, { now, pollAt: this.#nextAt, lookedAt: this.#lookedAt })
  }

  /** Since when jobs are asked for. `isMissed`: one was not found, so only a list that would show it can confirm that it is gone. */
  askSince(oldestSubmittedAt: number, { isMissed }: { readonly isMissed: boolean }): number {
    return pollSince(this.#pace, isMissed ? null : this.#lookedAt, oldestSubmittedAt)
  }

  /** Since when everything is asked for, to see what others sent. */
  get listSince(): number {
    return listSince(this.#listedAt)
  }

  /** A look that began at `startedAt` is over. */
  noteLook(
    look: Omit<PollLook, 'elapsedMs'>,
    when: { startedAt: number; now: number; oldestSubmittedAt: number; isWide: boolean },
  ): void {
    const { startedAt, now, oldestSubmittedAt } = when
    if (when.isWide) this.#sawAllAt = startedAt
    const elapsedMs = startedAt - (this.#lookedAt ?? oldestSubmittedAt)
    // A look before its time was made for what others sent: that nothing had ended says nothing of how long jobs take.
    const isEarly = startedAt < this.#nextAt
    if (look.ended > 0 || !isEarly) this.#pace = nextPace(this.#pace, this.#terms, { ...look, elapsedMs })
    this.#lookedAt = startedAt
    this.#nextAt = now + this.#pace.intervalMs
  }
}
