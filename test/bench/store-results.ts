/** Results as a service returns them, made up: every one has other numbers, replies are as long as real ones. */
import type { DealBody } from '../../src/contract/bodies.ts'
import { METRICS, type Metrics } from '../../src/contract/metrics.ts'
import type { ResultReading } from '../../src/contract/result-reading.ts'
import { CONVENTION_PRESETS } from '../../src/engine/conventions.ts'
import type { Period, Trial } from '../../src/workbench/study/study.ts'
import type { Dice } from '../engine/jump/cases.ts'
import { metricsWith } from '../support/metrics.ts'

const day = 86_400_000
const days = 90
const candles = { interval: '1m', count: days * 1440, missing: 0, hash: 'a'.repeat(64), synthetic: false }
export const SYMBOL = { tick: 0.01, lot: 0.00001, minNotional: 5 }
export const CONVENTIONS = { ...CONVENTION_PRESETS.default }
export const COSTS = { feePercent: 0.1, slippagePercent: 0.05 }

export interface Extent {
  readonly deals: number
  /** With its equity day by day. */
  readonly equity: boolean
}

export function someResult(dice: Dice, period: Period, { deals, equity }: Extent): ResultReading {
  return {
    metrics: { ...someMetrics(dice), dailyEquity: equity ? someEquity(dice, period) : [] },
    flags: {},
    deals: deals > 0 ? someDeals(dice, period, deals) : null,
    openDeal: null,
    candles,
    conventions: CONVENTIONS,
    costs: COSTS,
    symbol: SYMBOL,
    engineVersion: '1',
  }
}

function someMetrics(dice: Dice): Metrics {
  const metrics = metricsWith((name) => (METRICS[name].whole ? dice.whole(0, 60) : dice.between(0.01, 60)))
  return { ...metrics, netProfit: dice.between(-400, 600), closedDeals: dice.whole(20, 180) }
}

function someEquity(dice: Dice, { from }: Period): Metrics['dailyEquity'] {
  return Array.from({ length: days }, (_, n) => ({
    date: new Date(from + n * day).toISOString().slice(0, 10),
    equity: dice.between(900, 1400),
  }))
}

/** Costs and profits repeat from deal to deal, as those of one ladder do; that is what makes replies compress well. */
function someDeals(dice: Dice, { from }: Period, count: number): DealBody[] {
  const lengthMs = (days * day) / count
  const [base, take] = [dice.between(10, 40), dice.between(0.5, 5) / 100]
  return Array.from({ length: count }, (_, n) => {
    const safetyOrders = dice.chance(0.6) ? 0 : dice.whole(1, 8)
    const cost = base * (1 + 1.3 * safetyOrders)
    const isTake = dice.chance(0.95)
    const proceeds = isTake ? cost * (1 + take) : cost * dice.between(0.9, 0.99)
    const price = dice.whole(2_000_000, 6_000_000) / 100
    const minute = Math.floor((from + n * lengthMs) / 60_000)
    return {
      openedAt: new Date(minute * 60_000).toISOString(),
      closedAt: new Date((minute + dice.whole(5, lengthMs / 60_000)) * 60_000).toISOString(),
      exit: isTake ? 'takeProfit' : 'stopLoss',
      safetyOrders,
      quantity: cost / price,
      cost,
      proceeds,
      profit: proceeds - cost,
      price,
      lowestValue: -cost * 0.05,
    }
  })
}

/** What the service would have said of it. */
export function replyOf({ config }: Trial, result: ResultReading, remoteId: string): string {
  const { metrics, deals, openDeal, conventions, costs, symbol, engineVersion } = result
  return JSON.stringify({
    id: remoteId,
    name: `dcalab-bench-${remoteId}`,
    status: 'completed',
    createdAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:01:00.000Z',
    request: { ...config, strategyType: 'DCA_SPOT', settings: { conventions, costs, symbol } },
    result: { metrics, deals: deals ?? [], openDeal, candles, conventions, costs, symbol, engineVersion },
  })
}
