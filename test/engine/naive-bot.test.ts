import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backtest } from '../../src/engine/backtest.ts'
import { someInput } from './arbitraries.ts'
import { runNaiveBot } from './naive-bot.ts'

const RUNS = 400

test('two independent readings of the rules agree on every deal and on the money', () => {
  fc.assert(
    fc.property(someInput, (input) => {
      const naive = runNaiveBot(input)
      const { metrics, deals, openDeal } = backtest(input)
      const decisions = ({ openedAt, closedAt, exit, safetyOrders }: (typeof naive.deals)[number]) =>
        `${openedAt} ${closedAt} ${exit} ${safetyOrders}`
      expect(deals.map(decisions)).toEqual(naive.deals.map(decisions))
      deals.forEach((deal, i) => {
        expect(deal.price).toBeCloseTo(naive.deals[i].price, 9)
        expect(deal.profit).toBeCloseTo(naive.deals[i].profit, 8)
      })
      expect(openDeal?.safetyOrders ?? null).toBe(naive.openSafetyOrders)

      const count = input.candles.openTime.length
      const used = naive.usedCapital.reduce((sum, value) => sum + value, 0)
      expect(input.config.investment + metrics.netProfit).toBeCloseTo(naive.equity[count - 1], 8)
      expect(metrics.maxDrawdownPercent).toBeCloseTo(naive.maxDrawdownPercent, 9)
      expect(metrics.maxDrawdownLowPercent).toBeCloseTo(naive.maxDrawdownLowPercent, 9)
      expect(metrics.maxFloatingLoss).toBeCloseTo(naive.maxFloatingLoss, 8)
      expect(metrics.feesPaid).toBeCloseTo(naive.feesPaid, 8)
      expect(metrics.timeInDealPercent).toBeCloseTo((100 * naive.candlesInDeal) / count, 9)
      expect(metrics.timeFullyInvestedPercent).toBeCloseTo((100 * naive.candlesFullyInvested) / count, 9)
      expect(metrics.usedCapital.max).toBeCloseTo(Math.max(0, ...naive.usedCapital), 8)
      expect(metrics.usedCapital.average).toBeCloseTo(used / count, 8)
      expect(metrics.ambiguousCandles).toBe(naive.ambiguousCandles)
      expect(metrics.unaffordableOrders).toBe(naive.unaffordableOrders)
      expect(metrics.outOfCash).toBe(naive.outOfCash)
    }),
    { numRuns: RUNS },
  )
})
