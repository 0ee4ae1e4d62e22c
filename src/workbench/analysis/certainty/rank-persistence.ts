import { rankCorrelation } from '../rank-correlation.ts'

/**
 * Whether what was good in one span is good in the next: Spearman's rank correlation (−1 to 1) over the configurations that have a value in both.
 * `n` is how many these are. Null under three of them, and where one span gives all of them the same value.
 */
export function rankPersistence(
  pairs: readonly { readonly first: number | null; readonly second: number | null }[],
): { readonly rho: number; readonly n: number } | null {
  const complete = pairs.flatMap(({ first, second }) =>
    first === null || second === null ? [] : [[first, second] as const],
  )
  const { rho, n } = rankCorrelation(complete)
  return rho === null || n < 3 ? null : { rho, n }
}
