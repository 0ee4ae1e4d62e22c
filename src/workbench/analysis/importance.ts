/**
 * Which parameters matter for the result: the R² of an additive model, divided among its parameters.
 *
 * The share that one parameter explains alone (η², the correlation ratio) is right only on a full grid. Where a filter leaves
 * combinations out, the parameters are correlated: η² counts their common part for each of them, and the sum of the η² has no
 * meaning. Here a parameter gets what it adds to R², averaged over all orders in which the parameters can enter the model: never
 * negative, adding up to R² exactly, and equal to η² on a full grid. (Lindeman, Merenda and Gold 1980, "LMG"; Grömping 2006,
 * Journal of Statistical Software 17(1); the Shapley value of R².)
 */
import { type Level, levelIndex, levelsOf } from './pair-grid.ts'
import { mean } from './quantiles.ts'

// How much of the differences in a score an additive model explains: one free effect per level of each factor, no
// interactions, fitted by least squares.
//
// The columns are the centred indicators of all levels but each factor's first, and the score last. Eliminating a
// factor's columns from their cross products (the Schur complement) leaves in the last cell the sum of squares that the
// factors eliminated so far do not explain. Factors are eliminated in their order, depth first over all subsets, so
// that every subset costs only the columns behind it.

/** One row: the index of its level on each factor, and its score. */
interface FactorRow {
  readonly levels: readonly number[]
  readonly score: number
}

/** How much the factors of one subset explain together. */
interface Fit {
  /** R², 0–1. */
  readonly rSquared: number
  /** Number of effects that the rows distinguish. A score without any effect has an expected R² of `rank` / (rows − 1). */
  readonly rank: number
}

/** A column of which the earlier columns explain all but this fraction counts as dependent on them: the rows do not determine its effect. */
const sameColumn = 1e-9

/**
 * The fit of every subset of the factors; bit j of the index says that factor j is in it, so the last one has all.
 * `levelCounts` has the number of levels of each factor. The scores must differ.
 */
function fitsOfSubsets(rows: readonly FactorRow[], levelCounts: readonly number[]): Fit[] {
  const owners = levelCounts.flatMap((count, factor) =>
    Array.from({ length: Math.max(0, count - 1) }, (_, index) => ({ factor, level: index + 1 })),
  )
  const columns = owners.map(({ factor, level }) =>
    centred(rows.map(({ levels }) => (levels[factor] === level ? 1 : 0))),
  )
  columns.push(centred(rows.map(({ score }) => score)))
  const products = columns.map((column) => Float64Array.from(columns, (other) => dot(column, other)))
  const sizes = products.map((row, index) => row[index])
  const last = columns.length - 1
  const fits: Fit[] = Array.from({ length: 2 ** levelCounts.length })

  function visit(matrix: readonly Float64Array[], factor: number, subset: number, rank: number): void {
    if (factor === levelCounts.length) {
      const left = Math.min(1, Math.max(0, matrix[last][last] / sizes[last]))
      fits[subset] = { rSquared: 1 - left, rank }
      return
    }
    visit(matrix, factor + 1, subset, rank)
    const reduced = matrix.map((row) => row.slice())
    let found = rank
    for (const [index, owner] of owners.entries()) {
      if (owner.factor === factor && eliminate(reduced, index, sizes)) found += 1
    }
    visit(reduced, factor + 1, subset + 2 ** factor, found)
  }

  visit(products, 0, 0, 0)
  return fits
}

/** Subtracts from the columns after `pivot` what it explains of them. Returns false when nothing of it is left. */
function eliminate(matrix: readonly Float64Array[], pivot: number, sizes: readonly number[]): boolean {
  const own = matrix[pivot][pivot]
  if (own <= sameColumn * sizes[pivot]) return false
  for (let row = pivot + 1; row < matrix.length; row++) {
    const factor = matrix[row][pivot] / own
    if (factor === 0) continue
    for (let column = pivot + 1; column < matrix.length; column++) matrix[row][column] -= factor * matrix[pivot][column]
  }
  return true
}

function centred(values: readonly number[]): Float64Array {
  const centre = mean(values) ?? 0
  return Float64Array.from(values, (value) => value - centre)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index]
  return sum
}

/** One trial: the value of each parameter, and what it scored. */
export interface ScoredRow {
  readonly values: Readonly<Record<string, number>>
  readonly score: number
}

interface ParameterImportance {
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
