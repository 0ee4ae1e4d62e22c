import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_BOUNDS, type ConfigField, findBoundProblem } from '../../../src/contract/bot.ts'
import { type ConfigSpace, drawConfigs } from '../../../src/workbench/search/draw-configs.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { createGrid, isFeasible } from '../../../src/workbench/study/grid.ts'
import type { Axis } from '../../../src/workbench/study/study.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { exampleConfig } from '../study/example.ts'

const space = (axes: readonly Axis[], where: ConfigSpace['where'] = []) =>
  plainStudy({ base: { ...exampleConfig }, axes, where })
const continuous = (field: ConfigField, from: number, to: number, scale: 'linear' | 'log' = 'linear'): Axis => ({
  field,
  values: [from, to],
  continuous: { from, to, scale },
})
const valuesOf = (field: ConfigField, drawn: ReturnType<typeof drawConfigs>) =>
  drawn.configs.map(({ config }) => config[field])

const anyBy = fc.constantFrom('random', 'sobol')
const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const levels = (value: fc.Arbitrary<number>) => fc.uniqueArray(value, { minLength: 1, maxLength: 5 })
const listed = (field: ConfigField, value: fc.Arbitrary<number>) => levels(value).map((values) => ({ field, values }))
const tenths = fc.integer({ min: 1, max: 60 }).map((n) => n / 10)
const range = (field: ConfigField) =>
  fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 4000 }), fc.constantFrom('linear', 'log'))
    .map(([from, more, scale]) => continuous(field, from / 1000, (from + more) / 1000, scale))
const anyAxes: fc.Arbitrary<Axis[]> = fc
  .tuple(
    fc.oneof(
      listed('dcaMaxSafetyOrders', fc.integer({ min: 0, max: 6 })),
      fc.constantFrom(continuous('dcaMaxSafetyOrders', 0, 7), continuous('dcaMaxSafetyOrders', 1, 100, 'log')),
    ),
    fc.oneof(listed('dcaPriceStepMultiplier', tenths), range('dcaPriceStepMultiplier')),
    fc.oneof(listed('takeProfit', tenths), range('takeProfit')),
  )
  .chain((axes) => fc.shuffledSubarray(axes, { minLength: 1 }))
const anyWhere: fc.Arbitrary<ConfigSpace['where']> = fc.constantFrom(
  [],
  [{ measure: 'safetyOrders', bounds: { min: 1 } }],
  [{ measure: 'ladderDepthPercent', bounds: { max: 20 } }],
)

