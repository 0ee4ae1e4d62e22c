/** Probabilistic and deflated Sharpe ratio against the examples of the papers, values of 16 digits and a plain integral. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../src/engine/random.ts'
import {
  deflatedSharpe,
  dependentSharpeError,
  expectedMaximumSharpe,
  FEWEST_RETURNS,
  fitToMarket,
  probabilisticSharpe,
  type ReturnMoments,
  returnMoments,
} from '../../../../src/workbench/analysis/certainty/sharpe-probability.ts'

const moments = (overrides: Partial<ReturnMoments>): ReturnMoments => ({
  count: 1250,
  sharpe: 0.05,
  skew: 0,
  kurtosis: 3,
  ...overrides,
})

describe('the moments of returns', () => {
  it('are those of scipy: sharpe with n − 1, skew and kurtosis of the population, not in excess', () => {
    // scipy 1.17: skew(r), kurtosis(r, fisher=False); numpy: mean(r) / std(r, ddof=1)
    const returns = [10, -20, 35, 5, -5, 12, 40, -31, 8, 0].map((value) => value / 1000)
    const found = returnMoments(returns)
    expect(found?.count).toBe(10)
    expect(found?.sharpe).toBeCloseTo(0.24842652232718423, 14)
    expect(found?.skew).toBeCloseTo(0.02121650487858694, 14)
    expect(found?.kurtosis).toBeCloseTo(2.426346036545401, 14)
  })

  it('do not change with the scale of the returns, and skew changes its side with them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 40 }), (values) => {
        fc.pre(new Set(values).size > 1)
        const [small, large, opposite] = [0.001, 0.01, -0.001].map((scale) =>
          returnMoments(values.map((v) => v * scale)),
        )
        expect(large?.sharpe).toBeCloseTo(small?.sharpe ?? Number.NaN, 10)
        expect(large?.skew).toBeCloseTo(small?.skew ?? Number.NaN, 10)
        expect(large?.kurtosis).toBeCloseTo(small?.kurtosis ?? Number.NaN, 8)
        expect(opposite?.skew).toBeCloseTo(-(small?.skew ?? Number.NaN), 10)
      }),
    )
  })

  it.each([
    ['there is none', []],
    ['there is one', [0.01]],
    ['all are equal', [0.1, 0.1, 0.1]],
    ['they differ by their rounding', [0.1, 0.1 + 2e-17, 0.3 - 0.2]],
  ])('are unknown where %s', (_, returns) => {
    expect(returnMoments(returns)).toBeNull()
  })
})

describe('the probabilistic Sharpe ratio', () => {
  it('is that of the paper’s fund: 24 months with .458, without and with its skew of −2.448 and kurtosis of 10.164', () => {
    // Bailey and López de Prado 2012: .982 and .913; further digits by mpmath.
    const fund = moments({ count: 24, sharpe: 0.458 })
    expect(probabilisticSharpe(fund, 0)).toBeCloseTo(0.981674919091077, 14)
    expect(probabilisticSharpe({ ...fund, skew: -2.448, kurtosis: 10.164 }, 0)).toBeCloseTo(0.913361083860933, 14)
  })

  it('is one half at its own value, whatever the moments', () => {
    expect(probabilisticSharpe(moments({ sharpe: 0.3, skew: -2, kurtosis: 12 }), 0.3)).toBe(0.5)
  })

  it('is a normal integral: the middle rule over 200,000 slices says the same', () => {
    const z = (0.05 - 0.02) * Math.sqrt(FEWEST_RETURNS - 1)
    const [from, slices] = [-9, 200_000]
    const width = (z / Math.sqrt(1 + 0.5 * 0.05 ** 2) - from) / slices
    let area = 0
    for (let slice = 0; slice < slices; slice++) area += Math.exp(-((from + (slice + 0.5) * width) ** 2) / 2)
    const plain = (area * width) / Math.sqrt(2 * Math.PI)
    expect(probabilisticSharpe(moments({ count: FEWEST_RETURNS }), 0.02)).toBeCloseTo(plain, 9)
  })

  it('has no value with one return, or where the moments leave no variance', () => {
    expect(probabilisticSharpe(moments({ count: 1 }), 0)).toBeNull()
    expect(probabilisticSharpe(moments({ sharpe: 1, skew: 2, kurtosis: 5 }), 0)).toBeNull()
  })
})

describe('the deflated Sharpe ratio', () => {
  // Bailey and López de Prado 2014: .9004 for 100 trials, .9505 for 46; further digits by mpmath.
  it.each([
    [100, 0.900396834449391, 0.11317200186513203],
    [46, 0.9505017068755786, 0.10036237061765359],
  ])('is that of the paper’s example with %i trials', (looks, probability, maximum) => {
    const strategy = moments({ sharpe: 2.5 / Math.sqrt(250), skew: -3, kurtosis: 10 })
    const variance = 0.5 / 250
    expect(expectedMaximumSharpe({ tried: looks, variance })).toBeCloseTo(maximum, 15)
    expect(deflatedSharpe(strategy, { tried: looks, variance })).toBeCloseTo(probability, 14)
  })

  it.each([
    [2, 0.5197553442805939],
    [10, 1.57459830134575],
    [1000, 3.2551215136527256],
    [153_624, 4.4833250505521285],
    [1e9, 6.090388996413457],
  ])('expects of %i looks without an edge a maximum of %f standard deviations', (looks, maximum) => {
    expect(expectedMaximumSharpe({ tried: looks, variance: 1 })).toBeCloseTo(maximum, 13)
    expect(expectedMaximumSharpe({ tried: looks, variance: 4 })).toBeCloseTo(2 * maximum, 13)
  })

  it('falls with every look', () => {
    const values = [2, 3, 10, 100, 1e4, 1e6].map((looks) =>
      deflatedSharpe(moments({}), { tried: looks, variance: 0.0004 }),
    )
    expect(values).toEqual([...values].sort((a, b) => Number(b) - Number(a)))
    expect(new Set(values).size).toBe(6)
  })

  it('has no value for one look', () => {
    expect(expectedMaximumSharpe({ tried: 1, variance: 1 })).toBeNull()
    expect(deflatedSharpe(moments({}), { tried: 1, variance: 1 })).toBeNull()
  })
})

describe('returns that depend on each other', () => {
  const random = createRandom(7)
  const normals = (count: number) => Array.from({ length: count }, () => random.normal())

  it('are explained by holding as far as a regression says: scipy.stats.linregress gives the same', () => {
    const held = [0.02, -0.01, 0.03, -0.02, 0.01, 0]
    const own = [0.011, -0.004, 0.014, -0.009, 0.006, 0.002]
    const fit = fitToMarket(own, held)
    expect(fit?.beta).toBeCloseTo(0.4685714285714286, 12)
    expect(fit?.alpha).toBeCloseTo(0.0009904761904761905, 12)
    expect(fit?.betaError).toBeCloseTo(0.02106032798809169, 12)
    expect(fit?.alphaError).toBeCloseTo(0.00037477128323716683, 12)
    expect(fitToMarket(own, [0, 0, 0, 0, 0, 0])).toBeNull()
  })

  it.each([
    ['independent', 0, 0.9, 1.1],
    ['each a third of the one before', 1 / 3, 1.25, 1.5],
  ])('%s: 600 runs of 300 days spread by the error that each of them says', (_, kept, low, high) => {
    const runs = Array.from({ length: 600 }, () => {
      let before = 0
      return normals(300).map((value) => {
        before = kept * before + value
        return before + 0.05
      })
    })
    const ratios = runs.map((returns) => returnMoments(returns)?.sharpe ?? Number.NaN)
    const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const spread = Math.sqrt(average(ratios.map((ratio) => (ratio - average(ratios)) ** 2)))
    const said = average(runs.map((returns) => dependentSharpeError(returns) ?? Number.NaN))
    // Newey and West's few lags leave a little of long dependence out.
    expect(said / spread).toBeGreaterThan(0.88)
    expect(said / spread).toBeLessThan(1.07)
    const simple = Math.sqrt(1 / 300)
    expect(spread / simple).toBeGreaterThan(low)
    expect(spread / simple).toBeLessThan(high)
  })

  it('have no error where they do not vary', () => {
    expect(dependentSharpeError([0.1, 0.1, 0.1])).toBeNull()
    expect(dependentSharpeError([])).toBeNull()
  })
})
