/** The trials of a study: the points of its grid that are run. */
import { Failure } from '../../errors.ts'
import { trialFingerprint } from './fingerprint.ts'
import { createGrid, type GridPoint } from './grid.ts'
import { readSourceDocument } from './source-document.ts'
import { MAX_TRIALS, type Study, type Trial } from './study.ts'

export interface TrialPlan {
  /** Points of the grid = infeasible + duplicates + trials. */
  readonly grid: number
  readonly infeasible: number
  readonly duplicates: number
  /** In grid order. */
  readonly trials: readonly Trial[]
}

/** @throws Failure studyInvalid when there are more than `limit` distinct feasible trials */
export function planTrials(study: Study, { limit = MAX_TRIALS }: { readonly limit?: number } = {}): TrialPlan {
  const { market, period } = study
  const trials: Trial[] = []
  const counts = { trial: 0, duplicate: 0, infeasible: 0 }
  for (const { config, fate } of enumerateConfigs(study)) {
    counts[fate]++
    if (fate !== 'trial') continue
    if (trials.length === limit) throw tooManyTrials(study, limit)
    trials.push({ fingerprint: trialFingerprint({ market, period, config }), market, period, config })
  }
  const grid = counts.trial + counts.duplicate + counts.infeasible
  return { grid, infeasible: counts.infeasible, duplicates: counts.duplicate, trials }
}

/** Every point of the grid in its order, in constant memory. */
export function enumerateConfigs(study: Study): Generator<GridPoint, void> {
  const grid = createGrid(study)
  return grid.walk(0, grid.points)
}

function tooManyTrials(study: Study, limit: number): Failure {
  const document = readSourceDocument(study.source, study.name)
  const place = document.placeAt(document.offsetOf(['grid'], 'key'))
  const message = `grid: more than ${limit} distinct feasible trials; expected at most ${limit} to run`
  return new Failure('studyInvalid', `${study.name} has too many trials to run`, {
    problems: [{ place, message }],
    hint: 'screen it on local candles (`dcalab screen`), narrow the grid, or bound it with where',
  })
}
