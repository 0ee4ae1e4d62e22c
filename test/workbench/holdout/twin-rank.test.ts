import { expect, it } from 'vitest'
import { percentileAmong } from '../../../src/workbench/holdout/twin-rank.ts'

it('a percentile is the share that a value is better than, ties half, in the direction of the objective', () => {
  expect(percentileAmong([1, 2, 3, 4], 3, { direction: 'maximize' })).toBe(62.5)
  expect(percentileAmong([1, 2, 3, 4], 3, { direction: 'minimize' })).toBe(37.5)
  expect(percentileAmong([1, 2], 9, { direction: 'maximize' })).toBe(100)
  expect(percentileAmong([], 1, { direction: 'maximize' })).toBeNull()
})
