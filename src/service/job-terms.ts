/**
 * What a job is computed with beside its own fields: conventions, costs, the exchange's rules for the symbol. Each is what the job's
 * body asks in `settings`, or else the service's own; all are fixed when the job is accepted.
 */
import type { Conventions, Costs, SymbolRules } from '../engine/conventions.ts'

/** What this service computes with where a job asks nothing else; symbol rules are those of its candle folder. */
export interface ServiceTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

export interface JobTerms extends ServiceTerms {
  readonly symbol: SymbolRules
}
