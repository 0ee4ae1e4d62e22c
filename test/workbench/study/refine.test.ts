/** A study drawn closer around its best configuration is a valid study that still has that configuration. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ladderShape } from '../../../src/engine/ladder.ts'
import { configWith } from '../../../src/workbench/study/grid.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { refineStudy } from '../../../src/workbench/study/refine.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { exampleConfig, exampleStudy, parseData } from './example.ts'

const demo = parseStudy(readFileSync(join(projectRoot, 'studies/demo.yaml'), 'utf8'), { file: 'demo.yaml' })
const origin = ['Refined from demo@1.']

it('keeps what it does not refine, with its comments, and says at the top where it comes from', () => {
  const winner = configWith(demo.base, demo.axes, (axis) => demo.axes[axis].values[1])
  const { text, study } = refineStudy(demo, { winner, name: 'demo-refined', origin })
  expect(text).toMatch(
    /^# yaml-language-server: .*\n#\n# The study of [\s\S]*\n#\n# Refined from demo@1\.\nname: demo-refined\n/,
  )
  expect(text).toContain('# the cash the bot starts with; ROI is measured against it')
  expect(text).toContain('dcaMaxSafetyOrders: [ 5, 6, 7 ]\n')
  expect(text).toContain('takeProfit: { from: 0.707106781186548, to: 1.4142135623731, count: 3, scale: log }\n')
  expect(study.axes.map(({ values }) => values)).toEqual([
    [5, 6, 7],
    [0.75, 1, 1.25],
    [1.3, 1.4, 1.5, 1.6],
    [Math.SQRT1_2, 1, Math.SQRT2].map((value) => Number(value.toPrecision(15))),
  ])
  const { axes: _, name: __, fingerprint: ___, source: ____, ...rest } = study
  expect(demo).toMatchObject(rest)
})

it('holds out the same span', () => {
  const study = parseData(exampleStudy({ takeProfit: [1, 2] }, { validate: { holdout: '25%', embargo: '1d' } }))
  const refined = refineStudy(study, { winner: exampleConfig, name: 'finer', origin })
  expect([refined.study.period, refined.study.holdout]).toEqual([study.period, study.holdout])
})

it('a file of JSON stays one', () => {
  const study = parseData(exampleStudy({ takeProfit: [1, 2] }))
  const { text } = refineStudy(study, { winner: { ...exampleConfig, takeProfit: 2 }, name: 'finer', origin })
  expect(JSON.parse(text)).toMatchObject({ name: 'finer', grid: { takeProfit: [1.5, 2, 2.5, 3] } })
})

it('a continuous axis becomes half as wide', () => {
  const study = parseData(
    exampleStudy({ takeProfit: { from: 1, to: 3 } }, { search: { method: 'sobol', configs: 5, seed: 7 } }),
  )
  const { study: finer, axes } = refineStudy(study, {
    winner: { ...exampleConfig, takeProfit: 2.87 },
    name: 'finer',
    origin,
  })
  expect(axes).toEqual([
    { field: 'takeProfit', winner: 2.87, values: [2.37, 3.37], isContinuous: true, extended: ['above'] },
  ])
  expect(finer.search).toEqual(study.search)
})

it('any point of any study can be refined, again and again: the winner is a trial of the finer study', () => {
  const axis = fc.oneof(
    fc.uniqueArray(
      fc.integer({ min: 1, max: 200 }).map((n) => n / 10),
      { minLength: 1, maxLength: 4 },
    ),
    fc.record({
      from: fc.constant(0.3),
      to: fc.constant(7),
      count: fc.integer({ min: 2, max: 9 }),
      scale: fc.constant('log'),
    }),
    fc.record({ from: fc.constant(0.3), to: fc.constant(7), count: fc.integer({ min: 2, max: 9 }) }),
  )
  const grid = fc.record({
    takeProfit: axis,
    dcaPriceScalePercent: axis,
    dcaMaxSafetyOrders: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }),
    stopLoss: fc.uniqueArray(fc.constantFrom(0, 5, 7.5, 90), { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(grid, fc.nat(), (varied, n) => {
      let study = parseData(exampleStudy(varied))
      for (const round of [1, 2]) {
        const { trials } = planTrials(study)
        const winner = trials[n % trials.length]
        study = refineStudy(study, { winner: winner.config, name: `round-${round}`, origin }).study
        expect(planTrials(study).trials.map(({ fingerprint }) => fingerprint)).toContain(winner.fingerprint)
      }
    }),
    { numRuns: 60 },
  )
})

it('takes other costs, and a base order with which the dearest ladder costs the capital', () => {
  const study = parseData(exampleStudy({ dcaVolumeScale: [1.2, 1.4], takeProfit: [1, 2] }))
  const costs = { feePercent: 0.04, slippagePercent: 0.02 }
  const winner = { ...exampleConfig, dcaVolumeScale: 1.4, takeProfit: 2 }
  const { study: refined } = refineStudy(study, { winner, name: 'finer', origin, costs, fitsBudget: true })
  expect(refined.costs).toEqual(costs)
  const dearest = Math.max(...(refined.axes.find(({ field }) => field === 'dcaVolumeScale')?.values ?? []))
  // Written out: the base order, and five safety orders of which each is so many times the one before.
  const units = [0, 1, 2, 3, 4, 5].reduce((sum, order) => sum + dearest ** order, 0)
  const size = refined.base.dcaInitialOrderSize ?? Number.NaN
  expect(size * units * 1.0004).toBeLessThanOrEqual(1000)
  expect(size * units * 1.0004).toBeCloseTo(1000, 3)
  const shapes = planTrials(refined).trials.map(({ config }) => ladderShape(config, refined.conventions, refined.costs))
  expect(Math.max(...shapes.map(({ cost }) => cost))).toBeCloseTo(1000, 3)
  expect(shapes.every(({ cutByBudget }) => cutByBudget === 0)).toBe(true)
})

it('finds no base order where it is varied, or where the safety orders alone cost more', () => {
  const varied = parseData(exampleStudy({ dcaInitialOrderSize: [10, 20] }))
  const fitting = (study: typeof varied) => () =>
    refineStudy(study, { winner: exampleConfig, name: 'finer', origin, fitsBudget: true })
  expect(fitting(varied)).toThrow('the grid varies it')
  const conventions = { preset: 'three-commas', safetyOrderSize: 900 }
  expect(fitting(parseData(exampleStudy({ takeProfit: [1.5, 2] }, { conventions })))).toThrow(
    'cost more than the capital',
  )
})
