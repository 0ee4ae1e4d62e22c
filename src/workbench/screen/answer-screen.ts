/** The worker's side of a screen: portions of the grid, and every metric of chosen points. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { type Metrics, metricValue } from '../../contract/metrics.ts'
import { behaviourHash } from '../study/behaviour.ts'
import { trialFingerprint } from '../study/fingerprint.ts'
import { createGrid, type Grid } from '../study/grid.ts'
import { createAppraiser, signOf } from './appraise.ts'
import { createFinds } from './finds.ts'
import type {
  MeasuredTrial,
  MeasureReply,
  PlateausReply,
  PortionReply,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
} from './messages.ts'
import { createPlateau } from './plateau.ts'
import { behaviourMark, noteLookedAt, writePoint } from './point-columns.ts'
import { createSimulation } from './simulate.ts'
import { stressedTerms } from './stress.ts'
import { addTrial, createTally, drainTally } from './tally.ts'

/** Makes a worker ready; what it returns answers requests one at a time. */
export function answerScreen(setting: ScreenSetting): (request: ScreenRequest) => ScreenReply {
  const { study, portions, points } = setting
  const { objective } = study
  const grid = createGrid(study, portions.order)
  const own = createSimulation(setting, study)
  const stressed = study.search.score === 'stressed' ? createSimulation(setting, stressedTerms(study)) : null
  const plateau = points === null ? null : createPlateau(study, portions.order, points)
  const tally = createTally(portions.order)
  const nameOf = (config: DcaSpotConfig) => trialFingerprint({ market: study.market, period: study.period, config })

  return (request) => {
    switch (request.kind) {
      case 'portion':
        return answerPortion(request)
      case 'plateaus':
        return answerPlateaus(request)
      case 'measure':
        return measure(request.indices)
    }
  }

  function answerPortion({ depth, from, to, floor }: ScreenRequest & { readonly kind: 'portion' }): PortionReply {
    const { counts, indices, configs } = walkTrials(grid, from, to)
    const appraise = createAppraiser(objective, depth, points === null ? undefined : behaviourMark)
    const evaluated = own.evaluate(configs, depth, appraise)
    const underStress = stressed?.evaluate(configs, depth, appraise) ?? { ...evaluated, simulated: 0 }
    if (points !== null) noteLookedAt(points, from, to)
    const found = createFinds(floor)
    indices.forEach((index, at) => {
      const own = evaluated.verdicts[at]
      addTrial(tally, portions.order, { index, netProfit: own.netProfit, score: own.value })
      if (points !== null) writePoint(points, index, own)
      else if (own.isInside) found.add(index, underStress.verdicts[at].value, () => nameOf(configs[at]))
    })
    return {
      kind: 'portion',
      points: to - from,
      infeasible: counts.infeasible,
      duplicates: counts.duplicate,
      simulated: evaluated.simulated + underStress.simulated,
      ...found.columns(),
      tally: drainTally(tally),
    }
  }

  function answerPlateaus({ from, to, floor }: ScreenRequest & { readonly kind: 'plateaus' }): PlateausReply {
    if (plateau === null) throw new Error('plateaus were asked for, and the study has another score')
    const found = createFinds(floor)
    for (let index = from; index < to; index++)
      found.add(index, plateau.scoreAt(index), () => nameOf(grid.configAt(index)))
    return { kind: 'plateaus', ...found.columns() }
  }

  function measure(indices: readonly number[]): MeasureReply {
    const trials = indices.map((index): MeasuredTrial => {
      const config = grid.configAt(index)
      const { metrics, deals, openDeal } = own.backtest(config)
      const behaviour = { deals, openDeal, dailyEquity: metrics.dailyEquity }
      const score = measureScore(index, config, metrics)
      return { fingerprint: nameOf(config), config, metrics, behaviourHash: behaviourHash(behaviour), score }
    })
    return { kind: 'measure', trials }
  }

  /** A plateau is made of the same values whether its point is measured or not: a thousand neighbours are not run again for the top. */
  function measureScore(index: number, config: DcaSpotConfig, metrics: Metrics): number | null {
    const mean = plateau?.scoreAt(index) ?? null
    if (plateau !== null) return mean === null ? null : 0 + signOf(objective) * mean // 0, never −0
    return metricValue(stressed === null ? metrics : stressed.backtest(config).metrics, objective.metric)
  }
}

/** The trials of a stretch of the grid, and how many of its points are what. */
function walkTrials(grid: Grid, from: number, to: number) {
  const counts = { trial: 0, duplicate: 0, infeasible: 0 }
  const indices: number[] = []
  const configs: DcaSpotConfig[] = []
  for (const { index, config, fate } of grid.walk(from, to)) {
    counts[fate]++
    if (fate !== 'trial') continue
    indices.push(index)
    configs.push(config)
  }
  return { counts, indices, configs }
}
