import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backtest } from '../../src/engine/backtest.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import type { Conventions } from '../../src/engine/conventions.ts'
import { someInput } from './arbitraries.ts'
import { candlesOf, flatCandles, type Row, type RunOptions, run } from './inputs.ts'

type Intrabar = Conventions['intrabar']

/** A first still candle at 100, in which the deal opens, then `row`. Without fees, so that prices can be read off. */
function walk(row: Row, options: Omit<RunOptions, 'candles'> = {}) {
  return run({ feePercent: 0, ...options, candles: candlesOf([[100, 100, 100, 100], row]) })
}

const oneRung = { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2, takeProfit: 3 }

describe('what a path may decide', () => {
  test('at the first candle that the paths tell apart, pessimistic ends with the poorer one and optimistic with the richer', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const equityUpTo = (to: number, intrabar: Intrabar) => {
          const candles = sliceCandles(input.candles, 0, to)
          const { metrics } = backtest({ ...input, candles, conventions: { ...input.conventions, intrabar } })
          return { ...metrics, equity: input.config.investment + metrics.netProfit }
        }
        const ends = Array.from(input.candles.openTime, (time) => time + 1)
        const end = ends.find((to) => equityUpTo(to, 'pessimistic').ambiguousCandles > 0)
        fc.pre(end !== undefined)
        const lowFirst = equityUpTo(end, 'low-first').equity
        const highFirst = equityUpTo(end, 'high-first').equity
        expect(equityUpTo(end, 'pessimistic').equity).toBeCloseTo(Math.min(lowFirst, highFirst), 9)
        expect(equityUpTo(end, 'optimistic').equity).toBeCloseTo(Math.max(lowFirst, highFirst), 9)
        const rises = input.candles.close[ends.indexOf(end)] >= input.candles.open[ends.indexOf(end)]
        expect(equityUpTo(end, 'candle-colour').equity).toBe(rises ? lowFirst : highFirst)
      }),
    )
  })

  test('candles that stand still leave nothing to convention', () => {
    const prices = fc.array(fc.integer({ min: 80, max: 120 }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(someInput, prices, (input, walked) => {
        const results = (['pessimistic', 'optimistic', 'low-first', 'high-first', 'candle-colour'] as const).map(
          (intrabar) =>
            backtest({
              ...input,
              candles: flatCandles(walked),
              conventions: { ...input.conventions, intrabar },
            }),
        )
        for (const result of results) expect(result).toEqual(results[0])
        expect(results[0].metrics.ambiguousCandles).toBe(0)
      }),
    )
  })

  test('a candle that touches both sides is counted ambiguous under every convention', () => {
    for (const intrabar of ['pessimistic', 'optimistic', 'low-first', 'high-first', 'candle-colour'] as const) {
      expect(walk([100, 103.5, 97, 100], { config: oneRung, conventions: { intrabar } }).metrics.ambiguousCandles).toBe(
        1,
      )
    }
  })

  test('low first is not the cautious choice: it sells the bigger position on the same high', () => {
    const row: Row = [100, 103.5, 97, 100]
    const low = walk(row, { config: oneRung, conventions: { intrabar: 'low-first' } })
    const high = walk(row, { config: oneRung, conventions: { intrabar: 'high-first' } })
    expect(low.deals[0]).toMatchObject({ safetyOrders: 1, profit: expect.closeTo(6, 9) })
    expect(high.deals[0]).toMatchObject({ safetyOrders: 0, profit: expect.closeTo(3, 9) })
    expect(walk(row, { config: oneRung }).deals).toEqual(high.deals)
  })

  test('the take profit moves after a fill and can be hit later on the same path', () => {
    // Both filled at 100 and 98: average 98.99, take profit 101.96. High first passes 102 too early and then only reaches the close.
    const row: Row = [100, 102, 97, 100]
    expect(walk(row, { config: oneRung, conventions: { intrabar: 'low-first' } }).deals).toHaveLength(1)
    expect(walk(row, { config: oneRung, conventions: { intrabar: 'high-first' } }).openDeal?.safetyOrders).toBe(1)
    expect(walk([100, 102, 97, 102], { config: oneRung }).metrics.ambiguousCandles).toBe(0)
  })

  test('candle colour: a rising candle saw its low first, a falling one its high', () => {
    const conventions = { intrabar: 'candle-colour' } as const
    expect(walk([100, 103.5, 97, 100], { config: oneRung, conventions }).deals[0].safetyOrders).toBe(1)
    expect(walk([100, 103.5, 97, 99.9], { config: oneRung, conventions }).deals[0].safetyOrders).toBe(0)
  })

  test('a candle decided at its open is not ambiguous, however far it went', () => {
    const up = walk([104, 110, 90, 100], { config: { ...oneRung, stopLoss: 5 } })
    expect(up.deals[0]).toMatchObject({ exit: 'takeProfit', safetyOrders: 0 })
    expect(up.metrics.ambiguousCandles).toBe(0)
    const down = walk([90, 110, 80, 100], { config: { ...oneRung, stopLoss: 5 } })
    expect(down.deals[0]).toMatchObject({ exit: 'stopLoss', safetyOrders: 1 })
    expect(down.metrics.ambiguousCandles).toBe(0)
  })
})

