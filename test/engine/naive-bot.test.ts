import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backtest } from '../../src/engine/backtest.ts'
import type { Conventions } from '../../src/engine/conventions.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { share } from '../support/share.ts'
import { sharedData } from '../support/shared-data.ts'
import { someInput } from './arbitraries.ts'
import { inputOf, MINUTE } from './inputs.ts'
import { runNaiveBot } from './naive-bot.ts'

const RUNS = share({ usual: 75, long: 400 })

function expectAgreement(input: BacktestInput): void {
  const naive = runNaiveBot(input)
  const { metrics, deals, openDeal } = backtest(input)
  const decisions = ({ openedAt, closedAt, exit, safetyOrders }: (typeof naive.deals)[number]) =>
    `${openedAt} ${closedAt} ${exit} ${safetyOrders}`
  expect(deals.map(decisions)).toEqual(naive.deals.map(decisions))
  deals.forEach((deal, i) => {
    expect(deal.price).toBeCloseTo(naive.deals[i].price, 9)
    expect(deal.profit).toBeCloseTo(naive.deals[i].profit, 8)
    expect(deal.lowestValue).toBeCloseTo(naive.deals[i].lowestValue, 8)
  })
  expect(openDeal?.safetyOrders ?? null).toBe(naive.openSafetyOrders)
  if (openDeal !== null) expect(openDeal.lowestValue).toBeCloseTo(naive.openLowestValue, 8)

  const count = input.candles.openTime.length
  const used = naive.usedCapital.reduce((sum, value) => sum + value, 0)
  const mostUsed = naive.usedCapital.reduce((most, value) => Math.max(most, value), 0)
  expect(input.config.investment + metrics.netProfit).toBeCloseTo(naive.equity[count - 1], 8)
  expect(metrics.maxDrawdownPercent).toBeCloseTo(naive.maxDrawdownPercent, 9)
  expect(metrics.maxDrawdownLowPercent).toBeCloseTo(naive.maxDrawdownLowPercent, 9)
  expect(metrics.maxFloatingLoss).toBeCloseTo(naive.maxFloatingLoss, 8)
  expect(metrics.feesPaid).toBeCloseTo(naive.feesPaid, 8)
  expect(metrics.timeInDealPercent).toBeCloseTo((100 * naive.candlesInDeal) / count, 9)
  expect(metrics.timeFullyInvestedPercent).toBeCloseTo((100 * naive.candlesFullyInvested) / count, 9)
  expect(metrics.usedCapital.max).toBeCloseTo(mostUsed, 8)
  expect(metrics.usedCapital.average).toBeCloseTo(used / count, 8)
  expect(metrics.ambiguousCandles).toBe(naive.ambiguousCandles)
  expect(metrics.unaffordableOrders).toBe(naive.unaffordableOrders)
  expect(metrics.unplacedOrders).toBe(naive.unplacedOrders)
  expect(metrics.outOfCash).toBe(naive.outOfCash)
}

test('two independent readings of the rules agree on every deal and on the money', () => {
  fc.assert(fc.property(someInput, expectAgreement), { numRuns: RUNS })
})

const crash = sharedData('candles/binance_DOGE-USDT_1m_2021-04_2021-05.csv.gz')

describe.skipIf(crash === undefined)('DOGE minutes of April and May 2021', () => {
  if (crash === undefined) return
  const candles = readCsvCandles(crash, MINUTE)
  const config = {
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 6,
    dcaPriceScalePercent: 0.6,
    dcaPriceStepMultiplier: 1.3,
    dcaVolumeScale: 1.4,
    takeProfit: 0.8,
    stopLoss: 9,
  }
  const choices: readonly Partial<Conventions>[] = [
    {},
    { stopLossBasis: 'average', spacing: 'from-previous', intrabar: 'optimistic' },
    { takeProfitBasis: 'net', basePrice: 'fill-with-fee', intrabar: 'candle-colour' },
  ]

  test.each(choices)(
    'both readings agree on a month of crash and rally, with hundreds of ambiguous candles: %j',
    (conventions) => {
      const input = inputOf({ candles, config, conventions, slippagePercent: 0.05 })
      expect(backtest(input).metrics.ambiguousCandles).toBeGreaterThan(100)
      expectAgreement(input)
    },
  )

  test('and with tick, lot and minimum notional', () => {
    const symbol = { tick: 0.0001, lot: 1, minNotional: 10 }
    expectAgreement(inputOf({ candles, config: { ...config, takeProfit: 0.5 }, symbol }))
  })
})
