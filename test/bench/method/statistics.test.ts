/** The statistics of the bench on cases that can be worked out by hand. */
import { describe, expect, it } from 'vitest'
import { stopEarly } from './early-stop.ts'
import { estimate, type Observation, STATISTICS } from './estimate.ts'
import { shareMatched, winnersOf } from './hundreds.ts'
import { percentileAmong, ranksOf, rowOfMost, spearman } from './ranks.ts'
import { spell } from './spelling.ts'

describe('ranks', () => {
  it('of equal values are their mean', () => {
    expect([...ranksOf([30, 10, 20, 10])]).toEqual([4, 1.5, 3, 1.5])
  })

  it('correlate by Spearman: 1 in the same order, −1 reversed, and as worked out with ties', () => {
    expect(spearman([1, 2, 3, 4], [10, 200, 3000, 40_000])).toBe(1)
    expect(spearman([1, 2, 3], [3, 2, 1])).toBe(-1)
    // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5 over √(4.5 · 5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 14)
  })

  it('leave out rows where one side is undefined, and know no correlation of ties or of two rows', () => {
    expect(spearman([1, Number.NaN, 2, 3], [1, 7, 2, 3])).toBe(1)
    expect(spearman([1, 1, 1], [1, 2, 3])).toBeNull()
    expect(spearman([1, 2, Number.NaN], [1, 2, 3])).toBeNull()
  })

  it('make percentiles in which equal ones count half', () => {
    expect(percentileAmong([1, 2, 3, 4], 3)).toBe(62.5)
    expect(percentileAmong([1, 2, 3, 4], 9)).toBe(100)
  })

  it('find the first of the largest, among the defined', () => {
    expect(rowOfMost([Number.NaN, 2, 5, 5])).toBe(2)
    expect(rowOfMost([9, 2, 5, 5], 1, 3)).toBe(2)
    expect(rowOfMost([Number.NaN])).toBe(-1)
  })
})

describe('the winners of a hundred', () => {
  const profits = Array.from({ length: 2000 }, (_, row) => (row % 100 === 7 ? 100 + row : row % 100))

  it('are twenty, one of each hundred', () => {
    expect(winnersOf(profits)).toEqual(Array.from({ length: 20 }, (_, at) => 100 * at + 7))
  })

  it('are matched by what is at least as good', () => {
    expect(shareMatched([1, 100 + 907, 3], profits)).toBe(0.5)
    expect(shareMatched([1], profits)).toBe(0)
  })
})

describe('an interval', () => {
  const observe = (values: readonly number[], perCluster = 1): Observation[] =>
    values.flatMap((value, at) =>
      Array.from({ length: perCluster }, () => ({ value, cluster: `c${at}`, month: `m${at % 7}` })),
    )
  const values = Array.from({ length: 60 }, (_, at) => Math.sin(at * 12.9898) * 10)

  it('of a mean is about 1.645 standard errors to each side', () => {
    const { value, interval, n, clusters } = estimate(observe(values), STATISTICS.mean)
    const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - (value ?? 0)) ** 2, 0) / values.length)
    const [low, high] = interval ?? [0, 0]
    expect((high - low) / (2 * 1.645 * (deviation / Math.sqrt(60)))).toBeCloseTo(1, 1)
    expect({ n, clusters }).toEqual({ n: 60, clusters: 60 })
  })

  it('is no narrower for the same stretches told four times', () => {
    const once = estimate(observe(values), STATISTICS.mean)
    const often = estimate(observe(values, 4), STATISTICS.mean)
    expect(often.n).toBe(240)
    expect(often.interval).toEqual(once.interval)
  })

  it('is not given for fewer than five clusters, and what is undefined is left out', () => {
    const few = estimate([...observe([1, 2, 3]), { value: null, cluster: 'x', month: 'y' }], STATISTICS.median)
    expect(few).toEqual({ value: 2, interval: null, byMonths: null, n: 3, clusters: 3 })
    expect(estimate([], STATISTICS.mean)).toEqual({ value: null, interval: null, byMonths: null, n: 0, clusters: 0 })
  })

  it('is written with typographic signs', () => {
    expect(spell({ value: -1.26, interval: [-2.52, 0.04] }, 'signed')).toBe('−1.3 [−2.5, 0.0]')
    expect(spell({ value: 0.973, interval: [0.9, 1] }, 'percent')).toBe('97.3 % [90.0, 100.0]')
    expect(spell({ value: null, interval: null }, 'tenths')).toBe('–')
  })
})

describe('the early stop', () => {
  const tens = (first: number, second: number, third: number) => [
    ...Array.from({ length: 10 }, (_, at) => first - at),
    ...Array.from({ length: 10 }, (_, at) => second - at),
    ...Array.from({ length: 12 }, (_, at) => third - at),
  ]

  it('comes after two batches when the first holds the best, and keeps the rest of the list', () => {
    expect(stopEarly(tens(50, 40, 30), [])).toMatchObject({ stops: true, kept: 12 / 32, regret: 0 })
    expect(stopEarly(tens(40, 50, 30), [])).toEqual({ stops: false, kept: 0, regret: null })
    expect(stopEarly(tens(40, 30, 20).slice(0, 19), [])).toEqual({ stops: false, kept: 0, regret: null })
  })

  it('regrets what came later, in parts of the spread of all that was confirmed', () => {
    // Of 38 values the lowest three are 0 and the highest three 100, so p95 − p5 is 100.
    const list = [...Array.from({ length: 20 }, () => 50), 59, ...Array.from({ length: 11 }, () => 50)]
    const { regret } = stopEarly(list, [0, 0, 0, 100, 100, 100])
    expect(regret).toBeCloseTo(9 / 100, 12)
    expect(
      stopEarly(
        Array.from({ length: 32 }, () => 5),
        [5],
      ).regret,
    ).toBeNull()
  })
})
