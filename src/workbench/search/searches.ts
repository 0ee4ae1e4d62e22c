/** Every search method by its name, and how it is made. What a study file says of it: its row in `../study/study.ts`. */
import type { SearchMemory, SearchMethod } from '../study/proposals.ts'
import type { MethodName, PlanOf, Study } from '../study/study.ts'
import { createDrawSearch } from './draw-search.ts'
import { createScreenSearch, type LocalEngine } from './screen-search.ts'

/** What a search works with beside its study. */
export interface SearchParts {
  readonly study: Study
  readonly memory: SearchMemory
  readonly localEngine: LocalEngine
  /** Go on although the agreement test failed. */
  readonly anyway: boolean
}

type Make<Name extends MethodName> = (plan: PlanOf<Name>, parts: SearchParts) => SearchMethod

/** null = nothing is searched: all points of the study's plan are its trials. */
export const SEARCHES: { readonly [Name in MethodName]: Make<Name> | null } = {
  grid: null,
  random: ({ method, configs, seed }, { study }) =>
    createDrawSearch({ by: method, configs, seed, markets: study.markets }, study),
  sobol: ({ method, configs, seed }, { study }) =>
    createDrawSearch({ by: method, configs, seed, markets: study.markets }, study),
  screen: (plan, { study, localEngine, memory, anyway }) => {
    const { markets, objective } = study
    return createScreenSearch({ task: { plan, objective, markets, anyway }, space: study }, { localEngine, memory })
  },
}

/** The search of a study; null where its method searches nothing. */
export function createSearch(parts: SearchParts): SearchMethod | null {
  return makeFrom(parts.study.search, parts)
}

function makeFrom<Name extends MethodName>(plan: PlanOf<Name>, parts: SearchParts): SearchMethod | null {
  const make: Make<Name> | null = SEARCHES[plan.method]
  return make === null ? null : make(plan, parts)
}
