/** Ranks among sorted values, for the durations of deals. */

/** The middle value, or the mean of the two middle ones. `valueAt`: of the values in ascending order, from rank 0. */
export function medianOf(count: number, valueAt: (rank: number) => number): number | null {
  if (count === 0) return null
  const middle = count >> 1
  return count % 2 === 1 ? valueAt(middle) : (valueAt(middle - 1) + valueAt(middle)) / 2
}

/** The smallest value that at least this share of all reaches or stays below. */
export function nearestRankOf(count: number, valueAt: (rank: number) => number, share: number): number | null {
  return count === 0 ? null : valueAt(Math.ceil(share * count) - 1)
}
