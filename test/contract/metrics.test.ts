/** One row per metric: what follows from the rows names each of them once, and loses none. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  definitionOf,
  findMetric,
  METRIC_NAMES,
  METRICS,
  metricsFromValues,
  metricValue,
} from '../../src/contract/metrics.ts'

it('every metric of a result is found again under its name, whatever its value', () => {
  const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null })
  const values = fc.record(Object.fromEntries(METRIC_NAMES.map((name) => [name, valuesOf(name, value)])))
  fc.assert(
    fc.property(values, (given) => {
      const result = metricsFromValues((name) => given[name])
      const found = METRIC_NAMES.map((name) => findMetric(result, name))
      expect(found).not.toContain(undefined)
      const numbers = found.map((scalar) => (typeof scalar === 'boolean' ? Number(scalar) : scalar))
      expect(numbers).toEqual(METRIC_NAMES.map((name) => given[name]))
    }),
  )
})

function valuesOf(name: keyof typeof METRICS, number: fc.Arbitrary<number | null>): fc.Arbitrary<number | null> {
  return METRICS[name].unit === 'yes/no' ? fc.constantFrom(0, 1, null) : number
}

it('a number that is none, and a metric that is not there, are null', () => {
  const result = metricsFromValues(() => Number.NaN)
  const full = { ...result, safetyOrdersFilled: { ...result.safetyOrdersFilled, histogram: [] } }
  const read = { ...full, monthlyReturns: [], dailyEquity: [], sampleSize: null }
  expect(metricValue(read, 'netProfit')).toBeNull()
  expect(findMetric({ usedCapital: {} }, 'usedCapital.max')).toBeUndefined()
  expect(findMetric({}, 'netProfit')).toBeUndefined()
})

it('no two metrics share a title or a column, and a column ends with its unit of time or share', () => {
  for (const key of ['title', 'column'] as const) {
    expect(new Set(METRIC_NAMES.map((name) => METRICS[name][key])).size, key).toBe(METRIC_NAMES.length)
  }
  const endings = { percent: /_percent$/, minutes: /_minutes$/ } as const
  for (const name of METRIC_NAMES) {
    const { unit, column } = METRICS[name]
    if (unit === 'percent' || unit === 'minutes') expect(column).toMatch(endings[unit])
  }
})

it('a definition says when the number is null', () => {
  expect(definitionOf('profitFactor')).toBe('wins / losses; null when no deal lost')
  expect(definitionOf('volume')).toBe('Σ price · quantity, both sides')
})
