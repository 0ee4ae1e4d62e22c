import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { METRIC_NAMES, METRICS, metricValue, sampleSizeOf } from '../../src/contract/metrics.ts'
import { backtest } from '../../src/engine/backtest.ts'
import type { ClosedDeal } from '../../src/engine/deal.ts'
import { countSampleDeals, dealDurations, safetyOrderCounts, summarizeProfits } from '../../src/engine/metrics.ts'
import { someInput } from './arbitraries.ts'
import { candlesOf, flatCandles, MINUTE, type Row, run } from './inputs.ts'

function dealOf(overrides: Partial<ClosedDeal>): ClosedDeal {
  return {
    openedAt: 0,
    closedAt: MINUTE,
    exit: 'takeProfit',
    safetyOrders: 0,
    quantity: 1,
    cost: 100,
    proceeds: 101,
    profit: 1,
    price: 101,
    lowestValue: 0,
    ...overrides,
  }
}

describe('laws of the metrics', () => {
  test('no metric is ever infinite or not a number', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const text = JSON.stringify(backtest(input), (_, value) => {
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
          return value
        })
        expect(text).not.toContain('undefined')
      }),
    )
  })

  test('drawdown at lows is at least that at closes; shares lie between 0 and 100', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { metrics } = backtest(input)
        expect(metrics.maxDrawdownLowPercent).toBeGreaterThanOrEqual(metrics.maxDrawdownPercent - 1e-9)
        expect(metrics.maxFloatingLoss).toBeLessThanOrEqual(0)
        expect(metrics.timeFullyInvestedPercent).toBeLessThanOrEqual(metrics.timeInDealPercent)
        expect(metrics.timeInDealPercent).toBeLessThanOrEqual(100)
        expect(metrics.usedCapital.average).toBeLessThanOrEqual(metrics.usedCapital.max + 1e-9)
        const deals = metrics.closedDeals + (metrics.openDeal ? 1 : 0)
        expect(metrics.safetyOrdersFilled.histogram.reduce((total, count) => total + count, 0)).toBe(deals)
        expect(metrics.feesPaid).toBeCloseTo((metrics.volume * input.costs.feePercent) / 100, 9)
      }),
    )
  })

  test('no candles: an empty result, null exactly where a metric’s row says when it is null', () => {
    const { metrics, deals, openDeal } = run({ candles: candlesOf([]) })
    expect([deals, openDeal, metrics.dailyEquity, metrics.monthlyReturns]).toEqual([[], null, [], []])
    const undefinedNames = METRIC_NAMES.filter((name) => metricValue(metrics, name) === null)
    expect(undefinedNames).toEqual(METRIC_NAMES.filter((name) => METRICS[name].nullWhen !== null))
    expect(METRIC_NAMES.every((name) => (metricValue(metrics, name) ?? 0) === 0)).toBe(true)
  })

  test('a run without a closed deal has no win rate, no profit factor, and the duration of its open deal', () => {
    const { metrics } = run({ candles: flatCandles([100, 100, 99]) })
    expect(metrics).toMatchObject({ closedDeals: 0, winRatePercent: null, profitFactor: null })
    expect(metrics.dealDuration).toEqual({ average: null, median: null, p95: null, max: 3 })
    expect(metrics.safetyOrdersFilled).toEqual({ average: 0, max: 0, histogram: [1] })
  })
})

describe('equity seen at lows', () => {
  const opening: Row = [100, 100, 100, 100]
  const free = { feePercent: 0 }

  test('a position is marked at the low after the fills of that leg', () => {
    const config = { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 5 }
    const { metrics } = run({ ...free, config, candles: candlesOf([opening, [100, 100, 90, 94]]) })
    const atLow = 100 * 0.9 + (100 / 95) * 90 - 200
    expect(metrics.maxFloatingLoss).toBeCloseTo(atLow, 10)
    expect(metrics.maxDrawdownLowPercent).toBeCloseTo(-atLow / 10, 10)
    expect(metrics.maxDrawdownPercent).toBeCloseTo((200 - 94 - (100 / 95) * 94) / 10, 10)
  })

  test('a deal sold before the low has nothing to lose there; one sold after it has', () => {
    const candles = candlesOf([opening, [100, 102, 95, 100]])
    const before = run({ ...free, candles, conventions: { intrabar: 'high-first' } }).metrics
    expect([before.maxDrawdownLowPercent, before.maxFloatingLoss]).toEqual([0, 0])
    const after = run({ ...free, candles, conventions: { intrabar: 'low-first' } }).metrics
    expect(after.maxDrawdownLowPercent).toBeCloseTo(0.5, 10)
    expect(after.maxFloatingLoss).toBeCloseTo(-5, 10)
  })

  test('a stopped deal has lost what it was sold for, not what the low would have made of it', () => {
    const { metrics } = run({ ...free, config: { stopLoss: 5 }, candles: candlesOf([opening, [100, 100, 80, 80]]) })
    expect(metrics.maxFloatingLoss).toBeCloseTo(-5, 10)
    expect(metrics.maxDrawdownLowPercent).toBeCloseTo(0.5, 10)
  })

  test('the low is measured against the closes before its candle, never against its own', () => {
    // The deal ends at 101 in the last candle: the new peak of 1001 comes after the low.
    const { metrics } = run({ ...free, candles: candlesOf([opening, [100, 101, 99, 101]]) })
    expect(metrics.maxDrawdownLowPercent).toBeCloseTo(0.1, 10)
  })
})

