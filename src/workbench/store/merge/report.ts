/** What a merge did, as it is reported. */

/** New rows; `replies`, `results` and `tried` also count rows that were completed: of results, those that had been pruned here. */
export interface Added {
  services: number
  settings: number
  trials: number
  /** Of studies. */
  revisions: number
  runs: number
  attempts: number
  jobs: number
  replies: number
  results: number
  deals: number
  foreignJobs: number
  promotions: number
  botOrders: number
  screens: number
  tried: number
  tags: number
  notes: number
  proposals: number
  calibrations: number
  examinations: number
  driftChecks: number
  /** Of hold-outs. */
  openings: number
}

/** Rows of ours of which the other store knew what came of them. */
export interface Advanced {
  readonly attempts: number
  readonly jobs: number
  readonly promotions: number
}

/** So many are named of what may be as many as results; the others are counted. */
export const MOST_NAMED = 20

export interface Listed<T> {
  readonly count: number
  readonly first: readonly T[]
}

/** A result that both stores have and read otherwise. Ours stays. */
export interface OtherNumber {
  readonly identity: string
  /** The service's id of it. */
  readonly job: string
  /** Full fingerprint. */
  readonly trial: string
  /** The first of the stored columns in which they differ. */
  readonly column: string
  readonly ours: number | null
  readonly theirs: number | null
}

/** A result whose columns the reply beside it denies: what the reply says is taken in their place. */
export interface DeniedNumber {
  readonly identity: string
  readonly job: string
  readonly trial: string
  readonly column: string
  readonly stored: string | number | null
  /** What its reply says. */
  readonly reply: string | number | null
}

export interface MergeReport {
  readonly other: string
  /** Of the other file. */
  readonly layout: number
  readonly added: Added
  readonly advanced: Advanced
  /** Attempts without an answer there, which a person has to settle. */
  readonly undecided: number
  /** Studies whose hold-out was opened in both stores, one apart from the other: the earlier opening stays. */
  readonly openedTwice: readonly OpenedTwice[]
  /** Results in both stores whose numbers differ though neither is wrong about what it received. */
  readonly differing: Listed<OtherNumber>
  readonly denied: Listed<DeniedNumber>
  /** Results that could not be held against a reply: it was deleted, or cannot be read by the present rules. */
  readonly unproved: number
}

interface OpenedTwice {
  readonly study: string
  /** Times in ISO 8601 UTC. */
  readonly kept: { readonly at: string; readonly by: string }
  readonly dropped: { readonly at: string; readonly by: string }
}
