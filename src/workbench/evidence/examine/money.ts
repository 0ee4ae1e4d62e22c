/** The checks that look at one run and the market beside it: where the profit came from, what a fall would do, and what holding would have made. */

import { exposedHoldBenchmark, holdBenchmark, periodicPurchases } from '../../analysis/certainty/benchmarks.ts'
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import { fallAfterBaseOrder } from '../../analysis/certainty/falls.ts'
import { partsOfProfit } from '../../analysis/certainty/parts-of-profit.ts'
import type { Evaluation } from './evaluation.ts'

export function checkThirds({ run, trial }: Evaluation): CheckAnswer<'thirds'> {
  const { dailyEquity } = run.metrics
  if (dailyEquity.length < 3) return { refused: 'there are fewer than three days' }
  const deals = run.deals.map((deal) => ({ ...deal, openedAt: new Date(deal.openedAt).toISOString() }))
  return { value: partsOfProfit({ investment: trial.config.investment, dailyEquity, deals }) }
}

/** From the last close: what the bot would stand before if it started there. */
export function checkFall({ trial, terms, loaded: { candles } }: Evaluation): CheckAnswer<'fall'> {
  const startPrice = candles.close.at(-1)
  if (startPrice === undefined) return { refused: 'there are no candles' }
  return { value: fallAfterBaseOrder({ ...terms, config: trial.config, startPrice }) }
}

export function checkBenchmark({ run, trial, terms, loaded: { candles } }: Evaluation): CheckAnswer<'benchmark'> {
  if (candles.close.length === 0) return { refused: 'there are no candles' }
  const stake = { investment: trial.config.investment, feePercent: terms.costs.feePercent }
  return {
    value: {
      hold: holdBenchmark(candles, stake),
      exposedHold: exposedHoldBenchmark(candles, { ...stake, averageUsedCapital: run.metrics.usedCapital.average }),
      periodic: {
        daily: periodicPurchases(candles, { ...stake, every: 'day' }),
        weekly: periodicPurchases(candles, { ...stake, every: 'week' }),
      },
    },
  }
}
