/** What it costs a screen to rank by something else than profit: the portions of a grid as a worker evaluates them, over the same by net profit. */
import type { MetricName } from '../../src/contract/metrics.ts'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { depthOf } from '../../src/workbench/screen/measures.ts'
import { createSimulation } from '../../src/workbench/screen/simulate.ts'
import type { BenchLog } from './bench-run.ts'
import type { Market } from './c-baselines.ts'
import type { BenchCandles } from './candle-sets.ts'
import { gridConfigs } from './configs.ts'
import { cpuMs } from './measure.ts'
import { interleave, ratio } from './rounds.ts'

/** Points of a portion, as of a screen. */
const PORTION = 2048

export function compareObjectives(markets: readonly BenchCandles[], market: Market, log: BenchLog): void {
  const configs = gridConfigs()
  const lines = markets.map(({ name, market: key, candles }) => {
    const prepared = prepareCandles(candles)
    const screenBy = (metric: MetricName) => {
      const ground = { chunks: { order: [], size: PORTION }, prepared, symbol: NO_SYMBOL_RULES }
      const simulation = createSimulation(ground, market, [metric])
      const depth = depthOf(metric)
      return () =>
        cpuMs(() => {
          for (let from = 0; from < configs.length; from += PORTION)
            simulation.evaluate(configs.slice(from, from + PORTION), depth, (read) => read(metric))
        })
    }
    const times = interleave({
      netProfit: screenBy('netProfit'),
      factor: screenBy('profitFactor'),
      median: screenBy('dealDuration.median'),
      perUsed: screenBy('netProfitPerUsedPercent'),
      stressed: screenBy('stressedPerUsed'),
      sharpe: screenBy('sharpe'),
    })
    log.headline('profitFactor', key, times.factor / times.netProfit)
    log.headline('medianDuration', key, times.median / times.netProfit)
    const us = (1000 * times.netProfit) / configs.length
    const over = [times.factor, times.median, times.perUsed, times.stressed, times.sharpe]
    return [name, us.toFixed(1), ...over.map((time) => ratio(time, times.netProfit))]
  })
  log.table(
    `a grid of ${configs.length} points ranked by other metrics (one core)`,
    [
      'candles',
      'by net profit, µs a point',
      'profit factor ÷',
      'median duration ÷',
      'per used ÷',
      'stressed ÷',
      'Sharpe ÷',
    ],
    [...lines, ['wanted', '', '≤ 2', '≤ 1.4', '', '≤ 2.1', '≤ 1.5']],
  )
}
