/**
 * When running jobs are polled again. Few requests and fresh results pull in opposite directions: so the next poll comes when about
 * half of what still runs should have ended, judging by the last poll, and ever later while nothing ends.
 */

interface PollPace {
  /** Between the last poll and the next. */
  readonly intervalMs: number
  /** Polls in a row at which nothing had ended. */
  readonly quiet: number
}

/** How eagerly a service is asked. */
interface PollTerms {
  readonly firstMs: number
  readonly shortestMs: number
  /** While there is still work to submit, results can wait a little: the requests are better spent. */
  readonly shortestWhileSubmittingMs: number
  /** Every submission puts the next poll off until so long after it; null = polls do not depend on submissions. */
  readonly afterSubmissionMs: number | null
  /** Others may submit with the same key: the list is read for their jobs too, every so many submissions; null = nobody else is expected. */
  readonly listEvery: number | null
}

/** A backtest there may take minutes, and nobody knows how a service likes to be asked. */
export const USUAL_TERMS: PollTerms = {
  firstMs: 2_000,
  shortestMs: 1_000,
  shortestWhileSubmittingMs: 5_000,
  afterSubmissionMs: null,
  listEvery: 4,
}

/** Our own service has computed most jobs before the next one arrives: one poll when all are submitted finds nearly everything. */
export const OWN_TERMS: PollTerms = {
  firstMs: 200,
  shortestMs: 100,
  shortestWhileSubmittingMs: 100,
  afterSubmissionMs: 200,
  listEvery: null,
}

const longestMs = 45_000
/** However much there is to submit, results do not wait longer than this for a poll. */
const putOffMs = 5_000

function firstPace({ firstMs }: PollTerms): PollPace {
  return { intervalMs: firstMs, quiet: 0 }
}

/** When the next poll is due after one more submission was accepted. All times in ms of one clock. */
export function pollAfterSubmission(
  { afterSubmissionMs }: PollTerms,
  { now, pollAt, polledAt }: { readonly now: number; readonly pollAt: number; readonly polledAt: number | null },
): number {
  if (afterSubmissionMs === null) return pollAt
  return Math.min(now + afterSubmissionMs, Math.max(now, (polledAt ?? now) + putOffMs))
}

interface PollRound {
  /** Jobs that had ended since the last poll. */
  readonly ended: number
  readonly running: number
  /** Since the last poll. */
  readonly elapsedMs: number
  readonly submitting: boolean
}

export function nextPace(
  pace: PollPace,
  terms: PollTerms,
  { ended, running, elapsedMs, submitting }: PollRound,
): PollPace {
  const floor = submitting ? terms.shortestWhileSubmittingMs : terms.shortestMs
  const wanted = ended === 0 ? pace.intervalMs * 1.5 : ((elapsedMs / ended) * running) / 2
  return { intervalMs: Math.min(longestMs, Math.max(floor, wanted)), quiet: ended === 0 ? pace.quiet + 1 : 0 }
}

/** Whether the list is read before more is sent: at first often, so that two labs that start together soon know of each other. */
function isListDueAfter({ listEvery }: PollTerms, submissions: number): boolean {
  if (listEvery === null) return false
  return submissions === 1 || submissions === 2 || submissions % listEvery === 0
}

/** Jobs that changed while the last page was read must not slip through between two polls. */
const overlapMs = 10_000
/** Services may mean "created since": every so often the question is wide enough for that reading too. */
const wideEvery = 4

/**
 * Since when jobs are asked for (ms, service time). Normally since the last poll; now and then, while nothing ends, since the
 * oldest running job was submitted.
 */
function pollSince(pace: PollPace, polledAt: number | null, oldestSubmittedAt: number): number {
  const wide = oldestSubmittedAt - overlapMs
  if (polledAt === null || (pace.quiet > 0 && pace.quiet % wideEvery === 0)) return wide
  return Math.max(wide, polledAt - overlapMs)
}

/** When this run polls its running jobs: the state over the arithmetic above. All times: ms, service time. */
export class Polls {
  readonly #terms: PollTerms
  #pace: PollPace
  #surveyed = false
  #polledAt: number | null = null
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

  get polledAt(): number | null {
    return this.#polledAt
  }

  /** When a poll last asked for everything since the oldest running job: what had ended by then is known. */
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
    this.#polledAt = now
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
    this.#nextAt = pollAfterSubmission(this.#terms, { now, pollAt: this.#nextAt, polledAt: this.#polledAt })
  }

  /** Since when jobs are asked for. `isMissed`: one was not found, so only a list that would show it can confirm that it is gone. */
  askSince(oldestSubmittedAt: number, { isMissed }: { readonly isMissed: boolean }): number {
    return pollSince(this.#pace, isMissed ? null : this.#polledAt, oldestSubmittedAt)
  }

  /** Since when everything is asked for, to see what others sent. */
  get listSince(): number {
    return this.#listedAt - overlapMs
  }

  /** A poll that began at `startedAt` is over. */
  notePoll(
    round: Omit<PollRound, 'elapsedMs'>,
    when: { startedAt: number; now: number; oldestSubmittedAt: number; isWide: boolean },
  ): void {
    const { startedAt, now, oldestSubmittedAt } = when
    if (when.isWide) this.#sawAllAt = startedAt
    const elapsedMs = startedAt - (this.#polledAt ?? oldestSubmittedAt)
    // A poll before its time was made for what others sent: that nothing had ended says nothing of how long jobs take.
    const isEarly = startedAt < this.#nextAt
    if (round.ended > 0 || !isEarly) this.#pace = nextPace(this.#pace, this.#terms, { ...round, elapsedMs })
    this.#polledAt = startedAt
    this.#nextAt = now + this.#pace.intervalMs
  }
}
