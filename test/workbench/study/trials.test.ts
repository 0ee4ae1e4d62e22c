import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { ladderShape } from '../../../src/engine/ladder.ts'
import { configFingerprint, trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { createGrid, enumerateConfigs } from '../../../src/workbench/study/grid.ts'
import { planTrials } from '../../../src/workbench/study/parse.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { exampleConfig, exampleStudy, parseData, problemsOf } from './example.ts'

const axisValues: Readonly<Partial<Record<ConfigField, readonly number[]>>> = {
  dcaMaxSafetyOrders: [0, 1, 2, 5, 8],
  dcaPriceScalePercent: [0.5, 1, 2.5, 20],
  dcaPriceStepMultiplier: [1, 1.2, 2],
  dcaVolumeScale: [1, 1.4, 2],
  takeProfit: [0.5, 1, 2],
  stopLoss: [0, 5, 25],
}

const anyGrid = fc
  .shuffledSubarray(Object.entries(axisValues), { minLength: 1 })
  .chain((axes) =>
    fc.tuple(
      ...axes.map(([field, values]) =>
        fc.tuple(fc.constant(field), fc.shuffledSubarray([...values], { minLength: 1 })),
      ),
    ),
  )
  .map((axes): Record<string, number[]> => Object.fromEntries(axes))

const anyWhere = fc.record(
  {
    ladderCost: fc.constantFrom({ max: 200 }, { min: 50, max: 1000 }),
    ladderDepthPercent: fc.constantFrom({ max: 40 }, { min: 2 }),
    safetyOrders: fc.constantFrom({ min: 1 }, { max: 4 }),
    lastToFirstSize: fc.constantFrom({ max: 8 }),
    stopLossToDepth: fc.constantFrom({ min: 1 }, { max: 2 }),
  },
  { requiredKeys: [] },
)

/** Every combination by nested loops, first axis outermost: the plain way that does not fit in memory. */
function combinations(study: Study): DcaSpotConfig[] {
  const start = { ...exampleConfig, ...study.base }
  return study.axes.reduce<DcaSpotConfig[]>(
    (configs, { field, values }) => configs.flatMap((config) => values.map((value) => ({ ...config, [field]: value }))),
    [start],
  )
}

function isFeasible(study: Study, config: DcaSpotConfig): boolean {
  const shape = ladderShape(config, study.conventions, study.costs)
  const measures = {
    ladderCost: shape.cost,
    ladderDepthPercent: shape.depthPercent,
    safetyOrders: shape.rungs,
    lastToFirstSize: shape.lastToFirstSize,
    stopLossToDepth: shape.stopLossToDepth ?? Infinity,
  }
  return study.where.every(({ measure, bounds: { min = -Infinity, max = Infinity } }) => {
    return measures[measure] >= min && measures[measure] <= max
  })
}

describe('the plan of a study', () => {
  it('is what nested loops, the bounds and the fingerprints give, in the same order', () => {
    fc.assert(
      fc.property(anyGrid, anyWhere, (grid, where) => {
        const study = parseData(exampleStudy(grid, { where }))
        const {
          markets: [market],
          period,
        } = study
        const all = combinations(study)
        const feasible = all.filter((config) => isFeasible(study, config))
        const first = new Map<string, DcaSpotConfig>()
        for (const config of feasible) {
          const fingerprint = trialFingerprint({ market, period, config })
          if (!first.has(fingerprint)) first.set(fingerprint, config)
        }
        const plan = planTrials(study)
        expect(plan.trials.map(({ fingerprint, config }) => [fingerprint, config])).toEqual([...first])
        expect(plan.grid).toBe(all.length)
        expect(plan.breaksLimit).toBe(all.length - feasible.length)
        expect(plan.duplicates).toBe(feasible.length - first.size)
      }),
    )
  })

  it('has each of its configs at the point of the trial, whatever idle fields say, and no other config', () => {
    fc.assert(
      fc.property(anyGrid, (data) => {
        const study = parseData(exampleStudy(data))
        const grid = createGrid(study)
        for (const { index, config, fate } of grid.walk(0, grid.points)) {
          const found = grid.findPoint(config)
          if (fate === 'trial') expect(found).toBe(index)
          else expect(configFingerprint(grid.configAt(found ?? -1))).toBe(configFingerprint(config))
          expect(grid.findPoint({ ...config, takeProfit: 77 })).toBeNull()
          expect(grid.findPoint({ ...config, investment: config.investment + 1 })).toBeNull()
        }
      }),
      { numRuns: 30 },
    )
  })

  it('counts the points of the grid as the product of its axes', () => {
    fc.assert(
      fc.property(anyGrid, (grid) => {
        const points = [...enumerateConfigs(parseData(exampleStudy(grid)))]
        expect(points.length).toBe(Object.values(grid).reduce((product, values) => product * values.length, 1))
        expect(points.map(({ index }) => index)).toEqual(points.map((_, index) => index))
      }),
    )
  })

  it('varies the first axis of the file slowest', () => {
    const study = parseData(exampleStudy({ takeProfit: [2, 1], dcaMaxSafetyOrders: [5, 3] }))
    const seen = planTrials(study).trials.map(({ config }) => [config.takeProfit, config.dcaMaxSafetyOrders])
    expect(seen).toEqual([
      [2, 5],
      [2, 3],
      [1, 5],
      [1, 3],
    ])
  })

  it('gives every trial every config field, defaults included', () => {
    const { leverage, stopLoss, takeProfit, ...base } = exampleConfig
    const [trial] = planTrials(parseData(exampleStudy({ takeProfit: [1] }, { base }))).trials
    expect(Object.keys(trial.config)).toEqual([...CONFIG_FIELDS])
    expect(trial.config).toMatchObject({ leverage: 1, stopLoss: 0 })
  })

  it('keeps a ladder that costs exactly its bound with fees', () => {
    const study = exampleStudy(
      { takeProfit: [1] },
      {
        base: { ...exampleConfig, dcaInitialOrderSize: 100, dcaMaxSafetyOrders: 2, dcaVolumeScale: 1, takeProfit: 1 },
        where: { ladderCost: { min: 300.3, max: 300.3 } },
      },
    )
    const { takeProfit, ...base } = study.base as Record<string, number> // the base just given
    expect(planTrials(parseData({ ...study, base })).trials.length).toBe(1)
  })

  it('is refused above its limit, with the place of the grid', () => {
    const study = parseData(exampleStudy({ takeProfit: { from: 0.01, to: 100, step: 0.01 }, stopLoss: [0, 99] }))
    const [{ place, message }] = problemsOf(() => planTrials(study))
    expect(place).toMatch(/^example:1:\d+$/)
    expect(message).toBe('grid: more than 10000 distinct trials within limits; expected at most 10000 to run')
    expect(planTrials(study, { limit: 20_000 }).trials.length).toBe(20_000)
  })

  it('needs no memory for points it does not keep: two million duplicates pass through', () => {
    const study = parseData(
      exampleStudy({
        dcaMaxSafetyOrders: [0],
        dcaVolumeScale: { from: 0.01, to: 10, step: 0.01 },
        dcaPriceScalePercent: { from: 0.01, to: 20, step: 0.01 },
      }),
    )
    let trials = 0
    let duplicates = 0
    for (const { fate } of enumerateConfigs(study)) {
      if (fate === 'trial') trials++
      else duplicates++
    }
    expect([trials, duplicates]).toEqual([1, 1_999_999])
  })
})
