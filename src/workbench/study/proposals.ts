/**
 * What a search and a run exchange: a search proposes configurations, each with its reason, and gets what became of them. `run/` sends what is
 * proposed and `search/` proposes; neither knows the other.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../../contract/market.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import type { StatedByResult } from './settings.ts'

/**
 * What a proposal is for: `test` to learn the service's conventions, `sample` to compare the local engine with the service over the whole space,
 * `chosen` to confirm the best of a screen, `point` a drawn point, `winner` and `finalist` to be tested on the hold-out.
 */
const PROPOSAL_ROLES = ['test', 'sample', 'chosen', 'point', 'winner', 'finalist'] as const
export type ProposalRole = (typeof PROPOSAL_ROLES)[number]

export interface Proposal {
  readonly config: DcaSpotConfig
  readonly role: ProposalRole
  /** `top 3`, `sample 5`, `test 2`. */
  readonly reason: string
  /** On which it is to be run; a test backtest on the first alone. */
  readonly markets: readonly Market[]
}

/** What became of one trial of a proposal. */
export interface ProposalResult {
  readonly market: Market
  /** The fingerprint. */
  readonly trial: string
  readonly state: 'done' | 'failed'
  /** null where it failed. */
  readonly metrics: MetricsAsRead | null
  /** What it was computed under, as far as the service says; null where it failed. */
  readonly stated: StatedByResult | null
}

/** A proposal, and what became of its trials, in the order of its markets. */
export interface TestedProposal extends Proposal {
  /** From 1: proposals made at once. */
  readonly batch: number
  readonly results: readonly ProposalResult[]
}

export type Advice =
  | { readonly kind: 'propose'; readonly proposals: readonly Proposal[] }
  /** `enough`: the rest is not worth its units. `agreement`: the search distrusts its own screen. null: everything was asked. */
  | { readonly kind: 'end'; readonly stoppedBy: 'enough' | 'agreement' | null }

/** How a search stands, for people and for `--json`. */
export interface SearchState {
  /** What its test of agreement came to; null before it was made, or where the method makes none. */
  readonly agreement: Readonly<Record<string, unknown>> | null
  /** Sentences, most important first. */
  readonly lines: readonly string[]
}

export interface SearchMethod {
  /** Asked whenever every trial of every earlier proposal has ended. The same history gives the same answer, also after a restart. */
  propose(history: readonly TestedProposal[]): Promise<Advice>
  /** The same history gives the same words. */
  describe(history: readonly TestedProposal[]): SearchState
}

/** The name under which a search keeps what its last test of agreement came to: `{ passed, failed }`. */
export const AGREEMENT = 'agreement'

/** The parts of that test, and whether a failed one says that the local engine gets other results; a screen that chose no better than chance does not. */
const CONTRADICTS = { median: false, profits: false, signs: true, bounds: true }
export type AgreementPart = keyof typeof CONTRADICTS

/** What a store keeps of it, of which a merge may have brought anything; undefined = no test was made. */
export function readAgreement(
  kept: unknown,
):
  | { readonly passed: boolean; readonly failed: readonly AgreementPart[]; readonly isContradicted: boolean }
  | undefined {
  const { passed, failed }: Readonly<Record<string, unknown>> = Object(kept)
  if (typeof passed !== 'boolean') return undefined
  const parts = (Object.keys(CONTRADICTS) as AgreementPart[]).filter(
    (part) => Array.isArray(failed) && failed.includes(part),
  )
  return { passed, failed: parts, isContradicted: parts.some((part) => CONTRADICTS[part]) }
}

/** What a search keeps between two runs: values that JSON can hold, under a name. */
export interface SearchMemory {
  /** undefined = nothing is kept under this name. */
  read(name: string): unknown
  write(name: string, value: unknown): Promise<void>
}
