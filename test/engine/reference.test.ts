import { describe, expect, test } from 'vitest'
import { runJump } from '../../src/engine/jump/jump.ts'
import { runReference } from '../../src/engine/reference.ts'
import { candlesOf, flatCandles, inputOf, MINUTE, type Row, type RunOptions, run, START } from './inputs.ts'

const at = (minute: number) => START + minute * MINUTE

describe('deals one after another', () => {
  test('prices that stand, then rise: one deal closed, one open, and the money to the last digit', () => {
    const { metrics, deals, openDeal } = run({
      candles: flatCandles([100, 99, 98, 102, 105, 105, 105, 105, 105, 105]),
      config: { takeProfit: 5 },
      feePercent: 0.075,
    })
    expect(deals).toHaveLength(1)
    expect(metrics.realizedProfit).toBeCloseTo(4.84625, 10)
    expect(openDeal?.profit).toBeCloseTo(-0.15, 10)
    expect(metrics.netProfit).toBeCloseTo(4.69625, 10)
    expect(metrics.maxDrawdownPercent).toBeCloseTo(0.21485, 10)
  })

  test('the candle on which a deal closes opens no new one; the next opens at the open of the next candle', () => {
    const rising: Row[] = [
      [100, 100, 100, 100],
      [100, 102, 100, 102],
      [103, 103, 103, 103],
    ]
    const { deals, openDeal } = run({ candles: candlesOf(rising), feePercent: 0 })
    expect(deals).toEqual([expect.objectContaining({ openedAt: at(0), closedAt: at(1), price: 101 })])
    expect(openDeal).toMatchObject({ openedAt: at(2), quantity: 100 / 103, value: 100, profit: 0 })
  })

  test('a deal can open and close within one candle', () => {
    const { deals, metrics } = run({ candles: candlesOf([[100, 102, 100, 101]]) })
    expect(deals[0]).toMatchObject({ openedAt: at(0), closedAt: at(0) })
    expect(metrics.dealDuration.max).toBe(1)
  })

  test('a base order and two rungs of 100: average 97.97, take profit 98.95, net 2.3970 on 300', () => {
    const config = { dcaMaxSafetyOrders: 2, dcaPriceScalePercent: 2 }
    const { deals } = run({ candles: flatCandles([100, 96, 99]), config })
    expect(deals[0]).toMatchObject({ safetyOrders: 2, exit: 'takeProfit', price: expect.closeTo(98.9525132, 7) })
    expect(deals[0].profit).toBeCloseTo(2.397, 4)
    expect(deals[0].cost).toBeCloseTo(300.3, 10)
    expect(deals[0].proceeds - deals[0].cost).toBe(deals[0].profit)
  })

  test('the same ladder stopped 10 % below its base loses 24.9889', () => {
    const config = { dcaMaxSafetyOrders: 2, dcaPriceScalePercent: 2, stopLoss: 10 }
    const falling: Row[] = [
      [100, 100, 100, 100],
      [100, 100, 89, 89],
    ]
    const { deals } = run({ candles: candlesOf(falling), config })
    expect(deals[0]).toMatchObject({ exit: 'stopLoss', price: 90 })
    expect(deals[0].profit).toBeCloseTo(-24.9889, 4)
  })

  test('after a stop loss the bot begins again, or stops where the convention says so', () => {
    const candles = flatCandles([100, 89, 100, 89, 100])
    const restart = run({ candles, config: { stopLoss: 10 } })
    expect([restart.metrics.stopLosses, restart.openDeal !== null]).toEqual([2, true])
    const stop = run({ candles, config: { stopLoss: 10 }, conventions: { afterStopLoss: 'stop' } })
    expect([stop.metrics.stopLosses, stop.openDeal, stop.metrics.outOfCash]).toEqual([1, null, false])
  })

  test('slippage worsens the base order and leaves the limits alone', () => {
    const { deals } = run({ candles: flatCandles([100, 102]), feePercent: 0, slippagePercent: 0.5 })
    expect(deals[0].quantity).toBeCloseTo(100 / 100.5, 12)
    expect(deals[0].price).toBeCloseTo(100.5 * 1.01, 10)
  })
})

