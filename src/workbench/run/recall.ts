/**
 * What the store says, read again only after a commit. A run asks at every step, and most steps — a sleep, a look at what still runs —
 * change nothing. Nothing here outlives a change: the store stays the only memory.
 */
import type { Market } from '../../contract/market.ts'
import { findUnresolved, listUndecided, type UnresolvedAttempt } from '../store/attempts.ts'
import { listOpenJobs, type OpenJob, readLongestJobMs } from '../store/jobs.ts'
import { readSpent } from '../store/ledger.ts'
import { readStagesByMarket, type TrialStage } from '../store/readers.ts'
import type { Spender } from '../store/services.ts'
import { revisionOf, type Store } from '../store/store.ts'
import type { Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'

interface Question {
  readonly store: Store
  readonly spender: Spender
  readonly trials: () => readonly Trial[]
  readonly settingsOn: (market: Market) => Settings
  /** What was spent before it is not asked about: ms, service time. */
  readonly since: number
}

/** Each is read when it is first asked for. */
interface Answers {
  readonly stages: () => ReadonlyMap<string, TrialStage>
  readonly openJobs: () => readonly OpenJob[]
  readonly longestJobMs: () => number | null
  readonly unresolved: () => UnresolvedAttempt | undefined
  readonly parked: () => number
  readonly spentAt: () => readonly number[]
}

export class Recall {
  readonly #question: Question
  #revision: string | undefined
  #answers: Answers

  constructor(question: Question) {
    this.#question = question
    this.#answers = answersTo(question)
  }

  /** Where the study's trials stand on this service. */
  stages(): ReadonlyMap<string, TrialStage> {
    return this.#fresh().stages()
  }

  openJobs(): readonly OpenJob[] {
    return this.#fresh().openJobs()
  }

  /** What the longest of the service's latest finished jobs took, ms; null = none has finished yet. */
  longestJobMs(): number | null {
    return this.#fresh().longestJobMs()
  }

  unresolved(): UnresolvedAttempt | undefined {
    return this.#fresh().unresolved()
  }

  /** Submissions that only a person can settle. */
  parked(): number {
    return this.#fresh().parked()
  }

  /** When each unit was spent (ms, service time), oldest first, as of `now`: a submission under way counts as spent now. */
  spentAt(now: number): readonly number[] {
    const spentAt = this.#fresh().spentAt()
    if (spentAt.at(-1) !== Number.POSITIVE_INFINITY) return spentAt
    return spentAt.map((at) => (at === Number.POSITIVE_INFINITY ? now : at)).sort((a, b) => a - b)
  }

  #fresh(): Answers {
    const revision = revisionOf(this.#question.store)
    if (revision !== this.#revision) {
      this.#revision = revision
      this.#answers = answersTo(this.#question)
    }
    return this.#answers
  }
}

function answersTo({ store, spender, trials, settingsOn, since }: Question): Answers {
  const unresolved = once(() => findUnresolved(store, spender))
  return {
    stages: once(() => readStagesByMarket(store, { identity: spender.identity, trials: trials(), settingsOn })),
    openJobs: once(() => listOpenJobs(store, spender)),
    longestJobMs: once(() => readLongestJobMs(store, spender)),
    unresolved,
    parked: once(() => listUndecided(store, spender).length - (unresolved() === undefined ? 0 : 1)),
    // A submission under way stands at Infinity here, because it counts as spent now, whenever that is.
    spentAt: once(() => readSpent(store, { ...spender, since, now: Number.POSITIVE_INFINITY })),
  }
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}
