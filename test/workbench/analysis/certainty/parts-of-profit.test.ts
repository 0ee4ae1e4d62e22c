/** The parts of a profit sum to it, and a share of no profit is not a number. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partsOfProfit, splitEvenly } from '../../../../src/workbench/analysis/certainty/equity.ts'
import { curveOf } from './curves.ts'

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
const amounts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 3, maxLength: 100 })

it('thirds and months each sum to the net profit', () => {
  fc.assert(
    fc.property(amounts, (equity) => {
      const { thirds, months } = partsOfProfit({ ...curveOf(1000, equity), deals: [] })
      const netProfit = equity[equity.length - 1] - 1000
      expect(thirds).toHaveLength(3)
      expect(sum(thirds)).toBe(netProfit)
      expect(sum(months.map(({ profit }) => profit))).toBe(netProfit)
    }),
  )
})

it('tells the largest month, third and deal, with their shares of the net profit', () => {
  const curve = curveOf(1000, [1010, 1030, 1020, 1060, 1100, 1090, 1080])
  const deals = [
    { openedAt: '2024-01-30T00:00:00.000Z', profit: 30 },
    { openedAt: '2024-01-31T00:00:00.000Z', profit: 60 },
    { openedAt: '2024-02-02T00:00:00.000Z', profit: -10 },
  ]
  expect(partsOfProfit({ ...curve, deals })).toEqual({
    thirds: [20, 80, -20], // three days, two, two
    months: [
      { month: '2024-01', profit: 30 },
      { month: '2024-02', profit: 50 },
    ],
    largestMonth: { month: '2024-02', profit: 50, sharePercent: 62.5 },
    largestThird: { index: 1, profit: 80, sharePercent: 100 },
    largestDeal: { openedAt: '2024-01-31T00:00:00.000Z', profit: 60, sharePercent: 75 },
  })
})

it('a part has more than all of a profit where the rest lost', () => {
  const { largestMonth } = partsOfProfit({ ...curveOf(1000, [1000, 900, 1100]), deals: [] })
  expect(largestMonth).toEqual({ month: '2024-02', profit: 200, sharePercent: 200 })
})

it.each([
  ['the result lost', [1100, 1050, 990]],
  ['it made nothing', [1100, 1050, 1000]],
])('there is no share where %s', (_, equity) => {
  const parts = partsOfProfit({ ...curveOf(1000, equity), deals: [{ openedAt: 0, profit: 5 }] })
  expect(parts).toMatchObject({ largestMonth: null, largestThird: null, largestDeal: null })
  expect(parts.thirds).toHaveLength(3)
})

it('two days have no thirds, and no day has no month', () => {
  expect(partsOfProfit({ ...curveOf(1000, [1010, 1020]), deals: [] })).toMatchObject({
    thirds: [],
    largestThird: null,
    largestMonth: { month: '2024-01', profit: 20, sharePercent: 100 },
    largestDeal: null,
  })
  expect(partsOfProfit({ ...curveOf(1000, []), deals: [] })).toMatchObject({ months: [], largestMonth: null })
})

// numpy 2.4: [(part[0], part[-1] + 1) for part in numpy.array_split(numpy.arange(count), parts)]
it.each([
  [7, 3, [0, 3, 5, 7]],
  [8, 3, [0, 3, 6, 8]],
  [90, 3, [0, 30, 60, 90]],
  [200, 16, [0, 13, 26, 39, 52, 65, 78, 91, 104, 116, 128, 140, 152, 164, 176, 188, 200]],
])('%i days in %i parts are cut as numpy cuts them', (count, parts, cuts) => {
  const spans = splitEvenly(count, parts)
  expect([...spans.map(({ start }) => start), spans[parts - 1].end]).toEqual(cuts)
})
