/**
 * Which parameters matter for the result: the R² of an additive model, divided among its parameters.
 *
 * The share that one parameter explains alone (η², the correlation ratio) is right only on a full grid. Where a filter leaves
 * combinations out, the parameters are correlated: η² counts their common part for each of them, and the sum of the η² has no
 * meaning. Here a parameter gets what it adds to R², averaged over all orders in which the parameters can enter the model: never
 * negative, adding up to R² exactly, and equal to η² on a full grid. (Lindeman, Merenda and Gold 1980, "LMG"; Grömping 2006,
 * Journal of Statistical Software 17(1); the Shapley value of R².)
 */
import { type Fit, fitsOfSubsets } from './additive-fit.ts'
import { type Level, levelIndex, levelsOf } from './levels.ts'

/** One trial: the value of each parameter, and what it scored. */
export interface ScoredRow {
  readonly values: Readonly<Record<string, number>>
  readonly score: number
}

export interface ParameterImportance {
  readonly field: string
  readonly levels: readonly Level[]
  /** This parameter's part of R², 0–1. */
  readonly share: number
  /** The share that a random score would give it on average in these rows; (levels − 1) / (rows − 1) on a full grid. */
  readonly chanceShare: number
}

export interface Importance {
  /** Parameters with at least two levels, strongest first (equal ones in the given order). */
  readonly parameters: readonly ParameterImportance[]
  /** The part of the variance that all parameters explain together, 0–1: the sum of the shares. */
  readonly rSquared: number
  /** The R² to expect from a random score: effects / (rows − 1). */
  readonly chanceRSquared: number
}

/** Why importance cannot be computed. */
export type NoImportance =
  | { readonly kind: 'nothingVaried' }
  | { readonly kind: 'allEqual'; readonly rows: number }
  /** There are as many effects as differences between rows: the model fits any score, and R² would always be 1. */
  | { readonly kind: 'tooFewRows'; readonly rows: number; readonly effects: number }

export type ImportanceReading = ({ readonly kind: 'found' } & Importance) | NoImportance

/** Rows without a finite score or without all of the fields are left out. */
export function parameterImportance(rows: readonly ScoredRow[], fields: readonly string[]): ImportanceReading {
  const known = rows.filter(
    ({ values, score }) => Number.isFinite(score) && fields.every((field) => Number.isFinite(values[field])),
  )
  const factors = fields
    .map((field) => ({ field, levels: levelsOf(known.map(({ values }) => values[field])) }))
    .filter(({ levels }) => levels.length >= 2)
  if (known.every(({ score }) => score === known[0].score)) return { kind: 'allEqual', rows: known.length }
  if (factors.length === 0) return { kind: 'nothingVaried' }
  const fits = fitsOfSubsets(
    known.map(({ values, score }) => ({
      levels: factors.map(({ field, levels }) => levelIndex(levels, values[field])),
      score,
    })),
    factors.map(({ levels }) => levels.length),
  )
  const { rSquared, rank } = fits[fits.length - 1]
  const differences = known.length - 1
  if (rank >= differences) return { kind: 'tooFewRows', rows: known.length, effects: rank }
  const parameters = factors
    .map(({ field, levels }, factor) => ({
      field,
      levels,
      share: averageGain(fits, factor, factors.length, (fit) => fit.rSquared),
      chanceShare: averageGain(fits, factor, factors.length, (fit) => fit.rank) / differences,
    }))
    .sort((a, b) => b.share - a.share)
  return { kind: 'found', parameters, rSquared, chanceRSquared: rank / differences }
}

/**
 * How much `factor` adds to R², averaged over all orders: of `count` factors, s!·(count − 1 − s)! orders in count! put exactly
 * one subset of s before it.
 */
function averageGain(fits: readonly Fit[], factor: number, count: number, of: (fit: Fit) => number): number {
  const bit = 2 ** factor
  const gains = fits.map((fit, subset) => {
    const before = membersOf(subset, count)
    if (before.includes(factor)) return 0
    const orders = factorial(before.length) * factorial(count - 1 - before.length)
    return (orders / factorial(count)) * (of(fits[subset + bit]) - of(fit))
  })
  return Math.max(
    0,
    gains.reduce((sum, gain) => sum + gain, 0),
  )
}

function membersOf(subset: number, count: number): number[] {
  return Array.from({ length: count }, (_, factor) => factor).filter(
    (factor) => Math.floor(subset / 2 ** factor) % 2 === 1,
  )
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1)
}
