/** What a row costs (lower is better) and what it brings (higher is better). */
interface Tradeoff {
  readonly cost: number
  readonly gain: number
}

/**
 * The rows that no other row beats: no other row has at most the same cost and at least the same gain, with one of the two
 * better. Cheapest first; rows that tie in both stay together in the order given. Rows whose cost or gain is not finite cannot be
 * compared and are left out. O(n log n).
 */
export function paretoFront<T>(rows: readonly T[], tradeoffOf: (row: T) => Tradeoff): T[] {
  const candidates = rows
    .map((row) => ({ row, ...tradeoffOf(row) }))
    .filter(({ cost, gain }) => Number.isFinite(cost) && Number.isFinite(gain))
    .sort((a, b) => a.cost - b.cost || b.gain - a.gain)
  const front: typeof candidates = []
  for (const candidate of candidates) {
    const last = front.at(-1)
    const beatsLast = last === undefined || candidate.gain > last.gain
    const tiesLast = last !== undefined && candidate.gain === last.gain && candidate.cost === last.cost
    if (beatsLast || tiesLast) front.push(candidate)
  }
  return front.map(({ row }) => row)
}
