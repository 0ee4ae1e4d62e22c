/** Which parameters move the result: the main-effect share of variance (η², the correlation ratio of Pearson and Fisher). */
import { type Level, levelIndex, levelsOf } from './levels.ts'
import { mean } from './quantiles.ts'

/** One trial: the value of each parameter, and what it scored. */
export interface ScoredRow {
  readonly values: Readonly<Record<string, number>>
  readonly score: number
}

export interface ParameterImportance {
  readonly field: string
  readonly levels: readonly Level[]
  /** SS between the levels / SS total, 0–1: what knowing this parameter alone explains of the differences in score. */
  readonly share: number
  /** What a parameter without any effect would reach by chance with as many levels and rows: (levels − 1) / (rows − 1). */
  readonly chanceShare: number
}

/**
 * First-order importance of each parameter that has at least two levels, strongest first (ties in the order given).
 * Empty when fewer than three rows have a finite score or when all scores are equal: there is nothing to explain.
 * Shares of a balanced full grid add up to at most 1, the rest being interactions; on other designs they may overlap.
 */
export function parameterImportance(rows: readonly ScoredRow[], fields: readonly string[]): ParameterImportance[] {
  const scored = rows.filter(({ score }) => Number.isFinite(score))
  const total = sumOfSquares(scored.map(({ score }) => score))
  if (scored.length < 3 || total === 0) return []
  return fields
    .map((field) => {
      const known = scored.filter(({ values }) => Number.isFinite(values[field]))
      const levels = levelsOf(known.map(({ values }) => values[field]))
      const chanceShare = Math.min(1, (levels.length - 1) / (scored.length - 1))
      return { field, levels, share: betweenLevels(known, field, levels) / total, chanceShare }
    })
    .filter(({ levels }) => levels.length >= 2)
    .sort((a, b) => b.share - a.share)
}

/** Σ over levels of n · (level mean − grand mean)². */
function betweenLevels(rows: readonly ScoredRow[], field: string, levels: readonly Level[]): number {
  const groups = levels.map((): number[] => [])
  for (const { values, score } of rows) groups[levelIndex(levels, values[field])].push(score)
  const grand = mean(rows.map(({ score }) => score)) ?? 0
  return groups.reduce((sum, group) => sum + group.length * ((mean(group) ?? grand) - grand) ** 2, 0)
}

/** Σ (value − mean)²; exactly 0 when all values are equal, which rounding would hide. */
function sumOfSquares(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0
  const centre = mean(values) ?? 0
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
}
