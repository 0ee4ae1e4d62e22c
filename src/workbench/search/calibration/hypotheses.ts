/** What a service may compute by: every set of conventions, each under costs that fit it. */
import {
  CHOICE_NAMES,
  CONVENTION_VALUES,
  type Conventions,
  type Costs,
  forEachChoice,
} from '../../../engine/conventions.ts'

/** What a profit is predicted under: one explanation of a service's results. */
export interface AssumedTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

/** Percent, where nothing was solved for: nothing, and what exchanges commonly take of a spot trade. */
const FEES: readonly number[] = [0, 0.05, 0.075, 0.1, 0.2]
const SLIPPAGES: readonly number[] = [0, 0.05]

/** Every set of conventions under the usual costs and one's own. */
export function listHypotheses(own: AssumedTerms): readonly AssumedTerms[] {
  const fees = withOwn(FEES, own.costs.feePercent)
  const slippages = withOwn(SLIPPAGES, own.costs.slippagePercent)
  const costs = fees.flatMap((feePercent) => slippages.map((slippagePercent) => ({ feePercent, slippagePercent })))
  return listSets(own).flatMap((conventions) => costs.map((each) => ({ conventions, costs: each })))
}

function withOwn(values: readonly number[], own: number): readonly number[] {
  return [...new Set([...values, own])].sort((one, other) => one - other)
}

/**
 * The 640 sets of conventions. Explicit sizing goes with the quote size of the first safety order, which cannot be listed: it is suspected
 * (320 sets more) only where one's own conventions name a size, and with that size.
 */
export function listSets({ conventions: { safetyOrderSize } }: AssumedTerms): readonly Conventions[] {
  const valuesOf = forEachChoice((name): readonly string[] => CONVENTION_VALUES[name])
  let sets: readonly Readonly<Record<string, string>>[] = [{}]
  for (const name of CHOICE_NAMES)
    sets = sets.flatMap((set) => valuesOf[name].map((value) => ({ ...set, [name]: value })))
  return sets.flatMap((set) => {
    const isExplicit = set.safetyOrderSizing === 'explicit'
    if (isExplicit && safetyOrderSize === null) return []
    const conventions: unknown = { ...set, safetyOrderSize: isExplicit ? safetyOrderSize : null }
    return [conventions as Conventions] // each choice has one of its own values
  })
}

/** In what hypotheses differ: the choices, and the costs. */
export const TRAITS = [...CHOICE_NAMES, 'feePercent', 'slippagePercent'] as const
export type Trait = (typeof TRAITS)[number]

export function traitOf({ conventions, costs }: AssumedTerms, trait: Trait): string | number {
  return trait === 'feePercent' || trait === 'slippagePercent' ? costs[trait] : conventions[trait]
}

export function countDifferences(one: AssumedTerms, other: AssumedTerms): number {
  return TRAITS.filter((trait) => traitOf(one, trait) !== traitOf(other, trait)).length
}
