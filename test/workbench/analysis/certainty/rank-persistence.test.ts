/** What is left of an order in the next span: over the configurations that have a value in both. */
import { expect, it } from 'vitest'
import { rankPersistence } from '../../../../src/workbench/analysis/certainty/rank-persistence.ts'

const pairsOf = (pairs: readonly (readonly [number | null, number | null])[]) =>
  pairs.map(([first, second]) => ({ first, second }))

it('is Spearman’s correlation of the published example of hours of television and IQ', () => {
  // Textbook example: 10 pairs, Σd² = 194, ρ = 1 − 6·194/(10·99) = −29/165
  const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
  const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
  const found = rankPersistence(pairsOf(iq.map((value, index) => [value, hours[index]])))
  expect(found?.rho).toBeCloseTo(-29 / 165, 14)
  expect(found?.n).toBe(10)
})

it('leaves out what has no value in one of the spans', () => {
  const complete = pairsOf([
    [1, 10],
    [2, 30],
    [3, 20],
    [4, 40],
  ]) // d = 0, 1, 1, 0: ρ = 1 − 6·2/(4·15)
  const gaps = pairsOf([
    [99, null],
    [null, 5],
    [null, null],
  ])
  expect(rankPersistence([...gaps, ...complete])).toEqual({ rho: expect.closeTo(0.8, 14), n: 4 })
})

it.each([
  [
    'two pairs',
    [
      [1, 2],
      [2, 1],
    ],
  ],
  [
    'two complete pairs',
    [
      [1, 2],
      [2, 1],
      [3, null],
    ],
  ],
  [
    'one value in all of one span',
    [
      [1, 5],
      [2, 5],
      [3, 5],
    ],
  ],
  ['no pairs', []],
] as const)('has no value with %s', (_, pairs) => {
  expect(rankPersistence(pairsOf(pairs))).toBeNull()
})
