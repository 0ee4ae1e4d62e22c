/** The trials of a study: the points of its grid that are run. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { Failure } from '../../errors.ts'
import { trialFingerprint } from './fingerprint.ts'
import { createGrid, inLadderOrder } from './grid.ts'
import { readSourceDocument } from './source-document.ts'
import { MAX_TRIALS, type Study, type Trial } from './study.ts'

export interface TrialPlan {
  /** Points of the grid = breaksLimit + duplicates + configs. */
  readonly grid: number
  readonly breaksLimit: number
  readonly duplicates: number
  /** Different feasible configurations: each is a trial on every market. */
  readonly configs: number
  /** In grid order; those of a configuration in the order of the markets. */
  readonly trials: readonly Trial[]
}

/** @throws Failure studyInvalid when there are more than `limit` distinct feasible trials */
export function planTrials(study: Study, { limit = MAX_TRIALS }: { readonly limit?: number } = {}): TrialPlan {
  const grid = createGrid(study)
  const found: number[] = []
  const counts = { trial: 0, duplicate: 0, breaksLimit: 0 }
  createGrid(study, inLadderOrder(study.axes)).visit(0, grid.points, ({ config, fate }) => {
    counts[fate]++
    if (fate !== 'trial') return
    if ((found.length + 1) * study.markets.length > limit) throw tooManyTrials(study, limit)
    const index = grid.findPoint(config)
    if (index !== null) found.push(index)
  })
  const inOrder = found.sort((a, b) => a - b)
  const trials = inOrder.flatMap((index) => trialsOfConfig(study, grid.configAt(index)))
  return {
    grid: grid.points,
    breaksLimit: counts.breaksLimit,
    duplicates: counts.duplicate,
    configs: counts.trial,
    trials,
  }
}

/** The trials of one configuration: one on each of the study's markets, or of those given. */
export function trialsOfConfig(
  { markets, period }: Pick<Study, 'markets' | 'period'>,
  config: DcaSpotConfig,
): readonly Trial[] {
  return markets.map((market) => ({
    fingerprint: trialFingerprint({ market, period, config }),
    market,
    period,
    config,
  }))
}

/** Every point of the grid in its order, in constant memory. */
export function enumerateConfigs(study: Study) {
  const grid = createGrid(study)
  return grid.walk(0, grid.points)
}

function tooManyTrials(study: Study, limit: number): Failure {
  const document = readSourceDocument(study.source, study.name)
  const place = document.placeAt(document.offsetOf(['grid'], 'key'))
  const message = `grid: more than ${limit} distinct trials within limits; expected at most ${limit} to run`
  return new Failure('studyInvalid', `${study.name} has too many trials to run`, {
    problems: [{ place, message }],
    hint: 'screen it on local candles (`dcalab screen`), narrow the grid, or limit it with where',
  })
}
