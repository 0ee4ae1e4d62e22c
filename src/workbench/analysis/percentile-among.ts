import type { Objective } from '../study/study.ts'

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
