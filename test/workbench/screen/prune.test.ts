/** A pruned screen: the same top without running most points. `LONG=1`: more studies. */
import { describe, expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { CONVENTION_PRESETS, NO_SYMBOL_RULES, type SymbolRules } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { planPortions } from '../../../src/workbench/screen/portions.ts'
import { wouldPruningPay } from '../../../src/workbench/screen/prune/demand-prunable.ts'
import { pruneGrid } from '../../../src/workbench/screen/prune/prune-grid.ts'
import { type ScreenProgress, screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import type { Objective, Study } from '../../../src/workbench/study/study.ts'
import { createDice, seedsFrom } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { share } from '../../support/share.ts'
import { screenAndBruteForce } from './agreement.ts'
import { localCrew } from './crew.ts'

const STUDIES = share({ usual: 12, long: 2000 })
const GRIDS = share({ usual: 1, long: 60 })

function objectiveOf(seed: number): Objective {
  const dice = createDice(seed)
  const bounds = [
    { metric: 'closedDeals', bounds: { min: dice.whole(0, 3) } },
    { metric: 'maxDrawdownPercent', bounds: { max: dice.between(0.5, 30) } },
    { metric: 'profitFactor', bounds: { min: dice.between(0.5, 2) } },
  ] as const
  const metric = dice.chance(0.5) ? 'netProfit' : 'roiPercent'
  return { direction: 'maximize', metric, where: bounds.filter(() => dice.chance(0.2)) }
}

describe('a pruned screen', () => {
  it('has the top of the whole backtest of every trial, to the last bit and the last tie, inside any bounds', async () => {
    for (const seed of seedsFrom(7001, STUDIES)) {
      const { found, expected, pruned, configs } = await screenAndBruteForce(seed, {
        objective: objectiveOf(seed),
        score: seed % 4 === 0 ? 'stressed' : 'point',
        prune: true,
      })
      expect({ ...found, feasible: 0 }).toEqual({ ...expected, feasible: 0 })
      expect((pruned?.computed ?? 0) + (pruned?.dropped ?? 0)).toBe(configs)
    }
  })

  it('has it on several markets, however their values become one', async () => {
    for (const seed of seedsFrom(8001, STUDIES / 3)) {
      const across = (['mean', 'median', 'worst'] as const)[seed % 3]
      const asked = { objective: objectiveOf(seed), markets: 3, across, prune: true }
      const { found, expected } = await screenAndBruteForce(seed, asked)
      expect({ ...found, feasible: 0 }).toEqual({ ...expected, feasible: 0 })
    }
  })

  it('has the top of a whole screen of grids of which it drops a part, and runs the same points with any number of workers', async () => {
    let dropped = 0
    for (const seed of seedsFrom(9001, GRIDS)) {
      const { setting } = someGrid(seed)
      let last: Pick<ScreenProgress, 'done' | 'total' | 'dropped'> = { done: 0, total: Number.NaN }
      const screen = (find: typeof pruneGrid, size: number) =>
        find({
          ...{ crew: localCrew(setting, { size, dice: createDice(seed) }), setting, top: 20 },
          onProgress: (progress) => {
            last = progress
          },
        })
      const whole = await screen(screenGrid, 1)
      const [alone, together] = [await screen(pruneGrid, 1), await screen(pruneGrid, 3)]
      expect(together).toEqual(alone)
      const { top, folded, comparedOnly, points, complete } = alone
      expect({ top, folded, comparedOnly, points, complete }).toEqual({
        top: whole.top,
        folded: whole.folded,
        comparedOnly: whole.comparedOnly,
        points: whole.points,
        complete: true,
      })
      expect(last.done + (last.dropped?.() ?? 0)).toBe(last.total)
      expect(last.done).toBeLessThanOrEqual(alone.pruned?.computed ?? 0)
      expect(alone.pruned?.looks).toEqual(whole.markets.map(({ simulated }) => simulated))
      dropped += alone.pruned?.dropped ?? 0
    }
    expect(dropped / (4320 * GRIDS)).toBeGreaterThan(0.05) // of some grids nothing can be dropped
  })
})

it('pruning is hinted at where it would pay: a large grid, ranked by what there is a bound for', () => {
  const values = Array.from({ length: 3000 }, (_, at) => 0.5 + at / 1000)
  const axes = [
    { field: 'takeProfit', values },
    { field: 'stopLoss', values },
  ] as const
  const study = plainStudy({ axes })
  const year = 525_600
  expect(wouldPruningPay(study, year)).toBe(true)
  expect(wouldPruningPay(study, 1000)).toBe(false)
  expect(wouldPruningPay(plainStudy({ axes: axes.slice(0, 1) }), year)).toBe(false)
  const { objective } = study
  expect(wouldPruningPay({ ...study, objective: { ...objective, metric: 'roiPercent' } }, year)).toBe(true)
  expect(wouldPruningPay({ ...study, objective: { ...objective, metric: 'sharpe' } }, year)).toBe(false)
  expect(wouldPruningPay({ ...study, objective: { ...objective, direction: 'minimize' } }, year)).toBe(false)
  expect(wouldPruningPay({ ...study, search: { method: 'grid', score: 'plateau', logFields: [] } }, year)).toBe(false)
})

/** 4,320 points on four months of quarter-hours. */
function someGrid(seed: number) {
  const dice = createDice(seed)
  const candles = generateCandles({ seed, interval: '15m', from: Date.UTC(2024, 0, 1), days: 120 })
  const symbol: SymbolRules = dice.chance(0.5) ? NO_SYMBOL_RULES : { tick: 0.01, lot: 0.00001, minNotional: 5 }
  const study: Study = plainStudy({
    name: `grid ${seed}`,
    conventions: { ...CONVENTION_PRESETS.default, intrabar: dice.of(['pessimistic', 'optimistic', 'low-first']) },
    base: { investment: 1000, leverage: 1, dcaTotalBudget: 1000, dcaInitialOrderSize: 10 },
    axes: [
      { field: 'takeProfit', values: [0.6, 1, 1.5, 2, 2.5, 3] },
      { field: 'dcaPriceScalePercent', values: [0.6, 0.9, 1.2, 1.8, 2.4] },
      { field: 'dcaVolumeScale', values: [1, 1.2, 1.4, 1.6] },
      { field: 'dcaPriceStepMultiplier', values: [1, 1.2] },
      { field: 'stopLoss', values: [0, 10, 20] },
      { field: 'dcaMaxSafetyOrders', values: [3, 4, 5, 6, 7, 8] },
    ],
    where: [{ measure: 'ladderCost', bounds: { max: 1000 } }],
  })
  const prepared = prepareCandles(candles)
  const markets = [{ market: study.markets[0], prepared, symbol }]
  return { setting: { study, portions: planPortions(study, prepared.count), markets, points: null } }
}
