/** Benchmarks against a plain second way, which values every lot that was bought by itself. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Candles } from '../../../../src/engine/candles.ts'
import {
  exposedHoldBenchmark,
  heldReturns,
  holdBenchmark,
  periodicPurchases,
} from '../../../../src/workbench/analysis/certainty/benchmarks.ts'
import { readCsvCandles } from '../../../support/csv-candles.ts'
import { sharedData } from '../../../support/shared-data.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2024, 0, 1)
const terms = { investment: 1000, feePercent: 0.1 }

interface Bar {
  readonly time: number
  readonly open: number
  readonly close: number
}

function candlesOf(bars: readonly Bar[]): Candles {
  const column = (of: (bar: Bar) => number) => Float64Array.from(bars, of)
  return {
    intervalMs: HOUR,
    openTime: column(({ time }) => time),
    open: column(({ open }) => open),
    high: column(({ open, close }) => Math.max(open, close)),
    low: column(({ open, close }) => Math.min(open, close)),
    close: column(({ close }) => close),
    volume: column(() => 1),
  }
}

const price = fc.double({ min: 1, max: 500, noNaN: true })
const someBars = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 60 }), open: price, close: price }), {
    minLength: 1,
    maxLength: 80,
  })
  .map((steps) => {
    let time = START + 5 * HOUR
    return steps.map(({ gap, open, close }): Bar => {
      time += gap * HOUR
      return { time, open, close }
    })
  })

/** Each purchase as a lot of its own; equity is money left plus every lot, summed anew at every close. */
function slowly(bars: readonly Bar[], stake: number, isPurchase: (bar: Bar, index: number) => boolean) {
  const { investment, feePercent } = terms
  const purchases = bars.filter(isPurchase)
  const each = stake / purchases.length
  const equities = bars.map(({ time, close }) => {
    const lots = purchases.filter((bar) => bar.time <= time)
    const values = lots.map(({ open }) => (each / (1 + feePercent / 100) / open) * close * (1 - feePercent / 100))
    return investment - each * lots.length + values.reduce((sum, value) => sum + value, 0)
  })
  const falls = equities.map((equity, index) => 1 - equity / Math.max(investment, ...equities.slice(0, index + 1)))
  return {
    profit: equities[equities.length - 1] - investment,
    maxDrawdownPercent: 100 * Math.max(0, ...falls),
    purchases: purchases.length,
  }
}

const dayOf = ({ time }: Bar) => Math.floor(time / DAY)
const weekOf = (bars: readonly Bar[], bar: Bar) => Math.floor((dayOf(bar) - dayOf(bars[0])) / 7)

function expectClose(found: { profit: number; maxDrawdownPercent: number }, slow: typeof found) {
  expect(found.profit).toBeCloseTo(slow.profit, 7)
  expect(found.maxDrawdownPercent).toBeCloseTo(slow.maxDrawdownPercent, 9)
}

it('equal purchases are worth what their lots are worth one by one', () => {
  fc.assert(
    fc.property(someBars, (bars) => {
      const daily = periodicPurchases(candlesOf(bars), { ...terms, every: 'day' })
      const slowDaily = slowly(bars, 1000, (bar, index) => index === 0 || dayOf(bar) !== dayOf(bars[index - 1]))
      expectClose(daily, slowDaily)
      expect(daily.purchases).toBe(slowDaily.purchases)
      const weekly = periodicPurchases(candlesOf(bars), { ...terms, every: 'week' })
      const isNew = (bar: Bar, index: number) => index === 0 || weekOf(bars, bar) !== weekOf(bars, bars[index - 1])
      const slowWeekly = slowly(bars, 1000, isNew)
      expectClose(weekly, slowWeekly)
      expect(weekly.purchases).toBe(slowWeekly.purchases)
    }),
  )
})

it('buy & hold at an exposure is one lot beside idle cash, and at full exposure buy & hold', () => {
  fc.assert(
    fc.property(someBars, fc.integer({ min: 1, max: 1000 }), (bars, averageUsedCapital) => {
      const candles = candlesOf(bars)
      expectClose(
        exposedHoldBenchmark(candles, { ...terms, averageUsedCapital }),
        slowly(bars, averageUsedCapital, (_, index) => index === 0),
      )
      expectClose(exposedHoldBenchmark(candles, { ...terms, averageUsedCapital: 1000 }), holdBenchmark(candles, terms))
    }),
  )
})

it('three days, priced by hand: 100, 50, 200 without a fee', () => {
  const bars = [100, 50, 200].map((open, day): Bar => ({ time: START + day * DAY, open, close: open }))
  const candles = candlesOf(bars)
  const free = { investment: 600, feePercent: 0 }
  // 200 each: 2 + 4 + 1 = 7 pieces at 200. The fall: 2 pieces lose 50 each of 600.
  expect(periodicPurchases(candles, { ...free, every: 'day' })).toEqual({
    profit: 800,
    maxDrawdownPercent: expect.closeTo(100 / 6, 12),
    purchases: 3,
  })
  expect(periodicPurchases(candles, { ...free, every: 'week' }).purchases).toBe(1)
  expect(holdBenchmark(candles, free)).toEqual({ profit: 600, maxDrawdownPercent: 50 })
  expect(exposedHoldBenchmark(candles, { ...free, averageUsedCapital: 300 })).toEqual({
    profit: 300,
    maxDrawdownPercent: 25,
  })
})

it('without candles nothing is bought', () => {
  const none = candlesOf([])
  expect(holdBenchmark(none, terms)).toEqual({ profit: 0, maxDrawdownPercent: 0 })
  expect(exposedHoldBenchmark(none, { ...terms, averageUsedCapital: 300 })).toEqual({
    profit: 0,
    maxDrawdownPercent: 0,
  })
  expect(periodicPurchases(none, { ...terms, every: 'day' })).toEqual({
    profit: 0,
    maxDrawdownPercent: 0,
    purchases: 0,
  })
})

const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''

describe.skipIf(ether === '')('on Ether’s summer of 2025', () => {
  it('buys on 91 days and in 13 weeks', () => {
    const candles = readCsvCandles(ether, 60_000)
    expect(periodicPurchases(candles, { ...terms, every: 'day' }).purchases).toBe(91)
    expect(periodicPurchases(candles, { ...terms, every: 'week' }).purchases).toBe(13)
    expect(holdBenchmark(candles, terms).profit).toBeCloseTo(1000 * ((4345.72 / 2528.14) * (0.999 / 1.001) - 1), 9)
  })
})

it('the price moves from the first open to the end of each day, and stands still on a day without candles', () => {
  const bars = [
    { time: START, open: 100, close: 105 },
    { time: START + 23 * HOUR, open: 105, close: 110 },
    { time: START + 2 * DAY, open: 110, close: 99 },
  ]
  const days = [0, 1, 2].map((day) => ({ date: new Date(START + day * DAY).toISOString().slice(0, 10) }))
  const [first, second, third] = heldReturns(candlesOf(bars), days)
  expect(first).toBeCloseTo(0.1, 12)
  expect(second).toBe(0)
  expect(third).toBeCloseTo(-0.1, 12)
})
