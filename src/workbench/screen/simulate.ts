/** Runs the configs of one portion on one market, each simulation once. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metric-values.ts'
import type { MetricName } from '../../contract/metrics.ts'
import type { Candles } from '../../engine/candles.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import { runJump, runJumpOnce } from '../../engine/jump/jump.ts'
import { createSweep } from '../../engine/jump/sweep.ts'
import { createDistinctConfigs } from './distinct.ts'
import { candleFacts, type Depth, depthOf, isSwept, needDurations, type ReadMetric, sweptValue } from './measures.ts'
import type { ScreenedMarket } from './messages.ts'
import type { Portions } from './portions.ts'

/** What is said of one config from its metrics. */
export type Evaluate<Verdict> = (read: ReadMetric, config: DcaSpotConfig) => Verdict

export interface Evaluated<Verdict> {
  /** One per config, in the order given; equal simulations share one. */
  readonly verdicts: readonly Verdict[]
  /** Simulations it took. */
  readonly simulated: number
}

export interface Simulation {
  /** At most as many configs as a portion has points. */
  evaluate<Verdict>(configs: readonly DcaSpotConfig[], depth: Depth, evaluate: Evaluate<Verdict>): Evaluated<Verdict>
  backtest(config: DcaSpotConfig): BacktestResult
  /** One metric of it, for which no more is run than it needs. */
  metricOf(config: DcaSpotConfig, metric: MetricName): number | null
}

/**
 * @param terms the costs and conventions to compute under
 * @param read of every config, so that what they need is observed
 */
export function createSimulation(
  { portions, prepared, symbol }: Pick<ScreenedMarket, 'prepared' | 'symbol'> & { readonly portions: Portions },
  { conventions, costs }: { readonly conventions: Conventions; readonly costs: Costs },
  read: readonly MetricName[],
): Simulation {
  const market = { conventions, costs, symbol }
  const forSweeps = createDistinctConfigs(portions.size, market, null)
  const forBacktests = createDistinctConfigs(portions.size, market, prepared)
  const facts = candleFacts(prepared)
  const durations = needDurations(read)
  const sweeps = {
    profit: createSweep(prepared, { ...market, want: 'profit', durations }),
    risk: createSweep(prepared, { ...market, want: 'full', durations }),
  }
  // The engine looks at no volume, and eight bytes a candle would be shared for nothing.
  const candles: Candles = { ...prepared, volume: new Float64Array(0) }
  return { evaluate, backtest, metricOf }

  function evaluate<Verdict>(
    configs: readonly DcaSpotConfig[],
    depth: Depth,
    evaluateOne: Evaluate<Verdict>,
  ): Evaluated<Verdict> {
    const distinct = isSwept(depth) ? forSweeps : forBacktests
    distinct.clear()
    const numbers = configs.map((config) => distinct.numberOf(config))
    const { verdicts, simulated } = evaluateDistinct(depth, evaluateOne)
    return { verdicts: numbers.map((number) => verdicts[number]), simulated }
  }

  function evaluateDistinct<Verdict>(depth: Depth, evaluateOne: Evaluate<Verdict>): Evaluated<Verdict> {
    if (!isSwept(depth)) {
      const verdicts = forBacktests.configs.map((config) => {
        const metrics = metricsAt(depth, config)
        return evaluateOne((metric) => metricValue(metrics, metric), config)
      })
      return { verdicts, simulated: verdicts.length }
    }
    const columns = sweeps[depth].run(forSweeps.rows())
    const verdicts = forSweeps.configs.map((config, row) => {
      const swept = { columns, row, investment: config.investment, candles: facts }
      return evaluateOne((metric) => sweptValue(metric, swept), config)
    })
    return { verdicts, simulated: columns.simulated }
  }

  function backtest(config: DcaSpotConfig): BacktestResult {
    return runJump({ candles, config, ...market }, prepared)
  }

  function metricOf(config: DcaSpotConfig, metric: MetricName): number | null {
    return metricValue(metricsAt(depthOf(metric), config), metric)
  }

  function metricsAt(depth: Depth, config: DcaSpotConfig) {
    return depth === 'pair' ? backtest(config).metrics : runJumpOnce({ candles, config, ...market }, prepared).metrics
  }
}
