/** The worker's side of a screen: portions of the grid, and every metric of chosen configs. */

import type { DcaSpotConfig } from '../../contract/bot.ts'
import { createGrid, type Grid } from '../study/grid.ts'
import { decidingMetrics } from '../study/objective.ts'
import { type Appraisal, appraiseAcross, createAppraiser, signOf } from './appraise.ts'
import { createMeasurement } from './measure-config.ts'
import { metricsKnownAt, type ReadMetric } from './measures.ts'
import type {
  GridPlace,
  MeasuredConfig,
  PlateausReply,
  PortionReply,
  PortionTrials,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
} from './messages.ts'
import { nameConfigs } from './name-configs.ts'
import { createPlateau } from './plateau.ts'
import { behaviourMark, isWhole, noteLookedAt, writePoint } from './point-columns.ts'
import type { Candidates } from './shortlist.ts'
import { createSimulation, type Simulation } from './simulate.ts'
import { stressedTerms } from './stress.ts'
import { addTrial, createTally, drainTally } from './tally.ts'

/** Makes a worker ready; what it returns answers requests one at a time. */
export function answerScreen(setting: ScreenSetting): (request: ScreenRequest) => ScreenReply {
  const { study, portions, points, markets } = setting
  const { objective } = study
  const grid = createGrid(study, portions.order)
  const simulationsUnder = (terms: Pick<typeof study, 'conventions' | 'costs'>, read = decidingMetrics(objective)) =>
    markets.map((market) => createSimulation({ portions, ...market }, terms, read))
  const own = simulationsUnder(study)
  let ownWithAll: readonly Simulation[] | undefined
  const stressed = study.search.score === 'stressed' ? simulationsUnder(stressedTerms(study)) : null
  const plateau = points === null || !isWhole(points, grid) ? null : createPlateau(study, portions.order, points)
  const tallies = markets.map(() => createTally(portions.order))
  const nameOf = nameConfigs(study)
  const measure = createMeasurement({ study, markets, own, stressed, plateau })

  return (request) => {
    switch (request.kind) {
      case 'portion':
        return answerPortion(request)
      case 'plateaus':
        return answerPlateaus(request)
      case 'measure':
        return measured(request.indices.map((index) => measure(grid.configAt(index), index)))
      case 'measureConfigs':
        return measured(request.configs.map((config) => measure(config, grid.findPoint(config))))
    }
  }

  function answerPortion(request: ScreenRequest & { readonly kind: 'portion' }): PortionReply {
    const { depth, from, to, floor, wantsPoints = false } = request
    const { counts, indices, configs } = walkTrials(grid, from, to)
    const appraise = createAppraiser(objective, depth, points === null ? undefined : behaviourMark)
    const wanted = metricsKnownAt(depth)
    const appraiseOwn: (read: ReadMetric, config: DcaSpotConfig) => PointAppraisal = wantsPoints
      ? (read, config) => ({
          ...appraise(read, config),
          metrics: wanted.map((metric) => read(metric) ?? Number.NaN),
        })
      : appraise
    if (wantsPoints) ownWithAll ??= simulationsUnder(study, metricsKnownAt(depth))
    const onMarkets = (ownWithAll ?? own).map((simulation) => simulation.evaluate(configs, depth, appraiseOwn))
    const underStress = stressed?.map((simulation) => simulation.evaluate(configs, depth, appraise))
    const across = appraiseAcross(verdictsOf(onMarkets), objective)
    const scored = underStress === undefined ? across : appraiseAcross(verdictsOf(underStress), objective)
    if (points !== null) noteLookedAt(points, from, to)
    const found = createFinds(floor)
    indices.forEach((index, at) => {
      onMarkets.forEach(({ verdicts }, market) => {
        const { netProfit, value } = verdicts[at]
        addTrial(tallies[market], portions.order, { index, netProfit, score: value })
      })
      if (points !== null) writePoint(points, index, across[at])
      else if (across[at].isInside) found.add(index, scored[at].value, () => nameOf(configs[at]))
    })
    return {
      kind: 'portion',
      points: to - from,
      infeasible: counts.infeasible,
      duplicates: counts.duplicate,
      simulated: simulatedIn(onMarkets, underStress),
      ...found.columns(),
      tallies: tallies.map(drainTally),
      trials: wantsPoints
        ? trialColumns(indices, { own: verdictsOf(onMarkets), across, scored, sign: signOf(objective) })
        : null,
    }
  }

  function answerPlateaus({ from, to, floor }: ScreenRequest & { readonly kind: 'plateaus' }): PlateausReply {
    if (plateau === null) throw new Error('plateaus were asked for, and the study has another score')
    const found = createFinds(floor)
    for (let index = from; index < to; index++)
      found.add(index, plateau.scoreAt(index), () => nameOf(grid.configAt(index)))
    return { kind: 'plateaus', ...found.columns() }
  }
}

