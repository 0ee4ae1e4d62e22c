import { type Metrics, sampleSizeOf } from '../contract/metrics.ts'
import type { OwnMetrics } from './ambiguity-pair.ts'
import type { BuyAndHold } from './buy-and-hold.ts'
import { DAY_MS, type DailyEquity, dailyReturns, datedEquity, monthlyReturns } from './daily-equity.ts'
import type { ClosedDeal, OpenDeal } from './deal.ts'
import { medianOf, nearestRankOf } from './deal-statistics.ts'
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

const MINUTE_MS = 60_000

interface ProfitSummary {
  readonly realizedProfit: number
  readonly wins: number
  readonly stopLosses: number
  /** Σ wins / |Σ losses|; null without losses. */
  readonly profitFactor: number | null
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

/** Minutes from the open of a deal's first candle to the end of its last; `endTime` = last open + interval of the data. */
export function dealDurations(
  deals: readonly ClosedDeal[],
  openDeal: OpenDeal | null,
  { intervalMs, endTime }: { intervalMs: number; endTime: number },
): Metrics['dealDuration'] {
  const minutes = deals.map((deal) => (deal.closedAt + intervalMs - deal.openedAt) / MINUTE_MS)
  // A typed array sorts numbers without a callback, which took a tenth of a backtest with many deals.
  const closed = Array.from(Float64Array.from(minutes).sort())
  const open = openDeal === null ? null : (endTime - openDeal.openedAt) / MINUTE_MS
  const longest = closed.at(-1) ?? null
  return {
    average: average(closed),
    median: medianOf(closed.length, (rank) => closed[rank]),
    p95: nearestRankOf(closed.length, (rank) => closed[rank], 0.95),
    max: open === null || longest === null ? (open ?? longest) : Math.max(open, longest),
  }
}

/** Safety orders per deal, the open one included. The histogram ends at the most that any deal filled; empty without deals. */
export function safetyOrderCounts(
  deals: readonly ClosedDeal[],
  openDeal: OpenDeal | null,
): Metrics['safetyOrdersFilled'] {
  const counts = deals.map((deal) => deal.safetyOrders)
  if (openDeal !== null) counts.push(openDeal.safetyOrders)
  const most = counts.reduce((max, count) => Math.max(max, count), -1)
  const histogram = new Array<number>(most + 1).fill(0)
  for (const count of counts) histogram[count]++
  return { average: average(counts), max: most < 0 ? null : most, histogram }
}

export function summarizeProfits(deals: readonly ClosedDeal[]): ProfitSummary {
  let realizedProfit = 0
  let wins = 0
  let stopLosses = 0
  let won = 0
  let lost = 0
  for (const { profit, exit } of deals) {
    realizedProfit += profit
    if (exit === 'stopLoss') stopLosses++
    if (profit > 0) {
      wins++
      won += profit
    } else lost -= profit
  }
  return { realizedProfit, wins, stopLosses, profitFactor: lost > 0 ? won / lost : null }
}

/** Number of fills, and the amount traded: Σ price · quantity of both sides. Of the open deal only the buys count. */
function tradedVolume(
  deals: readonly ClosedDeal[],
  openDeal: OpenDeal | null,
  feeRate: number,
): { orders: number; volume: number } {
  let orders = 0
  let volume = 0
  for (const deal of deals) {
    orders += deal.safetyOrders + 2
    volume += deal.cost / (1 + feeRate) + deal.quantity * deal.price
  }
  if (openDeal !== null) {
    orders += openDeal.safetyOrders + 1
    volume += openDeal.cost / (1 + feeRate)
  }
  return { orders, volume }
}

/** How many deals say something: the result of one that opens and closes inside one candle depends on the assumed path. */
export function countSampleDeals(deals: readonly ClosedDeal[]): number {
  return deals.filter((deal) => deal.closedAt > deal.openedAt).length
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
