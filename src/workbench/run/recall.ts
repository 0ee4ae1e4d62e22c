/**
 * What the store says, read again only after a commit. A run asks at every step, and most steps — a sleep, a look at what still runs —
 * change nothing. Nothing here outlives a change: the store stays the only memory.
 */
import { findUnresolved, listParked, type UnresolvedAttempt } from '../store/attempts.ts'
import { type KnownJob, listOpenJobs, type OpenJob, readKnownJobs } from '../store/jobs.ts'
import { readSpent } from '../store/ledger.ts'
import { type OutcomeRecord, readOutcomes } from '../store/readers.ts'
import type { Spender } from '../store/services.ts'
import { revisionOf, type Store } from '../store/store.ts'
import type { Trial } from '../study/study.ts'

export interface Recalled {
  readonly revision: string
  /** What became of the study's trials on this service. */
  readonly outcomes: () => ReadonlyMap<string, OutcomeRecord>
  readonly openJobs: () => readonly OpenJob[]
  /** Every job of ours on the service, by the service's id. */
  readonly knownJobs: () => ReadonlyMap<string, KnownJob>
  readonly unresolved: () => UnresolvedAttempt | undefined
  /** Submissions that only a person can settle. */
  readonly parked: () => number
  /** As `readSpent`; a submission under way stands at Infinity, because it counts as spent now, whenever that is. */
  readonly spentAt: () => readonly number[]
}

/** What of a run is asked about, and where the answers are kept. */
interface Recalling {
  readonly store: Store
  readonly spender: Spender
  readonly trials: readonly Trial[]
  recalled: Recalled | undefined
}

export function recall(run: Recalling): Recalled {
  const { store, spender } = run
  const revision = revisionOf(store)
  if (run.recalled?.revision === revision) return run.recalled
  const fingerprints = run.trials.map(({ fingerprint }) => fingerprint)
  run.recalled = {
    revision,
    outcomes: once(() => readOutcomes(store, { identity: spender.identity, fingerprints })),
    openJobs: once(() => listOpenJobs(store, spender)),
    knownJobs: once(() => readKnownJobs(store, spender)),
    unresolved: once(() => findUnresolved(store, spender)),
    parked: once(() => listParked(store, spender).length),
    spentAt: once(() => readSpent(store, { ...spender, now: Number.POSITIVE_INFINITY })),
  }
  return run.recalled
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}

/** When each unit was spent (ms, service time), oldest first, as of `now`. */
export function recallSpent(run: Recalling, now: number): readonly number[] {
  const spentAt = recall(run).spentAt()
  if (spentAt.at(-1) !== Number.POSITIVE_INFINITY) return spentAt
  return spentAt.map((at) => (at === Number.POSITIVE_INFINITY ? now : at)).sort((a, b) => a - b)
}
