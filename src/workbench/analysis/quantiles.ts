/** Order statistics of plain numbers. Callers leave out what is not finite. */
import type { Objective } from '../study/study.ts'

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

/**
 * Share of the values that `value` is better than, ties half, in percent; null without values. @param slack values no further apart are ties: what
 * a sweep computes of equal deals may differ by its rounding
 */
export function percentileAmong(
  values: readonly number[],
  value: number,
  { direction, slack = 0 }: Pick<Objective, 'direction'> & { readonly slack?: number },
): number | null {
  if (values.length === 0) return null
  const sign = direction === 'maximize' ? 1 : -1
  const worse = values.filter((other) => sign * (value - other) > slack).length
  const equal = values.filter((other) => Math.abs(value - other) <= slack).length
  return (100 * (worse + equal / 2)) / values.length
}
