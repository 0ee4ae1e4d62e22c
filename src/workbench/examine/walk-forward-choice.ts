/** Who is chosen on the train of a fold: the best by the study's score among those inside the bounds, ties by lower fingerprint. */
import { type Appraisal, signOf } from '../screen/appraise.ts'
import { slackOf } from '../screen/measures.ts'
import { createPlateau } from '../screen/plateau.ts'
import { createPointColumns, noteLookedAt, writePoint } from '../screen/point-columns.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { createGrid } from '../study/grid.ts'
import type { SearchScore, Study } from '../study/study.ts'
import type { ComparedConfig } from './walk-forward-configs.ts'

/** One per configuration, higher is better; null = not to be ranked. */
type Scores = readonly (number | null)[]

export interface FoldScorer {
  /** What is really ranked by. */
  readonly score: SearchScore
  /** Why that is not what the study says; null = it is. */
  readonly replaced: string | null
  /** @param stressed under the worse terms of `score: stressed`; else null */
  scoresOf(own: readonly Appraisal[], stressed: readonly Appraisal[] | null): Scores
}

/** A plateau is a mean over neighbours on the study's grid: where the configurations are not that grid, they are ranked by themselves. */
export function createFoldScorer(study: Study, configs: readonly ComparedConfig[]): FoldScorer {
  const { score } = study.search
  if (score !== 'plateau') return { score, replaced: null, scoresOf: scoreAlone }
  if (!isWholeGrid(study, configs)) {
    const replaced =
      'chosen by point: a plateau is the mean over neighbours on the whole grid of the study, and these configurations are not that grid'
    return { score: 'point', replaced, scoresOf: scoreAlone }
  }
  return { score, replaced: null, scoresOf: scoreByPlateau(study, configs) }
}

function scoreAlone(own: readonly Appraisal[], stressed: readonly Appraisal[] | null): Scores {
  return (stressed ?? own).map(({ value }, at) => (own[at].isInside ? value : null))
}

function scoreByPlateau(study: Study, configs: readonly ComparedConfig[]): FoldScorer['scoresOf'] {
  const columns = createPointColumns(study)
  if (columns === null) throw new Error('only a study with plateaus has columns for its points')
  const grid = createGrid(study)
  const plateau = createPlateau(study, study.axes, columns)
  const points = configs.map(({ config }) => grid.findPoint(config) ?? Number.NaN)
  return (own) => {
    noteLookedAt(columns, 0, grid.points)
    points.forEach((point, at) => {
      writePoint(columns, point, own[at])
    })
    return points.map((point) => plateau.scoreAt(point))
  }
}

function isWholeGrid(study: Study, configs: readonly ComparedConfig[]): boolean {
  const names = new Set(configs.map(({ fingerprint }) => fingerprint))
  const grid = createGrid(study)
  let trials = 0
  for (const { config, fate } of grid.walk(0, grid.points)) {
    if (fate !== 'trial') continue
    if (!names.has(configFingerprint(config))) return false
    trials++
  }
  return trials === names.size
}

export interface FoldWinner {
  readonly compared: ComparedConfig
  /** Of all configurations. */
  readonly at: number
  /** In the unit and direction of the objective. */
  readonly score: number
}

/**
 * Scores that differ by no more than the rounding of a sweep are ties. @param isInside by a whole backtest: a sweep lets pass what its rounding
 * leaves open
 */
export function pickWinner(
  configs: readonly ComparedConfig[],
  scores: Scores,
  { objective }: Pick<Study, 'objective'>,
  isInside: (compared: ComparedConfig) => boolean,
): FoldWinner | null {
  const places = scores.flatMap((score, at) => (score === null ? [] : [{ score, at, compared: configs[at] }]))
  places.sort((one, other) => other.score - one.score)
  for (let from = 0; from < places.length; ) {
    const best = places[from].score
    const behind = places.findIndex(({ score }, at) => at > from && score < best - slackOf(best, 'profit'))
    const to = behind === -1 ? places.length : behind
    const tied = places
      .slice(from, to)
      .sort((one, other) => (one.compared.fingerprint < other.compared.fingerprint ? -1 : 1))
    const found = tied.find(({ compared }) => isInside(compared))
    if (found !== undefined)
      return { compared: found.compared, at: found.at, score: 0 + signOf(objective) * found.score } // 0, never −0
    from = to
  }
  return null
}
