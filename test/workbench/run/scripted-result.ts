/** The result of every job of a scripted service. */
import type { Metrics } from '../../../src/contract/metrics.ts'
import type { ResultReading } from '../../../src/contract/result-reading.ts'
import { idleMetrics } from '../../support/metrics.ts'
import type { BookedJob } from './scripted-script.ts'

/** Any numbers will do; net profit is the take profit, so that the best trial is known. */
export function resultOf({ request }: BookedJob, feePercent: number, netProfit = request.takeProfit): ResultReading {
  const metrics: Metrics = {
    ...idleMetrics(),
    realizedProfit: netProfit,
    netProfit,
    roiPercent: netProfit / 10,
    maxDrawdownPercent: 1,
    maxDrawdownLowPercent: 2,
    maxFloatingLoss: -1,
    closedDeals: 12,
    winRatePercent: 100,
    openDeal: true,
    dealDuration: { average: 1.5, median: 1, p95: 3, max: 4 },
    safetyOrdersFilled: { average: 0.5, max: 2, histogram: [6, 6] },
    timeInDealPercent: 50,
    timeFullyInvestedPercent: 1,
    usedCapital: { max: 100, average: 50 },
    sharpe: 1.25,
    feesPaid: 1,
    orders: 24,
    volume: 1000,
    buyAndHoldPercent: -3,
    buyAndHoldMaxDrawdownPercent: 9,
    monthlyReturns: [{ month: '2021-05', returnPercent: 1 }],
    dailyEquity: [{ date: '2021-05-01', equity: 1000 }],
  }
  return {
    metrics,
    flags: {},
    deals: [],
    openDeal: null,
    candles: { interval: '1m', count: 1440, missing: 0, hash: 'abc', synthetic: true },
    conventions: request.settings?.conventions ?? { intrabar: 'pessimistic' },
    costs: request.settings?.costs ?? { feePercent, slippagePercent: 0 },
    symbol: null,
    engineVersion: 'scripted-1',
  }
}
