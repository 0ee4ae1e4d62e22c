/** One standard error of a profit and of a lead, against sums written out by hand and laws. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharpeError, sharpeRatio } from '../../../../src/engine/risk-adjusted.ts'
import { leadNoise, leadOver, profitNoise } from '../../../../src/workbench/analysis/certainty/equity.ts'
import { curveOf } from './curves.ts'

const equities = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 2, maxLength: 60 })

it('is the standard deviation of the daily changes times the root of the days', () => {
  // changes 10, −20, 40, 10: mean 10, squares 0 + 900 + 900 + 0, over 3 is 600, times 4 days
  expect(profitNoise(curveOf(1000, [1010, 990, 1030, 1040]))).toBe(Math.sqrt(2400))
})

it('the first change is the one from the investment', () => {
  expect(profitNoise(curveOf(1000, [1000, 1000]))).toBe(0)
  expect(profitNoise(curveOf(990, [1000, 1000]))).toBe(10) // 10 and 0: s = √50, times √2
})

it('is what pairs of days say too: Σ (x − y)² over all pairs, over days − 1', () => {
  fc.assert(
    fc.property(equities, (equity) => {
      const changes = equity.map((value, index) => value - (equity[index - 1] ?? 1000))
      const pairs = changes.flatMap((x, index) => changes.slice(index + 1).map((y) => (x - y) * (x - y)))
      const byPairs = Math.sqrt(pairs.reduce((all, square) => all + square, 0) / (changes.length - 1))
      expect(profitNoise(curveOf(1000, equity))).toBeCloseTo(byPairs, 6)
    }),
  )
})

it('the same profit every day has no noise, one day has no number', () => {
  expect(profitNoise(curveOf(1000, [1005, 1010, 1015]))).toBe(0)
  expect(profitNoise(curveOf(1000, [1005]))).toBeNull()
  expect(profitNoise(curveOf(1000, []))).toBeNull()
})

it('what two curves gain and lose together is no noise of the lead', () => {
  fc.assert(
    fc.property(equities, (equity) => {
      const [a, b] = [
        curveOf(1000, equity),
        curveOf(
          1000,
          equity.map((value, index) => value - 5 * (index + 1)),
        ),
      ]
      expect(leadNoise(a, b)).toBe(0)
      expect(leadOver(a, b)).toBe(5 * equity.length)
      expect(
        leadNoise(
          a,
          curveOf(
            1000,
            equity.map(() => 1000),
          ),
        ),
      ).toBe(profitNoise(a))
      expect(leadNoise(b, a)).toBe(leadNoise(a, b))
    }),
  )
})

it('the lead is one of profits where the investments differ', () => {
  expect(leadOver(curveOf(1000, [1010, 1050]), curveOf(500, [500, 520]))).toBe(30)
})

it.each([
  ['a day more', curveOf(1000, [1010, 1020, 1030])],
  ['other days', curveOf(1000, [1010, 1020], Date.UTC(2024, 0, 31))],
])('a curve with %s has no lead', (_, other) => {
  const curve = curveOf(1000, [1001, 1002])
  expect(leadNoise(curve, other)).toBeNull()
  expect(leadOver(curve, other)).toBeNull()
})

it('the error of a yearly Sharpe ratio is a year over the days, under a root, and unknown where the ratio is', () => {
  expect([30, 365, 1460].map(sharpeError)).toEqual([Math.sqrt(365 / 30), 1, 0.5])
})

it('Sharpe ratios of runs without an edge spread by it', () => {
  // 2,000 runs of 90 days, each day ±1 % by a coin: Lehmer's generator (Park and Miller 1988), the same every time.
  let seed = 42
  const coin = () => {
    seed = (48_271 * seed) % 2_147_483_647
    return seed < 1_073_741_824 ? 0.01 : -0.01
  }
  const ratios = Array.from({ length: 2000 }, () => sharpeRatio(Array.from({ length: 90 }, coin)) ?? Number.NaN)
  const spread = Math.sqrt(ratios.reduce((sum, ratio) => sum + ratio * ratio, 0) / ratios.length)
  expect(spread / (sharpeError(90) ?? Number.NaN)).toBeGreaterThan(0.95)
  expect(spread / (sharpeError(90) ?? Number.NaN)).toBeLessThan(1.05)
})