describe('time and capital', () => {
  test('the candle of the sale still counts as in the deal, with what the deal had cost', () => {
    const { metrics } = run({ candles: flatCandles([100, 101, 100, 100]), feePercent: 0 })
    expect(metrics.timeInDealPercent).toBe(100)
    expect(metrics.usedCapital).toEqual({ max: 100, average: 100 })
  })

  test('fully invested means every placed rung has filled, the ones beyond the cap apart', () => {
    const config = { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 5, dcaTotalBudget: 250 }
    const { metrics } = run({ candles: flatCandles([100, 94, 94, 120, 100]), config, feePercent: 0 })
    expect(metrics.timeFullyInvestedPercent).toBe(60)
    expect(run({ candles: flatCandles([100, 94, 94, 120, 100]) }).metrics.timeFullyInvestedPercent).toBe(100)
  })

  test('durations run from the open of the first candle to the end of the last', () => {
    const deals = [1, 2, 3, 10].map((minutes) => dealOf({ closedAt: (minutes - 1) * MINUTE }))
    const times = { intervalMs: MINUTE, endTime: 100 * MINUTE }
    expect(dealDurations(deals, null, times)).toEqual({ average: 4, median: 2.5, p95: 10, max: 10 })
    const openDeal = {
      openedAt: 40 * MINUTE,
      safetyOrders: 0,
      quantity: 1,
      cost: 1,
      value: 1,
      profit: 0,
      lowestValue: 0,
    }
    expect(dealDurations(deals, openDeal, times)).toEqual({ average: 4, median: 2.5, p95: 10, max: 60 })
  })

  test('the 95 % duration is the nearest rank', () => {
    const deals = Array.from({ length: 40 }, (_, i) => dealOf({ closedAt: i * MINUTE }))
    expect(dealDurations(deals, null, { intervalMs: MINUTE, endTime: 0 }).p95).toBe(38)
  })

  test('safety orders are counted per deal, the open one included', () => {
    const openDeal = { openedAt: 0, safetyOrders: 3, quantity: 1, cost: 1, value: 1, profit: 0, lowestValue: 0 }
    const deals = [dealOf({ safetyOrders: 1 }), dealOf({ safetyOrders: 1 }), dealOf({ safetyOrders: 0 })]
    expect(safetyOrderCounts(deals, openDeal)).toEqual({ average: 1.25, max: 3, histogram: [1, 2, 0, 1] })
  })
})

describe('profit, fees and comparison', () => {
  test('the profit factor is null while nothing was lost', () => {
    expect(summarizeProfits([dealOf({ profit: 2 })]).profitFactor).toBeNull()
    const mixed = [dealOf({ profit: 3 }), dealOf({ profit: -2, exit: 'stopLoss' }), dealOf({ profit: 0 })]
    expect(summarizeProfits(mixed)).toEqual({ realizedProfit: 1, wins: 1, stopLosses: 1, profitFactor: 1.5 })
  })

  test('fees, fills and volume leave out the sale that has not happened', () => {
    const { metrics } = run({ candles: flatCandles([100, 102, 102]) })
    expect(metrics.orders).toBe(3)
    expect(metrics.volume).toBeCloseTo(100 + 101 + 100, 10)
    expect(metrics.feesPaid).toBeCloseTo(0.301, 12)
    expect(metrics.roiPercent).toBeCloseTo(metrics.netProfit / 10, 12)
    expect(metrics.roiOnMaxUsedPercent).toBeCloseTo((100 * metrics.netProfit) / 100.1, 12)
  })

  test('buy and hold pays both fees and falls from the money it started with', () => {
    const { metrics } = run({ candles: flatCandles([100, 80, 120]), feePercent: 1 })
    expect(metrics.buyAndHoldPercent).toBeCloseTo(100 * ((1.2 * 0.99) / 1.01 - 1), 10)
    expect(metrics.buyAndHoldMaxDrawdownPercent).toBeCloseTo(100 * (1 - (0.8 * 0.99) / 1.01), 10)
  })

  test.each([
    [0, 'under 107'],
    [106, 'under 107'],
    [107, '107 to 132'],
    [132, '107 to 132'],
    [133, '133 to 163'],
    [163, '133 to 163'],
    [164, '164 to 207'],
    [208, '208 to 272'],
    [272, '208 to 272'],
    [273, '273 to 384'],
    [384, '273 to 384'],
    [385, '385+'],
  ])('%i deals are a sample of %s', (count, sampleSize) => {
    const insideOneCandle = new Array<ClosedDeal>(500).fill(dealOf({ closedAt: 0 }))
    const deals = [...insideOneCandle, ...new Array<ClosedDeal>(count).fill(dealOf({}))]
    expect(sampleSizeOf(countSampleDeals(deals))).toBe(sampleSize)
  })
})
