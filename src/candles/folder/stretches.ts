/**
 * Stored candles that belong together. A market may be stored for 2017 and for 2024 with nothing between: these are two
 * stretches, and begin, end and missing candles are reported for each, because one figure for both would mislead. A whole
 * calendar month (UTC) without a candle ends a stretch; a shorter gap is an outage and counts as missing candles inside it.
 */
import { INTERVALS, type Interval } from '../../contract/market.ts'
import { combineDigests } from '../hash.ts'
import { isoTime, monthEnd, monthOf } from '../months.ts'
import type { StoredMonth } from './stored-months.ts'

export interface StoredStretch {
  /** Open time of the first candle, ms UTC. */
  readonly from: number
  /** Open time of the last candle + interval, ms UTC. */
  readonly to: number
  readonly count: number
  readonly missing: number
  readonly hash: string
  readonly synthetic: boolean
}

/** Summarises all months as one stretch, including the gaps between them; undefined without months. `months`: oldest first. */
export function sumUp(months: readonly StoredMonth[], interval: Interval): StoredStretch | undefined {
  const first = months.at(0)
  const last = months.at(-1)
  if (first === undefined || last === undefined) return undefined
  const intervalMs = INTERVALS[interval]
  const from = first.head.first
  const to = last.head.last + intervalMs
  const count = months.reduce((sum, { head }) => sum + head.count, 0)
  const digests = months.map(({ month, head }) => ({ month, digest: head.sha256 }))
  return {
    from,
    to,
    count,
    missing: (to - from) / intervalMs - count,
    hash: combineDigests(intervalMs, digests),
    synthetic: months.some(({ head }) => head.synthetic),
  }
}

/** The stretches of the months, oldest first. */
export function stretchesOf(months: readonly StoredMonth[], interval: Interval): StoredStretch[] {
  const parts: StoredMonth[][] = []
  for (const month of months) {
    const part = parts.at(-1)
    const before = part?.at(-1)
    if (part !== undefined && before !== undefined && monthOf(monthEnd(before.head.last)) === month.month) {
      part.push(month)
    } else parts.push([month])
  }
  return parts.flatMap((part) => sumUp(part, interval) ?? [])
}

/** A sentence with the begin and the end of each stretch. */
export function describeStretches(months: readonly StoredMonth[], interval: Interval): string {
  const spans = stretchesOf(months, interval).map(({ from, to }) => `${isoTime(from)} to ${isoTime(to)}`)
  return spans.length === 0 ? 'nothing is stored' : `stored are ${spans.join(' and ')}`
}

/** The stretch for a time: the one that contains it, else the last one that ended before it; undefined before the first. */
export function findStretch<Stretch extends { readonly from: number; readonly to: number }>(
  stretches: readonly Stretch[],
  at: number,
): Stretch | undefined {
  return stretches
    .filter(({ from }) => from <= at)
    .toSorted((a, b) => a.to - b.to)
    .at(-1)
}
