/**
 * What a run is to submit: the trials it was given, or what a search proposes, batch after batch. Proposals are in the store before
 * anything of them is sent; this is what is known of them.
 */
import type { KeptProposal } from '../store/kept-proposals.ts'
import type { TrialStage } from '../store/readers.ts'
import type { Proposal, SearchMethod } from '../study/proposals.ts'
import type { Trial } from '../study/study.ts'

type StopOfSearch = 'enough' | 'agreement' | null

export class Agenda {
  #trials: readonly Trial[]
  #proposals: readonly KeptProposal[] = []
  #method: SearchMethod | null = null
  #held: readonly Proposal[] = []
  #end: { readonly stoppedBy: StopOfSearch } | null = null

  constructor(trials: readonly Trial[]) {
    this.#trials = trials
  }

  get trials(): readonly Trial[] {
    return this.#trials
  }

  get proposals(): readonly KeptProposal[] {
    return this.#proposals
  }

  get method(): SearchMethod | null {
    return this.#method
  }

  /** What the search said when it ended; null while it goes on, where it asked for everything, and without a search. */
  get stoppedBy(): StopOfSearch {
    return this.#end?.stoppedBy ?? null
  }

  /** From now on the search is asked. */
  follow(method: SearchMethod): void {
    this.#method = method
  }

  /** These are all proposals there are. A trial that was proposed twice is one. */
  take(proposals: readonly KeptProposal[]): void {
    this.#proposals = proposals
    const trials = proposals.flatMap((proposal) => proposal.trials)
    this.#trials = [...new Map(trials.map((trial) => [trial.fingerprint, trial])).values()]
  }

  /** Proposals that are not written down yet, because there is no room for all of them. */
  get held(): readonly Proposal[] {
    return this.#held
  }

  hold(proposals: readonly Proposal[]): void {
    this.#held = proposals
  }

  end(stoppedBy: StopOfSearch): void {
    this.#end = { stoppedBy }
  }

  /** Whether the search has to be asked before it is known what is to be done. */
  isDue(stages: ReadonlyMap<string, TrialStage>): boolean {
    return this.#method !== null && this.#end === null && this.#held.length === 0 && haveEnded(this.#trials, stages)
  }
}

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'gone', 'stalled'])

/** Whether nothing more comes of any of these trials. */
export function haveEnded(trials: readonly Trial[], stages: ReadonlyMap<string, TrialStage>): boolean {
  return trials.every(({ fingerprint }) => ENDED.has(stages.get(fingerprint)?.state ?? 'planned'))
}

/** For `--json`: each proposed trial with its reason, in the order in which they were proposed. */
export function listProposed({ proposals }: Agenda): readonly { readonly trial: string; readonly reason: string }[] {
  return proposals.flatMap(({ trials, reason }) => trials.map(({ fingerprint }) => ({ trial: fingerprint, reason })))
}
