import { type Metrics, STRESS } from '../contract/metrics.ts'
import type { Conventions } from './conventions.ts'
import type { BacktestInput, BacktestResult } from './deal.ts'

/** What a run says of itself: everything but the metrics for which other runs are needed. */
export interface OwnRun extends Omit<BacktestResult, 'metrics'> {
  readonly metrics: OwnMetrics
}

export type OwnMetrics = Omit<Metrics, 'netProfitPessimistic' | 'netProfitOptimistic' | 'stressedPerUsed'>

/** The terms of a stress test: worst-case fills, and costs that are higher. */
export function stressed<Terms extends Pick<BacktestInput, 'conventions' | 'costs'>>(terms: Terms): Terms {
  const { feePercent, slippagePercent } = terms.costs
  return {
    ...terms,
    conventions: { ...terms.conventions, intrabar: 'pessimistic' },
    costs: { feePercent: feePercent + STRESS.feePercent, slippagePercent: slippagePercent + STRESS.slippagePercent },
  }
}

/**
 * Adds what other complete runs say. The ambiguity pair: the net profits, in quote, under `intrabar: pessimistic` and `optimistic`, everything
 * else as asked. They show how much of a result is the order of prices inside candles, which nobody knows; neither is a bound, because a path
 * that is better on one candle may lead to worse ones later. And the profit per capital used of a stress test.
 *
 * A run that met no ambiguous candle has the same deals under every convention: on each candle both paths did the same to the same deal, so
 * that the next candle found the same deal again. Then, and where the run's own convention is one of the two, it is not run again.
 * @param run one walk over the candles; the same for all
 */
export function withOtherRuns(input: BacktestInput, run: (input: BacktestInput) => OwnRun): BacktestResult {
  const own = run(input)
  const { netProfit, ambiguousCandles } = own.metrics
  const netProfitUnder = (intrabar: Conventions['intrabar']) => {
    if (ambiguousCandles === 0 || input.conventions.intrabar === intrabar) return netProfit
    return run({ ...input, conventions: { ...input.conventions, intrabar } }).metrics.netProfit
  }
  const others = {
    netProfitPessimistic: netProfitUnder('pessimistic'),
    netProfitOptimistic: netProfitUnder('optimistic'),
    stressedPerUsed: run(stressed(input)).metrics.netProfitPerUsedPercent,
  }
  return { ...own, metrics: { ...own.metrics, ...others } }
}
