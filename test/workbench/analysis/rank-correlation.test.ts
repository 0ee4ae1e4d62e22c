import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/engine/random.ts'
import { rankCorrelation } from '../../../src/workbench/analysis/correlation.ts'

const pairsOf = (x: readonly number[], y: readonly number[]) => x.map((each, at) => [each, y[at]] as const)

/** Correlation from scipy.stats.spearmanr 1.17, interval from the formula in Python's math. */
const VECTORS = [
  {
    of: 'hours before a television and intelligence, the textbook example (−29/165)',
    pairs: pairsOf([106, 100, 86, 101, 99, 103, 97, 113, 112, 110], [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]),
    rho: -0.17575757575757575,
    interval: { low: -0.6663428903761619, high: 0.42102162728595477 },
  },
  {
    of: 'ties on both sides',
    pairs: pairsOf([1, 2, 2, 3, 5, 5, 5, 8], [2, 1, 4, 4, 4, 9, 7, 7]),
    rho: 0.79746835443038,
    interval: { low: 0.24214409872859413, high: 0.9592306133006292 },
  },
  {
    of: 'ties, in no order',
    pairs: pairsOf([0.5, -3, 12, 7, 7, -1, 0, 0, 4], [10, 11, 3, 3, 3, 8, 9.5, 12, 2]),
    rho: -0.7094276221995338,
    interval: { low: -0.9271026672371104, high: -0.13389191479801568 },
  },
]

it.each(VECTORS)('agrees with an independent program: $of', ({ pairs, rho, interval }) => {
  const found = rankCorrelation(pairs)
  expect(found.rho).toBeCloseTo(rho, 14)
  expect(found.interval?.low).toBeCloseTo(interval.low, 14)
  expect(found.interval?.high).toBeCloseTo(interval.high, 14)
  expect(found).toMatchObject({ n: pairs.length, reason: null })
})

describe('says why there is no interval', () => {
  it.each([
    { pairs: [], rho: null, reason: 'fewer than 4 pairs: 0' },
    { pairs: pairsOf([1, 2, 3], [1, 3, 2]), rho: 0.5, reason: 'fewer than 4 pairs: 3' },
    { pairs: pairsOf([1, 2, 3, 4], [5, 5, 5, 5]), rho: null, reason: 'one side has only equal values' },
    { pairs: pairsOf([1, 2, 3, 4, 9], [1, 5, 6, 7, 8]), rho: 1, reason: 'the order is the same' },
    { pairs: pairsOf([1, 2, 3, 4, 4], [7, 6, 5, -1, -1]), rho: -1, reason: 'the order is reversed' },
  ])('$reason', ({ pairs, rho, reason }) => {
    expect(rankCorrelation(pairs)).toEqual({ n: pairs.length, rho, interval: null, reason })
  })
})

describe('laws', () => {
  const anyPairs = fc.array(fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 })), {
    minLength: 4,
    maxLength: 30,
  })

  it('only order counts: a rising function of one side changes nothing, a falling one turns the sign', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const { rho, interval } = rankCorrelation(pairs)
        expect(rankCorrelation(pairs.map(([x, y]) => [Math.exp(x), y]))).toMatchObject({ rho, interval })
        const turned = rankCorrelation(pairs.map(([x, y]) => [-x, y]))
        if (rho === null) expect(turned.rho).toBeNull()
        else expect(turned.rho).toBeCloseTo(-rho, 12)
      }),
    )
  })

  it('the same order gives exactly 1, so that no interval pretends to know it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 60 }), (values) => {
        const { rho } = rankCorrelation(values.map((value) => [value, 3 * value + 1]))
        expect(rho).toBe(new Set(values).size === 1 ? null : 1)
      }),
    )
  })

  it('the interval holds the truth in about 90 of 100 samples, in more of small ones', () => {
    const random = createRandom(5)
    for (const { n, pearson, least, most } of [
      { n: 8, pearson: 0.3, least: 91, most: 95 },
      { n: 20, pearson: 0, least: 89, most: 93 },
      { n: 20, pearson: 0.6, least: 89, most: 93 },
    ]) {
      const truth = (6 / Math.PI) * Math.asin(pearson / 2) // Spearman's of two normal values with this Pearson correlation
      const samples = 4000
      let held = 0
      for (let sample = 0; sample < samples; sample++) {
        const pairs = Array.from({ length: n }, () => {
          const x = random.normal()
          return [x, pearson * x + Math.sqrt(1 - pearson * pearson) * random.normal()] as const
        })
        const { interval } = rankCorrelation(pairs)
        if (interval !== null && interval.low <= truth && truth <= interval.high) held++
      }
      expect((100 * held) / samples).toBeGreaterThan(least)
      expect((100 * held) / samples).toBeLessThan(most)
    }
  })
})
