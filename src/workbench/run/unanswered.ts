/**
 * The one submission without an answer: when the list may be asked what became of it, and how often the list has said so. Absence counts
 * only when two trustworthy lists show it, some time apart. Times: ms, service time, unless they are monotonic.
 */

/** Absence takes two complete lists with this between them (less where settle times are short). */
const secondLookMs = 60_000
/** Lists that lack jobs of ours are no evidence; after so many the attempt is left to a later run. */
const mostPoorLists = 5

export interface UnansweredTerms {
  /** How long an unanswered submission may still arrive. */
  readonly settleMs: number
  /** The service had told its time before the run began, so times in the store are the service's. */
  readonly knewTime: boolean
}

interface Submission {
  readonly id: number
  readonly openedAt: number
  readonly unsureSince: number | null
}

export class Unanswered {
  readonly #terms: UnansweredTerms
  #absentLists = 0
  #poorLists = 0
  #nextLookAt = 0
  /** Since when (monotonic ms) this run has seen that submission. */
  #seen: { readonly id: number; readonly at: number } | undefined

  constructor(terms: UnansweredTerms) {
    this.#terms = terms
  }

  /** Latest service time at which it may have arrived. */
  arrivedBy({ unsureSince, openedAt }: Submission): number {
    return (unsureSince ?? openedAt) + this.#terms.settleMs
  }

  /** When the list may be asked; Infinity = not by this run. */
  lookAt(submission: Submission, { now, monotonic }: { readonly now: number; readonly monotonic: number }): number {
    if (this.#terms.knewTime) return Math.max(this.#nextLookAt, this.arrivedBy(submission))
    // Where the service does not tell its time, the row's is our wall clock's, which may have stepped by years since: then only time that
    // passed before our eyes counts.
    if (this.#seen?.id !== submission.id) this.#seen = { id: submission.id, at: monotonic }
    return Math.max(this.#nextLookAt, now + this.#seen.at + this.#terms.settleMs - monotonic)
  }

  /** A list that can be trusted does not show it. Answers whether that is proof: the second such list in a row. */
  noteAbsent(now: number): boolean {
    this.#absentLists++
    if (this.#absentLists >= 2) return true
    this.#nextLookAt = now + Math.min(secondLookMs, this.#terms.settleMs / 5)
    return false
  }

  /** A list lacks jobs that exist, so it proves nothing. Answers whether this run gives up. */
  notePoorList(now: number): boolean {
    this.#poorLists++
    this.#absentLists = 0
    const isGivenUp = this.#poorLists >= mostPoorLists
    this.#nextLookAt = isGivenUp ? Number.POSITIVE_INFINITY : now + secondLookMs
    return isGivenUp
  }

  /** It is settled: the next one starts afresh. */
  forget(): void {
    this.#absentLists = 0
    this.#poorLists = 0
    this.#nextLookAt = 0
  }
}
