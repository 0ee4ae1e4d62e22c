/** Every search method by its name, and how it is made. What a study file says of it: its row in `../study/study.ts`. */

import type { Market } from '../../contract/market.ts'
import type { Advice, SearchMemory, SearchMethod, TestedProposal } from '../study/proposals.ts'
import type { MethodName, PlanOf, Study } from '../study/study.ts'
import type { Calibrator } from './calibration/calibrator.ts'
import type { Explanation, TestAnswer } from './calibration/explain.ts'
import { describeCalibration } from './describe-screen.ts'
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

// Calibration as a search: test backtests on one market, one at a time, until nothing more can be told apart.

interface CalibrationTask {
  readonly market: Market
  /** Called when it is first needed: it takes seconds to open. */
  readonly openCalibrator: () => Promise<Calibrator>
  /** What the answers came to, once no test backtest is left; null when none of them shows anything. */
  readonly onConcluded: (explanation: Explanation | null) => Promise<void>
}

/** Proposes test backtests and nothing else. */
export function createCalibrationSearch({ market, openCalibrator, onConcluded }: CalibrationTask): SearchMethod {
  let calibrator: Calibrator | undefined
  return {
    propose,
    describe: (history) => ({ agreement: null, lines: describeCalibration(answersOf(history).length) }),
  }

  async function propose(history: readonly TestedProposal[]): Promise<Advice> {
    calibrator ??= await openCalibrator()
    const answers = answersOf(history)
    const config = await calibrator.nextTest(answers)
    if (config === null) {
      await onConcluded(await calibrator.conclude(answers))
      return { kind: 'end', stoppedBy: null }
    }
    const reason = `test ${answers.length + 1}`
    return { kind: 'propose', proposals: [{ config, role: 'test', reason, markets: [market] }] }
  }
}

/** The test backtests of a history, and what the service made of them. */
export function answersOf(history: readonly TestedProposal[]): readonly TestAnswer[] {
  return history
    .filter(({ role }) => role === 'test')
    .flatMap(({ config, results }) => results.slice(0, 1).map(({ trial, metrics }) => ({ trial, config, metrics })))
}
