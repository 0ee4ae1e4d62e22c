/** One random study, screened, and held against brute force. */
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
  const { plan, trials, ranked } = bruteForce(screened, (input) => runJump(input, screened.setting.prepared))
  const told = ({ points, feasible, complete }: Pick<GridScreening, 'points' | 'feasible' | 'complete'>) => ({
    seed,
    points,
    feasible,
    complete,
  })
  return {
    found: { ...told(screening), top: screening.top },
    expected: {
      ...told({ points: plan.grid, feasible: plan.grid - plan.infeasible, complete: true }),
      top: ranked.slice(0, top),
    },
    simulated: screening.simulated,
    trials: trials.length,
  }
}
