/** Every search method by its name, and how it is made. What a study file says of it: its row in `../study/study.ts`. */

import type { Market } from '../../contract/market.ts'
import type { Advice, SearchMemory, SearchMethod, TestedProposal } from '../study/proposals.ts'
import type { MethodName, PlanOf, Study } from '../study/study.ts'
import { describeCalibration } from './describe-screen.ts'
import type { Detective } from './detective/detective.ts'
import type { Explanation } from './detective/explain.ts'
import type { ProbeAnswer } from './detective/remaining.ts'
import { createDrawSearch } from './draw-search.ts'
import { createScreenSearch, type LocalEngine } from './screen-search.ts'

/** What a search works with beside its study. */
interface SearchParts {
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

// The detective as a search: probes on one market, one at a time, until nothing more can be told apart.

interface CalibrationTask {
  readonly market: Market
  /** Called when it is first needed: it takes seconds to open. */
  readonly openDetective: () => Promise<Detective>
  /** What the answers came to, once no probe is left; null when none of them shows anything. */
  readonly onConcluded: (explanation: Explanation | null) => Promise<void>
}

/** Proposes probes and nothing else. */
export function createCalibrationSearch({ market, openDetective, onConcluded }: CalibrationTask): SearchMethod {
  let detective: Detective | undefined
  return {
    propose,
    describe: (history) => ({ agreement: null, lines: describeCalibration(answersOf(history).length) }),
  }

  async function propose(history: readonly TestedProposal[]): Promise<Advice> {
    detective ??= await openDetective()
    const answers = answersOf(history)
    const config = await detective.nextProbe(answers)
    if (config === null) {
      await onConcluded(await detective.conclude(answers))
      return { kind: 'end', stoppedBy: null }
    }
    const reason = `probe ${answers.length + 1}`
    return { kind: 'propose', proposals: [{ config, role: 'probe', reason, markets: [market] }] }
  }
}

/** The probes of a history, and what the service made of them. */
export function answersOf(history: readonly TestedProposal[]): readonly ProbeAnswer[] {
  return history
    .filter(({ role }) => role === 'probe')
    .flatMap(({ config, results }) => results.slice(0, 1).map(({ trial, metrics }) => ({ trial, config, metrics })))
}