describe.each([
  ['the reference engine', runReference],
  ['the jump engine', runJump],
])('the worst open loss of each deal: %s', (_, engine) => {
  const lowestValues = (options: RunOptions) => {
    const { deals, openDeal, metrics } = engine(inputOf({ feePercent: 0, ...options }))
    return { closed: deals.map((deal) => deal.lowestValue), open: openDeal?.lowestValue, all: metrics.maxFloatingLoss }
  }

  test('100 bought at 100 and seen at 95, 97 and 99, after the fee: each deal has its own, the open one too', () => {
    const candles = candlesOf([
      [100, 100, 97, 98],
      [98, 101.5, 98, 101],
      [100, 100, 95, 98],
      [98, 101.5, 98, 101],
      [100, 100, 99, 100],
    ])
    expect(lowestValues({ candles, feePercent: 0.1 })).toEqual({
      closed: [expect.closeTo(97 * 0.999 - 100.1, 10), expect.closeTo(95 * 0.999 - 100.1, 10)],
      open: expect.closeTo(99 * 0.999 - 100.1, 10),
      all: expect.closeTo(-5.195, 10),
    })
  })

  test('a deal that never was below its cost has 0', () => {
    const candles = candlesOf([
      [100, 100.5, 100, 100.5],
      [100.5, 101, 100.2, 101],
    ])
    expect(lowestValues({ candles })).toEqual({ closed: [0], open: undefined, all: 0 })
  })

  test('at a low that fills a rung it is the value of both orders: 202.04 of base at 90 is 18.16 below 200', () => {
    const candles = candlesOf([
      [100, 100, 99, 99],
      [99, 99, 90, 95],
      [95, 101, 95, 101],
    ])
    const config = { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2 }
    const { closed } = lowestValues({ candles, config })
    expect(closed).toEqual([expect.closeTo((1 + 100 / 98) * 90 - 200, 10)])
    expect(closed[0]).toBeCloseTo(-18.16, 2)
  })

  test('a stop is a loss that was really made, and the lowest of its deal', () => {
    const candles = candlesOf([
      [100, 100, 95, 96],
      [96, 96, 80, 85],
    ])
    expect(lowestValues({ candles, config: { stopLoss: 10 } }).closed).toEqual([expect.closeTo(-10, 10)])
    expect(lowestValues({ candles, config: { stopLoss: 10 }, slippagePercent: 1 }).closed[0]).toBeLessThan(-10)
  })

  test('a low that came after the sale is not of the deal', () => {
    const candles = candlesOf([
      [100, 100, 99, 100],
      [100, 102, 90, 95],
    ])
    expect(lowestValues({ candles, conventions: { intrabar: 'high-first' } }).closed).toEqual([-1])
    expect(lowestValues({ candles, conventions: { intrabar: 'low-first' } }).closed).toEqual([-10])
  })

  test('it is found again after weeks of minutes: a deal that fell to 60 and stands at 90', () => {
    const fallen = new Array<number>(20_000).fill(90)
    fallen[0] = 100
    fallen[7] = 70
    fallen[9_000] = 60
    expect(lowestValues({ candles: flatCandles(fallen) })).toEqual({ closed: [], open: -40, all: -40 })
    expect(lowestValues({ candles: flatCandles([...fallen, 101]) })).toEqual({
      closed: [-40],
      open: undefined,
      all: -40,
    })
  })
})