function verdictsOf<Verdict>(
  evaluated: readonly { readonly verdicts: readonly Verdict[] }[],
): readonly (readonly Verdict[])[] {
  return evaluated.map(({ verdicts }) => verdicts)
}

/** On each market, under the study's own terms and under worse ones. */
function simulatedIn(
  own: readonly { readonly simulated: number }[],
  stressed: readonly { readonly simulated: number }[] | undefined,
): number[] {
  return own.map(({ simulated }, market) => simulated + (stressed?.[market].simulated ?? 0))
}

function measured(configs: readonly MeasuredConfig[]): ScreenReply {
  return { kind: 'measure', configs }
}

interface PointAppraisal extends Appraisal {
  /** Those of `metricsKnownAt`; NaN = undefined. Absent = not asked for. */
  readonly metrics?: readonly number[]
}

interface PortionVerdicts {
  /** For each market those of all trials. */
  readonly own: readonly (readonly PointAppraisal[])[]
  readonly across: readonly Appraisal[]
  readonly scored: readonly Appraisal[]
  readonly sign: 1 | -1
}

function trialColumns(indices: readonly number[], { own, across, scored, sign }: PortionVerdicts): PortionTrials {
  return {
    indices: Float64Array.from(indices),
    inside: Uint8Array.from(across, ({ isInside }) => (isInside ? 1 : 0)),
    scores: Float64Array.from(scored, ({ value }) => (value === null ? Number.NaN : 0 + sign * value)), // 0, never −0
    metrics: own.map((verdicts) => Float64Array.from(verdicts.flatMap(({ metrics = [] }) => metrics))),
  }
}

/** The trials of a stretch of the grid, and how many of its points are what. */
function walkTrials(grid: Grid, from: number, to: number) {
  const counts = { trial: 0, duplicate: 0, infeasible: 0 }
  const indices: number[] = []
  const configs: DcaSpotConfig[] = []
  grid.visit(from, to, ({ index, config, fate }) => {
    counts[fate]++
    if (fate !== 'trial') return
    indices.push(index)
    configs.push({ ...config })
  })
  return { counts, indices, configs }
}

interface Finds {
  /** `score`: null = not to be ranked. */
  add(index: number, score: number | null, findFingerprint: () => string): void
  columns(): Candidates
}

/** Collects the points that are not behind the floor. */
function createFinds(floor: GridPlace | null): Finds {
  const indices: number[] = []
  const scores: number[] = []
  return {
    add(index, score, findFingerprint) {
      if (score === null || isBehind(floor, score, findFingerprint)) return
      indices.push(index)
      scores.push(score)
    },
    columns: () => ({ indices: Float64Array.from(indices), scores: Float64Array.from(scores) }),
  }
}

/** Names are only worked out for ties: a name costs as much as the simulation itself. */
function isBehind(floor: GridPlace | null, score: number, findFingerprint: () => string): boolean {
  if (floor === null || score > floor.score) return false
  return score < floor.score || findFingerprint() > floor.fingerprint
}
