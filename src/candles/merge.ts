import type { Candles } from '../engine/candles.ts'
import { candleRows, emptyCandles, VALUE_COLUMNS } from './months.ts'

/** What becomes of a candle that differs from the stored one of the same time; with `refuse` the caller has to throw. */
export type ConflictPolicy = 'keep' | 'replace' | 'refuse'

interface Merge {
  readonly candles: Candles
  /** Incoming candles of times that were not stored. */
  readonly added: number
  /** Incoming candles equal to the stored ones. */
  readonly same: number
  /** Open times at which both hold a candle and the two differ. */
  readonly conflicts: readonly number[]
  /** Whether `candles` differs from what was stored. */
  readonly changed: boolean
}

/** Merges two ascending sets of one interval. A conflicting candle comes from `incoming` exactly when the policy is `replace`. */
export function mergeCandles(stored: Candles, incoming: Candles, policy: ConflictPolicy): Merge {
  const a = stored.openTime
  const b = incoming.openTime
  const merged = emptyCandles(stored.intervalMs, a.length + b.length)
  const conflicts: number[] = []
  let count = 0
  let same = 0
  for (let i = 0, k = 0; i < a.length || k < b.length; count++) {
    if (k >= b.length || a[i] < b[k]) copyRow(merged, count, stored, i++)
    else if (i >= a.length || b[k] < a[i]) copyRow(merged, count, incoming, k++)
    else {
      const equal = equalRows(stored, i, incoming, k)
      if (equal) same++
      else conflicts.push(a[i])
      if (equal || policy !== 'replace') copyRow(merged, count, stored, i)
      else copyRow(merged, count, incoming, k)
      i++
      k++
    }
  }
  const added = count - a.length
  const changed = added > 0 || (conflicts.length > 0 && policy === 'replace')
  return { candles: candleRows(merged, 0, count), added, same, conflicts, changed }
}

function copyRow(to: Candles, row: number, from: Candles, source: number): void {
  to.openTime[row] = from.openTime[source]
  for (const name of VALUE_COLUMNS) to[name][row] = from[name][source]
}

export function equalRows(a: Candles, i: number, b: Candles, k: number): boolean {
  return VALUE_COLUMNS.every((name) => a[name][i] === b[name][k])
}
