/** The worker's side of a screen: portions of the grid, and every metric of chosen points. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metrics.ts'
import type { Candles } from '../../engine/candles.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import { runJump } from '../../engine/jump/jump.ts'
import { createSweep } from '../../engine/jump/sweep.ts'
import { behaviourHash } from '../study/behaviour.ts'
import { trialFingerprint } from '../study/fingerprint.ts'
import { createGrid } from '../study/grid.ts'
import { type Appraisal, createAppraiser } from './appraise.ts'
import { createDistinctConfigs } from './distinct.ts'
import { candleFacts, type Depth, sweptValue } from './measures.ts'
import type { GridPlace, MeasureReply, PortionReply, ScreenReply, ScreenRequest, ScreenSetting } from './messages.ts'
import { addTrial, createTally, drainTally } from './tally.ts'

/** Makes a worker ready; what it returns answers requests one at a time. */
export function answerScreen(setting: ScreenSetting): (request: ScreenRequest) => ScreenReply {
  const { study, portions } = setting
  const grid = createGrid(study, portions.order)
  const distinct = createDistinctConfigs(portions.size, {
    conventions: study.conventions,
    costs: study.costs,
    symbol: setting.symbol,
  })
  const simulate = createSimulation(setting)
  const tally = createTally(portions.order)
  const nameOf = (config: DcaSpotConfig) => trialFingerprint({ market: study.market, period: study.period, config })

  return (request) => (request.kind === 'portion' ? answerPortion(request) : measure(request.indices))

  function answerPortion({ depth, from, to, floor }: ScreenRequest & { readonly kind: 'portion' }): PortionReply {
    distinct.clear()
    const counts = { trial: 0, duplicate: 0, infeasible: 0 }
    const trials: { readonly index: number; readonly number: number }[] = []
    for (const { index, config, fate } of grid.walk(from, to)) {
      counts[fate]++
      if (fate === 'trial') trials.push({ index, number: distinct.numberOf(config) })
    }
    const appraisals = simulate.appraise(distinct.configs, distinct.rows(), depth)
    const indices: number[] = []
    const scores: number[] = []
    for (const { index, number } of trials) {
      const { netProfit, score, isInside } = appraisals[number]
      addTrial(tally, portions.order, { index, netProfit, score })
      if (score === null || !isInside || isBehind(floor, score, () => nameOf(grid.configAt(index)))) continue
      indices.push(index)
      scores.push(score)
    }
    return {
      kind: 'portion',
      points: to - from,
      infeasible: counts.infeasible,
      duplicates: counts.duplicate,
      simulated: distinct.configs.length,
      indices: Float64Array.from(indices),
      scores: Float64Array.from(scores),
      tally: drainTally(tally),
    }
  }

  function measure(indices: readonly number[]): MeasureReply {
    const trials = indices.map((index) => {
      const config = grid.configAt(index)
      const { metrics, deals, openDeal } = simulate.backtest(config)
      const behaviour = { deals, openDeal, dailyEquity: metrics.dailyEquity }
      return { fingerprint: nameOf(config), config, metrics, behaviourHash: behaviourHash(behaviour) }
    })
    return { kind: 'measure', trials }
  }
}

/** Names are only worked out for ties: a name costs as much as the simulation itself. */
function isBehind(floor: GridPlace | null, score: number, findFingerprint: () => string): boolean {
  if (floor === null || score > floor.score) return false
  return score < floor.score || findFingerprint() > floor.fingerprint
}

interface Simulation {
  /** By config: what the objective says of it. `rows` are the configs as rows of a sweep. */
  appraise(configs: readonly DcaSpotConfig[], rows: Float64Array, depth: Depth): readonly Appraisal[]
  backtest(config: DcaSpotConfig): BacktestResult
}

function createSimulation({ study, prepared, symbol }: ScreenSetting): Simulation {
  const { conventions, costs, objective } = study
  const facts = candleFacts(prepared)
  const sweeps = {
    profit: createSweep(prepared, { conventions, costs, symbol, want: 'profit' }),
    risk: createSweep(prepared, { conventions, costs, symbol, want: 'full' }),
  }
  // The engine looks at no volume, and eight bytes a candle would be shared for nothing.
  const candles: Candles = { ...prepared, volume: new Float64Array(0) }
  return { appraise, backtest }

  function appraise(configs: readonly DcaSpotConfig[], rows: Float64Array, depth: Depth): readonly Appraisal[] {
    const appraise = createAppraiser(objective, depth)
    if (depth === 'backtest') {
      return configs.map((config) => {
        const { metrics } = backtest(config)
        return appraise((metric) => metricValue(metrics, metric))
      })
    }
    const columns = sweeps[depth].run(rows)
    return configs.map(({ investment }, row) =>
      appraise((metric) => sweptValue(metric, { columns, row, investment, candles: facts })),
    )
  }

  function backtest(config: DcaSpotConfig): BacktestResult {
    return runJump({ candles, config, conventions, costs, symbol }, prepared)
  }
}
