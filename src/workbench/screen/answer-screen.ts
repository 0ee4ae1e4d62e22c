/** The worker's side of a screen: chunks of the grid, and every metric of chosen configs. */

import { createHash } from 'node:crypto'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { type MetricName, metricValue } from '../../contract/metrics.ts'
import { behaviourHash } from '../study/behaviour.ts'
import { createGrid, type Grid, trialsOfConfig } from '../study/grid.ts'
import { decidingMetrics, reduceAcross } from '../study/objective.ts'
import type { Study } from '../study/study.ts'
import { type Appraisal, appraiseAcross, createAppraiser, type MarketAppraisal, signOf } from './appraise.ts'
import { metricsKnownAt, type ReadMetric } from './measures.ts'
import type {
  ChunkReply,
  ChunkTrials,
  GridPlace,
  MeasuredConfig,
  ScreenedMarket,
  ScreenReply,
  ScreenRequest,
  ScreenSetting,
} from './messages.ts'
import { type Candidates, nameConfigs } from './shortlist.ts'
import { createSimulation, type Simulation } from './simulate.ts'
import { addTrial, createTally, drainTally } from './tally.ts'

/** Makes a worker ready; what it returns answers requests one at a time. */
export function answerScreen(setting: ScreenSetting): (request: ScreenRequest) => ScreenReply {
  const { study, chunks, markets } = setting
  const { objective } = study
  const grid = createGrid(study, chunks.order)
  const simulationsThatRead = (metrics: readonly MetricName[]) =>
    markets.map((market) => createSimulation({ chunks, ...market }, study, metrics))
  const own = simulationsThatRead(decidingMetrics(objective))
  let ownWithAll: readonly Simulation[] | undefined
  const tallies = markets.map(() => createTally(chunks.order))
  const nameOf = nameConfigs(study)
  const measure = createMeasurement({ study, markets, own })

  return (request) => {
    switch (request.kind) {
      case 'chunk':
        return answerChunk(request)
      case 'measure':
        return measured(request.indices.map((index) => measure(grid.configAt(index))))
      case 'measureConfigs':
        return measured(request.configs.map(measure))
    }
  }

  function answerChunk(request: ScreenRequest & { readonly kind: 'chunk' }): ChunkReply {
    const { depth, from, to, floor, wantsPoints = false } = request
    const { counts, indices, configs } = walkTrials(grid, from, to)
    const appraise = createAppraiser(objective, depth)
    const wanted = metricsKnownAt(depth)
    const appraiseOwn: (read: ReadMetric) => PointAppraisal = wantsPoints
      ? (read) => ({
          ...appraise(read),
          metrics: wanted.map((metric) => read(metric) ?? Number.NaN),
        })
      : appraise
    if (wantsPoints) ownWithAll ??= simulationsThatRead(metricsKnownAt(depth))
    const onMarkets = (ownWithAll ?? own).map((simulation) => simulation.evaluate(configs, depth, appraiseOwn))
    const verdicts = onMarkets.map((evaluated) => evaluated.verdicts)
    const across = appraiseAcross(verdicts, objective)
    const found = createFinds(floor)
    indices.forEach((index, at) => {
      verdicts.forEach((onMarket, market) => {
        const { netProfit, value } = onMarket[at]
        addTrial(tallies[market], chunks.order, { index, netProfit, score: value })
      })
      if (across[at].isInside) found.add(index, across[at].value, () => nameOf(configs[at]))
    })
    return {
      kind: 'chunk',
      points: to - from,
      breaksLimit: counts.breaksLimit,
      duplicates: counts.duplicate,
      simulated: onMarkets.map(({ simulated }) => simulated),
      ...found.columns(),
      tallies: tallies.map(drainTally),
      trials: wantsPoints ? trialColumns(indices, { own: verdicts, across, sign: signOf(objective) }) : null,
    }
  }
}

function measured(configs: readonly MeasuredConfig[]): ScreenReply {
  return { kind: 'measure', configs }
}

interface PointAppraisal extends MarketAppraisal {
  /** Those of `metricsKnownAt`; NaN = undefined. Absent = not asked for. */
  readonly metrics?: readonly number[]
}

interface ChunkVerdicts {
  /** For each market those of all trials. */
  readonly own: readonly (readonly PointAppraisal[])[]
  readonly across: readonly Appraisal[]
  readonly sign: 1 | -1
}

function trialColumns(indices: readonly number[], { own, across, sign }: ChunkVerdicts): ChunkTrials {
  return {
    indices: Float64Array.from(indices),
    inside: Uint8Array.from(across, ({ isInside }) => (isInside ? 1 : 0)),
    scores: Float64Array.from(across, ({ value }) => (value === null ? Number.NaN : 0 + sign * value)), // 0, never −0
    metrics: own.map((verdicts) => Float64Array.from(verdicts.flatMap(({ metrics = [] }) => metrics))),
  }
}

/** The trials of a stretch of the grid, and how many of its points are what. */
function walkTrials(grid: Grid, from: number, to: number) {
  const counts = { trial: 0, duplicate: 0, breaksLimit: 0 }
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

interface Measurement {
  readonly study: Study
  readonly markets: readonly ScreenedMarket[]
  /** One for each market, under the study's own terms. */
  readonly own: readonly Simulation[]
}

/** @returns a function that measures a config */
function createMeasurement({ study, markets, own }: Measurement): (config: DcaSpotConfig) => MeasuredConfig {
  const { period, objective } = study
  const names = { markets: markets.map(({ market }) => market), period }
  const nameOf = nameConfigs(study)

  return (config) => {
    const trials = trialsOfConfig(names, config).map(({ market, fingerprint }, at) => {
      const { metrics, deals, openDeal } = own[at].backtest(config)
      const behaviour = { deals, openDeal, dailyEquity: metrics.dailyEquity }
      return { market: marketName(market), fingerprint, metrics, behaviourHash: behaviourHash(behaviour) }
    })
    const values = trials.map(({ metrics }) => metricValue(metrics, objective.metric))
    return {
      fingerprint: nameOf(config),
      config,
      markets: trials,
      value: reduceAcross(values, objective),
      scale: largest(values),
      behaviourHash: behaviourAcross(trials.map(({ behaviourHash }) => behaviourHash)),
    }
  }
}

function largest(amounts: readonly (number | null)[]): number {
  return amounts.reduce((most: number, amount) => Math.max(most, Math.abs(amount ?? 0)), 0)
}

/** The same of what a configuration did on several markets, in their order: equal where it is equal on each. On one it is that one's. */
function behaviourAcross(hashes: readonly string[]): string {
  return hashes.length === 1 ? hashes[0] : createHash('sha256').update(hashes.join(' ')).digest('hex')
}
