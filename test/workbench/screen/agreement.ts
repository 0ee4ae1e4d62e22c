/** One random study, screened, and held against brute force. */
import { type GridScreening, screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import type { Objective, Study } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { type BruteConfig, behaviourOf, bruteForce, jumpOn } from './brute-force.ts'
import { type ScreenCase, someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './crew.ts'

export interface Screened {
  readonly screened: ScreenCase
  readonly screening: GridScreening
  readonly top: number
}

export interface Asked {
  readonly workers?: number
  readonly search?: Study['search']
  readonly markets?: number
  readonly across?: Objective['across']
  /** Instead of one that the seed gives. */
  readonly objective?: Objective
}

export async function screenSome(
  seed: number,
  { workers, search, markets, across, objective: asked }: Asked = {},
): Promise<Screened> {
  const dice = createDice(seed)
  const objective = { ...(asked ?? someObjective(dice)), ...(across === undefined ? {} : { across }) }
  const screened = someScreenCase(dice, objective, 'small', search, markets)
  const { setting } = screened
  const top = dice.whole(1, 30)
  const crew = localCrew(setting, { size: workers ?? dice.whole(1, 4), dice })
  return { screened, screening: await screenGrid({ crew, setting, top }), top }
}

/** What a screen says, and what the whole backtest of every trial says: equal to the last bit and the last tie. */
export async function screenAndBruteForce(
  seed: number,
  { score = 'point', ...asked }: Omit<Asked, 'search'> & { readonly score?: 'point' | 'stressed' } = {},
) {
  const { screened, screening, top } = await screenSome(seed, { ...asked, search: { method: 'grid', score } })
  const { plan, configs, ranked, distinct } = bruteForce(
    screened,
    jumpOn(screened),
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
  const isAsGood = ({ score: value }: BruteConfig) => {
    const least = shown.at(top - 1)?.score ?? null
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
      ...told({ points: plan.grid, feasible: plan.grid - plan.infeasible, complete: true }),
      top: shown,
      behaviours: shown.length,
      folded: alike.length - shown.length,
      comparedOnly: null,
    },
    simulated: screening.markets.map(({ simulated }) => simulated),
    configs: configs.length,
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