describe('laws of drawing', () => {
  it('every configuration is valid, inside its axes and feasible, and no two have one fingerprint', () => {
    fc.assert(
      fc.property(anyAxes, anyWhere, anyBy, anySeed, (axes, where, by, seed) => {
        const from = space(axes, where)
        const { configs } = drawConfigs(from, { by, count: 8, seed })
        expect(new Set(configs.map(({ fingerprint }) => fingerprint)).size).toBe(configs.length)
        for (const { config, fingerprint } of configs) {
          expect(fingerprint).toBe(configFingerprint(config))
          expect(isFeasible(from, config)).toBe(true)
          for (const { field, values, continuous: range } of axes) {
            expect(findBoundProblem(field, config[field])).toBeUndefined()
            if (range === undefined) expect(values).toContain(config[field])
            else expectBetween(field, config[field], range)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('the same seed gives the same, fewer are the beginning of more, and the order in the file does not matter', () => {
    fc.assert(
      fc.property(anyAxes, anyBy, anySeed, fc.nat({ max: 8 }), (axes, by, seed, fewer) => {
        const all = drawConfigs(space(axes), { by, count: 8, seed })
        const some = drawConfigs(space(axes), { by, count: fewer, seed })
        expect(some.configs).toEqual(all.configs.slice(0, fewer))
        const turned = axes.toReversed().map((axis) => ({ ...axis, values: axis.values.toReversed() }))
        const again = drawConfigs(space(turned), { by, count: 8, seed })
        expect(again.configs.map(({ fingerprint }) => fingerprint)).toEqual(
          all.configs.map(({ fingerprint }) => fingerprint),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('a grid asked for more than it holds gives each of its trials once, as the grid spells it, and says how many there are', () => {
    fc.assert(
      fc.property(anyAxes.filter(isListed), anyWhere, anyBy, anySeed, (axes, where, by, seed) => {
        const from = space(axes, where)
        const { configs, shortfall } = drawConfigs(from, { by, count: 126, seed })
        const grid = createGrid(from)
        const trials = [...grid.walk(0, grid.points)].filter(({ fate }) => fate === 'trial')
        expect(new Set(configs.map(({ config }) => JSON.stringify(config)))).toEqual(
          new Set(trials.map(({ config }) => JSON.stringify(config))),
        )
        expect(shortfall).toBe(`the grid has only ${trials.length} different configurations within limits`)
      }),
      { numRuns: 50 },
    )
  })
})

it('Sobol takes every one of eight levels once in eight configurations, on every axis', () => {
  const eight = [1, 2, 3, 4, 5, 6, 7, 8]
  const fields = ['takeProfit', 'dcaPriceScalePercent', 'dcaVolumeScale', 'dcaMaxSafetyOrders'] as const
  const from = space(fields.map((field) => ({ field, values: eight })))
  for (const seed of [0, 1, 2, 3]) {
    const drawn = drawConfigs(from, { by: 'sobol', count: 8, seed })
    for (const field of fields) expect(valuesOf(field, drawn).toSorted()).toEqual(eight)
  }
})

it('a continuous axis has three significant digits, equal ratios on a log scale, and ends as they are written', () => {
  const wide = space([continuous('takeProfit', 0.12, 120, 'log'), continuous('dcaVolumeScale', 1, 2)])
  const values = valuesOf('takeProfit', drawConfigs(wide, { by: 'sobol', count: 256, seed: 1 }))
  for (const [from, to] of [
    [0.12, 1.2],
    [1.2, 12],
    [12, 120],
  ]) {
    const within = values.filter((value) => value >= from && value < to).length
    expect(within).toBeGreaterThan(80)
    expect(within).toBeLessThan(91)
  }
  const narrow = space([continuous('takeProfit', 0.1234, 0.1267)])
  const few = valuesOf('takeProfit', drawConfigs(narrow, { by: 'sobol', count: 5, seed: 1 }))
  expect(few.toSorted()).toEqual([0.1234, 0.124, 0.125, 0.126, 0.1267]) // 0.123 and 0.127 are outside
})

it('whole numbers of a range are equally likely, the two ends too', () => {
  const drawn = space([continuous('dcaMaxSafetyOrders', 2, 9), continuous('takeProfit', 1, 9)])
  const counts = new Map<number, number>()
  for (const value of valuesOf('dcaMaxSafetyOrders', drawConfigs(drawn, { by: 'sobol', count: 64, seed: 3 })))
    counts.set(value, (counts.get(value) ?? 0) + 1)
  expect([...counts.keys()].sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(10)
})

it('fields without effect do not make a configuration another one', () => {
  const ladder = space([
    { field: 'dcaMaxSafetyOrders', values: [0] },
    { field: 'dcaVolumeScale', values: [1.5, 1, 2] },
    continuous('dcaPriceScalePercent', 1, 2),
  ])
  const { configs, shortfall } = drawConfigs(ladder, { by: 'random', count: 2, seed: 1 })
  expect(configs.map(({ config }) => config)).toEqual([
    { ...exampleConfig, dcaMaxSafetyOrders: 0, dcaVolumeScale: 1.5, dcaPriceScalePercent: 1 },
  ])
  expect(shortfall).toBe(
    '65536 draws have only 1 different configurations within limits, at 3 digits a value: widen the axes or where',
  )
})

it('says when nothing that was drawn is feasible', () => {
  const impossible = space([continuous('takeProfit', 1, 2)], [{ measure: 'safetyOrders', bounds: { min: 90 } }])
  expect(drawConfigs(impossible, { by: 'sobol', count: 3, seed: 1 })).toEqual({
    configs: [],
    shortfall:
      '65536 draws have only 0 different configurations within limits, at 3 digits a value: widen the axes or where',
  })
})

function isListed(axes: readonly Axis[]): boolean {
  return axes.every(({ continuous: range }) => range === undefined)
}

function expectBetween(
  field: ConfigField,
  value: number,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  expect(value).toBeGreaterThanOrEqual(from)
  expect(value).toBeLessThanOrEqual(to)
  if (CONFIG_BOUNDS[field].integer === true) expect(Number.isInteger(value)).toBe(true)
  else expect([from, to, Number(value.toPrecision(3))]).toContain(value)
}
