import { expect, it } from 'vitest'
import { percentileAmong } from '../../../src/workbench/analysis/quantiles.ts'

it('a percentile is the share that a value is better than, ties half, in the direction of the objective', () => {
  expect(percentileAmong([1, 2, 3, 4], 3, { direction: 'maximize' })).toBe(62.5)
  expect(percentileAmong([1, 2, 3, 4], 3, { direction: 'minimize' })).toBe(37.5)
  expect(percentileAmong([1, 2], 9, { direction: 'maximize' })).toBe(100)
  expect(percentileAmong([], 1, { direction: 'maximize' })).toBeNull()
})

it('values that differ by no more than the slack are ties, whichever of them is asked for', () => {
  const values = [1, 2, 2 + 1e-12, 3]
  for (const value of [2, 2 + 1e-12]) {
    expect(percentileAmong(values, value, { direction: 'maximize', slack: 1e-9 })).toBe(50)
    expect(percentileAmong(values, value, { direction: 'minimize', slack: 1e-9 })).toBe(50)
  }
  expect(percentileAmong(values, 2, { direction: 'maximize' })).toBe(37.5)
})
