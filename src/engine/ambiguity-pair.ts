import type { Metrics } from '../contract/metrics.ts'
import type { Conventions } from './conventions.ts'
import type { BacktestInput, BacktestResult } from './deal.ts'

/** What a run says of itself: everything but the pair, for which other runs are needed. */
export interface OwnRun extends Omit<BacktestResult, 'metrics'> {
  readonly metrics: OwnMetrics
}

export type OwnMetrics = Omit<Metrics, 'netProfitPessimistic' | 'netProfitOptimistic'>

/**
 * Adds the ambiguity pair: the net profits, in quote, of two complete runs under `intrabar: pessimistic` and `optimistic`, everything else as
 * asked. They show how much of a result is the order of prices inside candles, which nobody knows; neither is a bound, because a path that is
 * better on one candle may lead to worse ones later.
 *
 * A run that met no ambiguous candle has the same deals under every convention: on each candle both paths did the same to the same deal, so
 * that the next candle found the same deal again. Then, and where the run's own convention is one of the two, it is not run again.
 * @param run one walk over the candles; the same for all three
 */
export function withAmbiguityPair(input: BacktestInput, run: (input: BacktestInput) => OwnRun): BacktestResult {
  const own = run(input)
  const { netProfit, ambiguousCandles } = own.metrics
  const netProfitUnder = (intrabar: Conventions['intrabar']) => {
    if (ambiguousCandles === 0 || input.conventions.intrabar === intrabar) return netProfit
    return run({ ...input, conventions: { ...input.conventions, intrabar } }).metrics.netProfit
  }
  const pair = {
    netProfitPessimistic: netProfitUnder('pessimistic'),
    netProfitOptimistic: netProfitUnder('optimistic'),
  }
  return { ...own, metrics: { ...own.metrics, ...pair } }
}
