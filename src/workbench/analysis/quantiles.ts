/** Order statistics of plain numbers. Callers leave out what is not finite. */

/** The values in ascending order, as a new array. */
export function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}

/**
 * The `p`-quantile (0 ≤ p ≤ 1) of values in ascending order, linear between neighbours (Hyndman & Fan 1996, type 7).
 * undefined without values.
 */
export function quantile(sorted: readonly number[], p: number): number | undefined {
  if (sorted.length === 0) return undefined
  const position = p * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.ceil(position)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}

export function median(values: readonly number[]): number | undefined {
  return quantile(ascending(values), 0.5)
}

export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}
