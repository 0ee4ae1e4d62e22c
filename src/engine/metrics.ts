import { sampleSizeOf } from '../contract/metrics.ts'
import type { OwnMetrics } from './ambiguity-pair.ts'
import type { BuyAndHold } from './buy-and-hold.ts'
import { DAY_MS, type DailyEquity, dailyReturns, datedEquity, monthlyReturns } from './daily-equity.ts'
import type { ClosedDeal, OpenDeal } from './deal.ts'
import {
  countSampleDeals,
  dealDurations,
  safetyOrderCounts,
  summarizeProfits,
  tradedVolume,
} from './deal-statistics.ts'
import type { DrawdownMeter } from './drawdown.ts'
import { cagrPercent, sharpeRatio, sortinoRatio } from './risk-adjusted.ts'

/**
 * What an engine must know about a run to compute every metric: its deals, and facts that depend on the candles. An engine that
 * skips candles may find these in its own way: nothing is needed per candle.
 */
interface RunFacts {
  readonly investment: number
  readonly feeRate: number
  readonly candles: {
    readonly count: number
    readonly intervalMs: number
    /** Open times; 0 without candles. */
    readonly firstOpen: number
    readonly lastOpen: number
  }
  readonly deals: readonly ClosedDeal[]
  readonly openDeal: OpenDeal | null
  readonly drawdown: Pick<DrawdownMeter, 'deepest' | 'deepestAtLow'>
  /** 0 or negative, quote. */
  readonly maxFloatingLoss: number
  readonly candlesInDeal: number
  readonly candlesFullyInvested: number
  /** Cost with fees at each close, or before the sale on a closing candle. */
  readonly usedCapital: { readonly max: number; readonly sumOverCandles: number }
  readonly dailyEquity: DailyEquity
  readonly buyAndHold: BuyAndHold
  readonly ambiguousCandles: number
  readonly missingInDeals: number
  readonly unaffordableOrders: number
  readonly unplacedOrders: number
  readonly outOfCash: boolean
}

/** Every metric of `METRICS` that one run gives; what other runs say is added to a result (`ambiguity-pair.ts`). Without candles: no profit, no drawdown, empty series, and null where a ratio has nothing to divide. */
export function computeMetrics(run: RunFacts): OwnMetrics {
  const { deals, openDeal, investment, candles } = run
  const { realizedProfit, wins, stopLosses, profitFactor } = summarizeProfits(deals)
  const unrealizedProfit = openDeal === null ? 0 : openDeal.profit
  const netProfit = realizedProfit + unrealizedProfit
  const { orders, volume } = tradedVolume(deals, openDeal, run.feeRate)
  const returns = dailyReturns(run.dailyEquity, investment)
  const endTime = candles.lastOpen + candles.intervalMs
  const maxDrawdownPercent = 100 * run.drawdown.deepest
  const cagr =
    candles.count === 0 ? null : cagrPercent(1 + netProfit / investment, (endTime - candles.firstOpen) / DAY_MS)
  const shareOfCandles = (amount: number) => (candles.count === 0 ? 0 : amount / candles.count)
  const averageUsed = shareOfCandles(run.usedCapital.sumOverCandles)
  return {
    realizedProfit,
    unrealizedProfit,
    netProfit,
    netProfitPerUsedPercent: averageUsed === 0 ? null : (100 * netProfit) / averageUsed,
    roiPercent: (100 * netProfit) / investment,
    roiOnMaxUsedPercent: run.usedCapital.max === 0 ? null : (100 * netProfit) / run.usedCapital.max,
    maxDrawdownPercent,
    maxDrawdownLowPercent: 100 * run.drawdown.deepestAtLow,
    maxFloatingLoss: run.maxFloatingLoss,
    closedDeals: deals.length,
    winRatePercent: deals.length === 0 ? null : (100 * wins) / deals.length,
    stopLosses,
    openDeal: openDeal !== null,
    dealDuration: dealDurations(deals, openDeal, { intervalMs: candles.intervalMs, endTime }),
    safetyOrdersFilled: safetyOrderCounts(deals, openDeal),
    timeInDealPercent: 100 * shareOfCandles(run.candlesInDeal),
    timeFullyInvestedPercent: 100 * shareOfCandles(run.candlesFullyInvested),
    usedCapital: { max: run.usedCapital.max, average: averageUsed },
    profitFactor,
    sharpe: sharpeRatio(returns),
    sortino: sortinoRatio(returns),
    cagrPercent: cagr,
    calmar: cagr === null || maxDrawdownPercent === 0 ? null : cagr / maxDrawdownPercent,
    feesPaid: run.feeRate * volume, // the rate is charged on the quote of every fill
    orders,
    volume,
    buyAndHoldPercent: run.buyAndHold.returnPercent,
    exposedHoldPercent: run.buyAndHold.returnPercent * (averageUsed / investment),
    buyAndHoldMaxDrawdownPercent: run.buyAndHold.maxDrawdownPercent,
    ambiguousCandles: run.ambiguousCandles,
    missingInDeals: run.missingInDeals,
    unaffordableOrders: run.unaffordableOrders,
    unplacedOrders: run.unplacedOrders,
    outOfCash: run.outOfCash,
    monthlyReturns: monthlyReturns(run.dailyEquity, investment),
    dailyEquity: datedEquity(run.dailyEquity),
    sampleSize: sampleSizeOf(countSampleDeals(deals)),
  }
}
