/** One random study, screened, and held against brute force. */
import type { GridScreening } from '../../../src/workbench/screen/screen-grid.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-markets.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { type BruteConfig, behaviourOf, bruteForce, jumpOn } from './brute-force.ts'
import { type ScreenCase, someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './worker-group.ts'

export interface Screened {
  readonly screened: ScreenCase
  readonly screening: GridScreening
  readonly top: number
}

export interface Asked {
  readonly workers?: number
  readonly markets?: number
  readonly across?: Objective['across']
  /** Instead of one that the seed gives. */
  readonly objective?: Objective
}

export async function screenSome(
  seed: number,
  { workers, markets, across, objective: asked }: Asked = {},
): Promise<Screened> {
  const dice = createDice(seed)
  const objective = { ...(asked ?? someObjective(dice)), ...(across === undefined ? {} : { across }) }
  const screened = someScreenCase(dice, objective, 'small', markets)
  const { setting } = screened
  const top = dice.whole(1, 30)
  const crew = localCrew(setting, { size: workers ?? dice.whole(1, 4), dice })
  return { screened, screening: await screenGrid({ workerGroup: crew, setting, top }), top }
}

/** What a screen says, and what the whole backtest of every trial says: equal to the last bit and the last tie. */
export async function screenAndBruteForce(seed: number, asked: Asked = {}) {
  const { screened, screening, top } = await screenSome(seed, asked)
  const { plan, configs, ranked, distinct } = bruteForce(screened, jumpOn(screened))
  const told = ({ points, feasible, complete }: Pick<GridScreening, 'points' | 'feasible' | 'complete'>) => ({
    seed,
    points,
    feasible,
    complete,
  })
  const shown = distinct.slice(0, top)
  const { direction } = screened.study.objective
  const isAsGood = ({ value }: BruteConfig) => {
    const least = shown.at(top - 1)?.value ?? null
    return value === null || least === null || (direction === 'maximize' ? value >= least : value <= least)
  }
  const behaviours = new Set(shown.map(behaviourOf))
  const alike = ranked.filter((one) => isAsGood(one) && behaviours.has(behaviourOf(one)))
  return {
    found: {
      ...told(screening),
      top: screening.top.map(({ scale, behaviourHash, ...one }) => one),
      behaviours: new Set(screening.top.map(({ behaviourHash }) => behaviourHash)).size,
      folded: screening.folded,
      comparedOnly: screening.comparedOnly,
    },
    expected: {
      ...told({ points: plan.grid, feasible: plan.grid - plan.breaksLimit, complete: true }),
      top: shown,
      behaviours: shown.length,
      folded: alike.length - shown.length,
      comparedOnly: null,
    },
    simulated: screening.markets.map(({ simulated }) => simulated),
    configs: configs.length,
  }
}
