/**
 * How much of the differences in a score an additive model explains: one free effect per level of each factor, no
 * interactions, fitted by least squares.
 *
 * The columns are the centred indicators of all levels but each factor's first, and the score last. Eliminating a
 * factor's columns from their cross products (the Schur complement) leaves in the last cell the sum of squares that the
 * factors eliminated so far do not explain. Factors are eliminated in their order, depth first over all subsets, so
 * that every subset costs only the columns behind it.
 */
import { mean } from './quantiles.ts'

/** One row: the index of its level on each factor, and its score. */
export interface FactorRow {
  readonly levels: readonly number[]
  readonly score: number
}

/** How much the factors of one subset explain together. */
export interface Fit {
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
export function fitsOfSubsets(rows: readonly FactorRow[], levelCounts: readonly number[]): Fit[] {
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
