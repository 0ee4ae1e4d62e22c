/** What this run has asked for and sent so far. It starts at zero each time; what must survive a restart is in the store. */

export interface TallyTerms {
  /** Stop after so many rejects in a row at the start. Default 3. */
  readonly maxRejects?: number
  /** Requests that have left this program, where somebody counts them; else those that were asked for. */
  readonly countRequests?: () => number
}

const usualMaxRejects = 3

export class RunTally {
  readonly #terms: TallyTerms
  #requests = 0
  #sent = 0
  #hasAccepted = false
  #rejectsInARow = 0
  #unsureInARow = 0
  /** Trials that have a job by a submission of this run. */
  readonly #submitted = new Set<string>()

  constructor(terms: TallyTerms) {
    this.#terms = terms
  }

  countRequest(): void {
    this.#requests++
  }

  get requests(): number {
    return this.#terms.countRequests?.() ?? this.#requests
  }

  /** Submissions of this run that the service may have counted. */
  get sent(): number {
    return this.#sent
  }

  addSubmitted(fingerprint: string): void {
    this.#submitted.add(fingerprint)
  }

  hasSubmitted(fingerprint: string): boolean {
    return this.#submitted.has(fingerprint)
  }

  noteAccepted(): void {
    this.#sent++
    this.#hasAccepted = true
    this.#rejectsInARow = 0
    this.#unsureInARow = 0
  }

  /** A submission that got no answer turned up in the list. It was counted when it was sent. */
  noteArrived(fingerprint: string): void {
    this.addSubmitted(fingerprint)
    this.#hasAccepted = true
  }

  /** Answers how many rejects in a row the run began with, once that is too many; else null. After one accepted submission none are. */
  noteRejected(): number | null {
    this.#sent++
    this.#rejectsInARow++
    const most = this.#terms.maxRejects ?? usualMaxRejects
    return !this.#hasAccepted && this.#rejectsInARow >= most ? this.#rejectsInARow : null
  }

  /** Answers how many submissions in a row got no certain answer. */
  noteUnsure(): number {
    this.#sent++
    return ++this.#unsureInARow
  }
}
