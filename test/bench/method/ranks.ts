/** Ranks, percentiles and Spearman's correlation over columns of numbers. NaN = undefined. */

/** 1 for the smallest; equal values share the mean of their ranks. */
export function ranksOf(values: readonly number[]): Float64Array {
  const order = Int32Array.from(values.keys()).sort((a, b) => values[a] - values[b])
  const ranks = new Float64Array(values.length)
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && values[order[to]] === values[order[from]]) to++
    for (let at = from; at < to; at++) ranks[order[at]] = (from + 1 + to) / 2
  }
  return ranks
}

/** Spearman's ρ over the rows where both are defined; null where there are fewer than three, or one side is all ties. */
export function spearman(one: ArrayLike<number>, other: ArrayLike<number>): number | null {
  const rows = Array.from({ length: one.length }, (_, row) => row).filter(
    (row) => !Number.isNaN(one[row]) && !Number.isNaN(other[row]),
  )
  if (rows.length < 3) return null
  const [x, y] = [one, other].map((column) => ranksOf(rows.map((row) => column[row])))
  const mean = (rows.length + 1) / 2
  let products = 0
  let squaresX = 0
  let squaresY = 0
  for (let row = 0; row < x.length; row++) {
    products += (x[row] - mean) * (y[row] - mean)
    squaresX += (x[row] - mean) ** 2
    squaresY += (y[row] - mean) ** 2
  }
  return squaresX === 0 || squaresY === 0 ? null : products / Math.sqrt(squaresX * squaresY)
}

/** Percent of the population that is worse than `value`; equal ones count half. */
export function percentileAmong(population: ArrayLike<number>, value: number): number {
  let worse = 0
  for (let row = 0; row < population.length; row++) {
    if (population[row] < value) worse++
    else if (population[row] === value) worse += 0.5
  }
  return (100 * worse) / population.length
}

/** The row of the largest defined value from ≤ row < to, the first of equals; −1 where none is defined. */
export function rowOfMost(values: ArrayLike<number>, from = 0, to = values.length): number {
  let best = -1
  for (let row = from; row < to; row++) {
    if (!Number.isNaN(values[row]) && (best === -1 || values[row] > values[best])) best = row
  }
  return best
}
