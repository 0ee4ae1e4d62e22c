/** One random study, screened, and held against brute force. */
import { runJump } from '../../../src/engine/jump/jump.ts'
import { type GridScreening, screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { bruteForce, type ScreenCase, someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'

export interface Screened {
  readonly screened: ScreenCase
  readonly screening: GridScreening
  readonly top: number
}

export async function screenSome(seed: number, size?: number, search?: Study['search']): Promise<Screened> {
  const dice = createDice(seed)
  const screened = someScreenCase(dice, someObjective(dice), 'small', search)
  const top = dice.whole(1, 30)
  const crew = localCrew(screened.setting, { size: size ?? dice.whole(1, 4), dice })
  const screening = await screenGrid({ crew, study: screened.study, portions: screened.setting.portions, top })
  return { screened, screening, top }
}

/** What a screen says, and what the whole backtest of every trial says: equal to the last bit and the last tie. */
export async function screenAndBruteForce(seed: number, score: 'point' | 'stressed' = 'point') {
  const { screened, screening, top } = await screenSome(seed, undefined, { method: 'grid', score })
  const { plan, trials, ranked, distinct } = bruteForce(
    screened,
    (input) => runJump(input, screened.setting.prepared),
    score === 'point' ? undefined : worseTerms(screened.study),
  )
  const told = ({ points, feasible, complete }: Pick<GridScreening, 'points' | 'feasible' | 'complete'>) => ({
    seed,
    points,
    feasible,
    complete,
  })
  const shown = distinct.slice(0, top)
  const { direction } = screened.study.objective
  const isAsGood = (trial: (typeof ranked)[number]) => {
    const [value, least] = [trial.score, shown.at(top - 1)?.score ?? null]
    return value === null || least === null || (direction === 'maximize' ? value >= least : value <= least)
  }
  const alike = ranked.filter(
    (trial) => isAsGood(trial) && shown.some(({ behaviourHash }) => behaviourHash === trial.behaviourHash),
  )
  return {
    found: { ...told(screening), top: screening.top, folded: screening.folded, comparedOnly: screening.comparedOnly },
    expected: {
      ...told({ points: plan.grid, feasible: plan.grid - plan.infeasible, complete: true }),
      top: shown,
      folded: alike.length - shown.length,
      comparedOnly: null,
    },
    simulated: screening.simulated,
    trials: trials.length,
  }
}

/** The terms of `score: stressed`, as the page of the method has them. */
function worseTerms({
  conventions,
  costs: { feePercent, slippagePercent },
}: Study): Pick<Study, 'conventions' | 'costs'> {
  return {
    conventions: { ...conventions, intrabar: 'pessimistic' },
    costs: {
      feePercent: feePercent > 0.2 ? feePercent : 0.2,
      slippagePercent: slippagePercent > 0.05 ? slippagePercent : 0.05,
    },
  }
}