describe('at which price orders fill', () => {
  test('a limit fills at its own price also when the candle opens beyond it', () => {
    const rung = walk([95, 95, 95, 95], { config: oneRung })
    expect(rung.openDeal).toMatchObject({ safetyOrders: 1, quantity: expect.closeTo(1 + 100 / 98, 12) })
    expect(walk([108, 109, 107, 108], { config: oneRung }).deals[0].price).toBe(103)
  })

  test('a stop inside the candle fills at its price, less slippage', () => {
    const config = { stopLoss: 10 }
    expect(walk([100, 100, 85, 88], { config }).deals[0]).toMatchObject({ exit: 'stopLoss', price: 90, profit: -10 })
    // With 1 % slippage the deal starts at 101, the stop lies at 90.9 and sells at 89.991.
    expect(walk([100, 100, 85, 88], { config, slippagePercent: 1 }).deals[0].price).toBeCloseTo(89.991, 9)
  })

  test('a stop on a gap fills at the open, and rungs above it first', () => {
    const config = { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 3, stopLoss: 8 }
    const { deals } = walk([85, 86, 84, 85], { config })
    expect(deals[0]).toMatchObject({ exit: 'stopLoss', safetyOrders: 2, price: 85 })
    expect(deals[0].quantity).toBeCloseTo(1 + 100 / 97 + 100 / 94, 12)
  })

  test('a stop above the first open sells at once, at the open', () => {
    // Slippage of 1 % puts the fill at 101 and a stop of 0.5 % at 100.495: the market is below it already.
    const { deals } = walk([100, 101, 99, 100], { config: { stopLoss: 0.5 }, slippagePercent: 1 })
    expect(deals[0]).toMatchObject({ exit: 'stopLoss', price: 99, closedAt: deals[0].openedAt })
  })

  test('rungs at or above the first open fill there, at their own price', () => {
    // The fee lifts the anchor to 101, so the first rung (0.5 % below) rests at 100.495, above the market.
    const config = { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 0.5, takeProfit: 5 }
    const { openDeal } = run({
      candles: flatCandles([100]),
      config,
      feePercent: 1,
      conventions: { basePrice: 'fill-with-fee' },
    })
    expect(openDeal).toMatchObject({ safetyOrders: 1, quantity: expect.closeTo(1 + 100 / 100.495, 12) })
  })

  test('a level is touched when the price equals it, whichever formula wrote the number', () => {
    // 100 · (1 − 0.07) is 92.99999999999999 in doubles, 100 · 1.1 is 110.00000000000001.
    expect(walk([100, 100, 93, 95], { config: { ...oneRung, dcaPriceScalePercent: 7 } }).openDeal?.safetyOrders).toBe(1)
    expect(walk([100, 110, 100, 105], { config: { takeProfit: 10 } }).deals).toHaveLength(1)
    expect(walk([100, 100, 93, 95], { config: { stopLoss: 7 } }).deals).toHaveLength(1)
    expect(walk([100, 109.99, 93.01, 100], { config: { takeProfit: 10, stopLoss: 7 } }).deals).toHaveLength(0)
  })
})
