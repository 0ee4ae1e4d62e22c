/** Metrics of days and months. */
import { describe, expect, test } from 'vitest'
import { createDailyEquity, datedEquity, monthlyReturns, observeDay } from '../../src/engine/daily-equity.ts'
import { cagrPercent, sharpeRatio, sortinoRatio } from '../../src/engine/risk-adjusted.ts'
import { DAY, flatCandles, run } from './inputs.ts'

describe('days and months', () => {
  test('a day without candles repeats the last equity; a candle belongs to the UTC day of its open', () => {
    const daily = createDailyEquity()
    observeDay(daily, Date.UTC(2024, 0, 30, 23, 59), 1010)
    observeDay(daily, Date.UTC(2024, 0, 31, 0, 0), 1020)
    observeDay(daily, Date.UTC(2024, 0, 31, 12, 0), 1030)
    observeDay(daily, Date.UTC(2024, 1, 2, 0, 0), 927)
    expect(datedEquity(daily)).toEqual([
      { date: '2024-01-30', equity: 1010 },
      { date: '2024-01-31', equity: 1030 },
      { date: '2024-02-01', equity: 1030 },
      { date: '2024-02-02', equity: 927 },
    ])
    expect(monthlyReturns(daily, 1000)).toEqual([
      { month: '2024-01', returnPercent: expect.closeTo(3, 10) },
      { month: '2024-02', returnPercent: expect.closeTo(-10, 10) },
    ])
  })

  test('Sharpe and Sortino need thirty daily returns and some risk', () => {
    const returns = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? -0.01 : 0.01))
    const mean = 0.1 / 30
    const deviation = Math.sqrt(returns.reduce((total, value) => total + (value - mean) ** 2, 0) / 29)
    expect(sharpeRatio(returns)).toBeCloseTo((mean / deviation) * Math.sqrt(365), 10)
    expect(sortinoRatio(returns)).toBeCloseTo((mean / Math.sqrt((10 * 0.0001) / 30)) * Math.sqrt(365), 10)
    expect([sharpeRatio(returns.slice(1)), sortinoRatio(returns.slice(1))]).toEqual([null, null])
    const steady = new Array<number>(40).fill(0.001)
    expect([sharpeRatio(steady), sortinoRatio(steady)]).toEqual([null, null])
  })

  test('yearly growth is compounded, and unknown under thirty days or after a total loss', () => {
    expect(cagrPercent(1.1, 365)).toBeCloseTo(10, 10)
    expect(cagrPercent(1.1, 730)).toBeCloseTo(100 * (Math.sqrt(1.1) - 1), 10)
    expect(cagrPercent(1.1, 29.99)).toBeNull()
    expect(cagrPercent(0, 365)).toBeNull()
  })

  test('it grows to the same bits on every Node', () => {
    // With `1.294 ** (365 / 91)` Node 22 answered 181.16881615300215 and Node 24 181.1688161530021.
    expect(cagrPercent(1.294, 91)).toBe(181.16881615300215)
    expect(cagrPercent(1.098, 91)).toBe(45.49750296984436)
    expect(cagrPercent(0.734, 30.5)).toBe(-97.5296634339887)
    expect(cagrPercent(1.0001, 364.99)).toBe(0.01000027399380432)
  })

  test('forty still days: growth is 0 with nothing at risk, so Calmar is null', () => {
    const { metrics } = run({
      candles: flatCandles(new Array<number>(40).fill(100), { intervalMs: DAY }),
      feePercent: 0,
    })
    expect(metrics).toMatchObject({ cagrPercent: 0, calmar: null, sharpe: null, sortino: null, maxDrawdownPercent: 0 })
    expect(metrics.dailyEquity).toHaveLength(40)
  })

  test('Calmar is yearly growth over the deepest fall of closes', () => {
    const prices = Array.from({ length: 40 }, (_, i) => (i === 20 ? 90 : 100 + i / 100))
    const { metrics } = run({ candles: flatCandles(prices, { intervalMs: DAY }), config: { takeProfit: 50 } })
    expect(metrics.calmar).toBeCloseTo((metrics.cagrPercent ?? 0) / metrics.maxDrawdownPercent, 12)
    expect(metrics.cagrPercent).not.toBeNull()
  })
})
