import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parameterImportance, type ScoredRow } from '../../src/analysis/importance.ts'
import { levelIndex, levelsOf } from '../../src/analysis/levels.ts'
import { median, quantile } from '../../src/analysis/quantiles.ts'

function fullGrid(score: (a: number, b: number, c: number) => number): ScoredRow[] {
  const levels = [0, 1, 2]
  return levels.flatMap((a) =>
    levels.flatMap((b) => levels.map((c) => ({ values: { a, b, c }, score: score(a, b, c) }))),
  )
}

function shares(rows: readonly ScoredRow[]): Record<string, number> {
  return Object.fromEntries(parameterImportance(rows, ['a', 'b', 'c']).map(({ field, share }) => [field, share]))
}

describe('laws of importance', () => {
  it('on a full grid the shares lie between 0 and 1 and add up to at most 1', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 27, maxLength: 27 }), (scores) => {
        const found = Object.values(shares(fullGrid((a, b, c) => scores[9 * a + 3 * b + c])))
        for (const share of found) expect(share).toBeGreaterThanOrEqual(0)
        expect(found.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9)
      }),
    )
  })

  it('does not change when scores are moved or stretched', () => {
    const plain = shares(fullGrid((a, b, c) => a * a + 2 * b - c * a))
    const moved = shares(fullGrid((a, b, c) => 1000 - 7 * (a * a + 2 * b - c * a)))
    for (const field of ['a', 'b', 'c']) expect(moved[field]).toBeCloseTo(plain[field], 9)
  })

  it('a parameter without effect reaches its chance share on average over shuffled scores', () => {
    const scores = Array.from({ length: 12 }, (_, index) => index)
    let sum = 0
    let chance = 0
    const shuffles = 400
    for (let shuffle = 0; shuffle < shuffles; shuffle++) {
      const shuffled = fc.sample(fc.shuffledSubarray(scores, { minLength: 12 }), { numRuns: 1, seed: shuffle })[0]
      const rows = shuffled.map((score, index) => ({ values: { a: index % 4 }, score }))
      const [found] = parameterImportance(rows, ['a'])
      sum += found.share
      chance = found.chanceShare
    }
    expect(chance).toBeCloseTo(3 / 11, 12)
    expect(sum / shuffles).toBeCloseTo(chance, 1)
  })
})

it('gives everything to the only parameter that acts, and nothing to the others', () => {
  expect(shares(fullGrid((a) => 10 * a))).toEqual({ a: 1, b: 0, c: 0 })
})

it('splits an additive score as the variances of its parts, strongest first', () => {
  const rows = fullGrid((a, b) => 3 * a + b)
  expect(parameterImportance(rows, ['a', 'b', 'c']).map(({ field }) => field)).toEqual(['a', 'b', 'c'])
  expect(shares(rows)).toMatchObject({ a: expect.closeTo(0.9, 9), b: expect.closeTo(0.1, 9) })
})

it('leaves what two parameters only do together to neither', () => {
  expect(shares(fullGrid((a, b) => (a - 1) * (b - 1)))).toEqual({ a: 0, b: 0, c: 0 })
})

it('has nothing to explain when all scores are equal, unknown or too few', () => {
  expect(
    parameterImportance(
      fullGrid(() => 0.1 + 0.2),
      ['a'],
    ),
  ).toEqual([])
  expect(
    parameterImportance(
      fullGrid(() => Number.NaN),
      ['a'],
    ),
  ).toEqual([])
  expect(parameterImportance(fullGrid((a) => a).slice(0, 2), ['a'])).toEqual([])
})

describe('levels', () => {
  it('hold every value exactly once, ascending, at most twelve', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -50, max: 50 }), { maxLength: 200 }), (values) => {
        const levels = levelsOf(values)
        expect(levels.length).toBeLessThanOrEqual(12)
        for (const value of values) {
          const index = levelIndex(levels, value)
          expect(levels.filter(({ low, high }) => low <= value && value <= high)).toEqual([levels[index]])
        }
        for (let index = 1; index < levels.length; index++) {
          expect(levels[index - 1].high).toBeLessThan(levels[index].low)
        }
      }),
    )
  })

  it('keep the values of a grid axis and gather those of a random search', () => {
    expect(levelsOf([3, 1, 3, 2])).toEqual([1, 2, 3].map((value) => ({ low: value, high: value })))
    expect(levelsOf(Array.from({ length: 80 }, (_, index) => index))).toHaveLength(8)
  })
})

it('quantiles are linear between neighbours', () => {
  expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75)
  expect(median([9, 1, 5])).toBe(5)
  expect(median([])).toBeUndefined()
})
