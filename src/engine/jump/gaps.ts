import { missingBetween } from '../candles.ts'
import type { ClosedDeal, OpenDeal } from '../deal.ts'
import type { PreparedCandles } from './prepared.ts'

/** Time between two candles that no candle covers. */
interface Gap {
  /** Open time of the candle before it. */
  readonly after: number
  readonly missing: number
}

const knownGaps = new WeakMap<PreparedCandles, readonly Gap[]>()

/** The gaps in time order. They depend on the candles alone, so they are computed once for all configs. */
export function gapsOf(prepared: PreparedCandles): readonly Gap[] {
  const known = knownGaps.get(prepared)
  if (known !== undefined) return known
  const { openTime, intervalMs } = prepared
  const gaps: Gap[] = []
  for (let i = 1; i < openTime.length; i++) {
    const missing = missingBetween(openTime[i - 1], openTime[i], intervalMs)
    if (missing > 0) gaps.push({ after: openTime[i - 1], missing })
  }
  knownGaps.set(prepared, gaps)
  return gaps
}

/** Counts the candles missing inside deals. Deals and gaps are both in time order, so one pass over both is enough. */
export function missingInDeals(deals: readonly ClosedDeal[], openDeal: OpenDeal | null, gaps: readonly Gap[]): number {
  let total = 0
  let deal = 0
  for (const { after, missing } of gaps) {
    while (deal < deals.length && deals[deal].closedAt <= after) deal++
    const openedAt = deal < deals.length ? deals[deal].openedAt : openDeal?.openedAt
    if (openedAt !== undefined && openedAt <= after) total += missing
  }
  return total
}