describe('the cap', () => {
  test('rungs beyond the budget are not placed, and counted for every deal', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 2, dcaTotalBudget: 350 }
    const { metrics, deals } = run({ candles: flatCandles([100, 80, 120, 100, 80]), config })
    expect(deals[0].safetyOrders).toBe(2)
    expect(metrics.unaffordableOrders).toBe(3 + 3)
    expect(metrics.usedCapital.max).toBeCloseTo(300.3, 10)
  })

  test('a rung that the stop makes impossible costs nothing and is not unaffordable', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 2, dcaTotalBudget: 300.3, stopLoss: 5 }
    const { metrics } = run({ candles: flatCandles([100]), config })
    expect(metrics.unaffordableOrders).toBe(0)
  })

  test('a ladder that costs exactly the budget with fees is placed whole', () => {
    const config = { dcaMaxSafetyOrders: 2, dcaPriceScalePercent: 2, dcaTotalBudget: 300 * 1.001 }
    const { openDeal, metrics } = run({ candles: flatCandles([100, 90]), config })
    expect([openDeal?.safetyOrders, metrics.unaffordableOrders]).toEqual([2, 0])
  })

  test('money that was lost cannot be spent again', () => {
    const config = { investment: 201, dcaInitialOrderSize: 200, stopLoss: 10 }
    const { metrics, deals } = run({ candles: flatCandles([100, 90, 100, 100]), config })
    expect(deals).toHaveLength(1)
    expect(metrics).toMatchObject({ outOfCash: true, openDeal: false, timeInDealPercent: 50 })
  })

  test('losses first take the deepest rungs, then the base order', () => {
    const config = { investment: 320, dcaMaxSafetyOrders: 2, dcaPriceScalePercent: 2, stopLoss: 10 }
    const { metrics, deals } = run({ candles: flatCandles([100, 85, 100, 85, 100]), config })
    expect(deals.map(({ safetyOrders }) => safetyOrders)).toEqual([2, 1])
    expect(metrics.unaffordableOrders).toBe(1 + 1)
    expect(metrics.outOfCash).toBe(false)
  })

  test('a base order below the minimum notional stops the bot', () => {
    const { metrics, deals } = run({ candles: flatCandles([100, 110]), symbol: { minNotional: 100.01 } })
    expect([deals.length, metrics.outOfCash, metrics.orders]).toEqual([0, true, 0])
  })

  test('of six rungs too small for the lot or the minimum notional one is placed, and five are counted in every deal', () => {
    // Each rung is half of the one above it: 50, 25, 12.5 …
    const config = { dcaMaxSafetyOrders: 6, dcaPriceScalePercent: 2, dcaVolumeScale: 0.5 }
    for (const symbol of [{ minNotional: 30 }, { lot: 0.4 }]) {
      const { metrics, deals } = run({ candles: flatCandles([100, 80, 120, 100]), config, symbol })
      expect(deals.map(({ safetyOrders }) => safetyOrders)).toEqual([1])
      expect([metrics.unplacedOrders, metrics.unaffordableOrders]).toEqual([5 + 5, 0])
    }
  })

  test('a rung is too small, too dear or impossible, never two of these', () => {
    const config = { dcaMaxSafetyOrders: 6, dcaPriceScalePercent: 2, dcaVolumeScale: 0.5, stopLoss: 10.5 }
    const options = { candles: flatCandles([100]), feePercent: 0, symbol: { minNotional: 20 } }
    // 50 is paid, 25 is too dear, 12.5 and 6.25 … are too small; the sixth lies below the stop.
    const { metrics } = run({ ...options, config: { ...config, dcaTotalBudget: 160 } })
    expect([metrics.unaffordableOrders, metrics.unplacedOrders]).toEqual([1, 3])
  })

  test('a lot rounded up counts with its real price against the cap', () => {
    const options = { candles: flatCandles([70]), feePercent: 0, symbol: { lot: 1 } }
    const config = { dcaTotalBudget: 100 }
    expect(run({ ...options, config, conventions: { lotRounding: 'up' } }).metrics.outOfCash).toBe(true)
    expect(run({ ...options, config }).openDeal).toMatchObject({ quantity: 1, cost: 70 })
  })
})
