/** One random study, screened, and held against brute force. */
import { metricValue } from '../../../src/contract/metrics.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { type GridScreening, screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { bruteForce, type ScreenCase, someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'

export interface Screened {
  readonly screened: ScreenCase
  readonly screening: GridScreening
  readonly top: number
}

export async function screenSome(seed: number, size?: number): Promise<Screened> {
  const dice = createDice(seed)
  const screened = someScreenCase(dice, someObjective(dice))
  const top = dice.whole(1, 30)
  const crew = localCrew(screened.setting, { size: size ?? dice.whole(1, 4), dice })
  const screening = await screenGrid({ crew, study: screened.study, portions: screened.setting.portions, top })
  return { screened, screening, top }
}

/** What a screen says, and what the whole backtest of every trial says: equal to the last bit and the last tie. */
export async function screenAndBruteForce(seed: number) {
  const { screened, screening, top } = await screenSome(seed)
  const { plan, trials, ranked, distinct } = bruteForce(screened, (input) => runJump(input, screened.setting.prepared))
  const told = ({ points, feasible, complete }: Pick<GridScreening, 'points' | 'feasible' | 'complete'>) => ({
    seed,
    points,
    feasible,
    complete,
  })
  const shown = distinct.slice(0, top)
  const { metric, direction } = screened.study.objective
  const isAsGood = (trial: (typeof ranked)[number]) => {
    const [value, least] = [trial, shown.at(top - 1)].map((each) =>
      each === undefined ? null : metricValue(each.metrics, metric),
    )
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
