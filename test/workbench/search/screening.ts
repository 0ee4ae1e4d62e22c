/** Screen searches over a hundred configurations, whose twin and service follow a script. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import type { Market } from '../../../src/contract/market.ts'
import { createScreenSearch } from '../../../src/workbench/search/screen-search.ts'
import { readScreenState, type ScreenTask } from '../../../src/workbench/search/screen-state.ts'
import { readScreened } from '../../../src/workbench/search/screened.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import type { TestedProposal } from '../../../src/workbench/study/proposals.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { exampleConfig } from '../study/example.ts'
import { type Answer, createMemory, MARKETS, scriptedTwin } from './scripted.ts'

/** A hundred configurations; number `n` has a take profit of n + 1 percent. */
export const space = plainStudy({
  base: { ...exampleConfig },
  axes: [{ field: 'takeProfit', values: Array.from({ length: 100 }, (_, n) => n + 1) }],
})
export const grid = createGrid(space)
export const numberOf = (config: DcaSpotConfig) => config.takeProfit - 1
export const netProfit: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }

export function task(changes: Partial<ScreenTask> = {}): ScreenTask {
  const plan = { method: 'screen', configs: 40, samples: 8, calibrate: 'auto', seed: 1 } as const
  return { plan, objective: netProfit, markets: MARKETS.slice(0, 1), anyway: false, ...changes }
}

/** The values that twin and service compute, by the configuration's number. */
export interface Values {
  readonly localEngine: (number: number, market: Market) => NonNullable<Answer>
  readonly service: (number: number, market: Market) => Answer
  readonly tests?: readonly number[]
  /** By the twin, where it is not its net profit that orders them. */
  readonly best?: readonly number[]
}

export const profit = (value: number) => ({ netProfit: value, maxDrawdownPercent: 10 })
/** The twin likes low numbers, from 100 down to 1. */
export const falling = (number: number) => profit(100 - number)

export function setup(values: Values, given: ScreenTask = task()) {
  const { markets, objective } = given
  const best = values.best ?? Array.from({ length: 100 }, (_, number) => number)
  const twin = scriptedTwin({
    markets,
    objective,
    best: best.map((number) => grid.configAt(number)),
    localEngine: (config, market) => values.localEngine(numberOf(config), market),
    ...(values.tests === undefined ? {} : { tests: values.tests.map((number) => grid.configAt(number)) }),
  })
  const service = (config: DcaSpotConfig, market: Market) => values.service(numberOf(config), market)
  const memory = createMemory()
  const search = createScreenSearch({ task: given, space }, { localEngine: twin, memory })
  const stateOf = (history: readonly TestedProposal[]) => {
    const screened = readScreened(memory.read('screened'))
    if (screened === undefined) throw new Error('nothing was screened')
    return readScreenState(history, screened, given)
  }
  return { search, service, localEngine: twin, memory, stateOf, task: given, values }
}
