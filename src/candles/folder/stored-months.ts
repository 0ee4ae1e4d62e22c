/** The stored months of one market and interval, read as one set of candles, and the stretches that they form. */
import { INTERVALS, type Interval } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { combineDigests, digestMonth } from '../hash.ts'
import {
  type CandlePeriod,
  candleRows,
  EARLIEST_TIME,
  emptyCandles,
  findMissingEdge,
  isoTime,
  LATEST_TIME,
  type Month,
  monthEnd,
  monthOf,
  VALUE_COLUMNS,
} from '../months.ts'
import { listMonths } from './commit.ts'
import { createMonthReader, type MonthHead, readMonthHead } from './month-file.ts'

export interface StoredMonth {
  readonly month: Month
  readonly path: string
  readonly head: MonthHead
}

/** The months in a folder that overlap the period, oldest first. @throws Failure candlesInvalid */
export function readMonthHeads(folder: string, interval: Interval, period: CandlePeriod = {}): StoredMonth[] {
  const first = monthOf(Math.max(period.from ?? EARLIEST_TIME, EARLIEST_TIME))
  const last = monthOf(Math.min(period.to ?? LATEST_TIME, LATEST_TIME) - 1)
  return listMonths(folder)
    .filter(({ month }) => month >= first && month <= last)
    .map(({ month, path }) => {
      const head = readMonthHead(path, month)
      if (head.interval === interval) return { month, path, head }
      throw new Failure('candlesInvalid', `${path} holds ${head.interval} candles`, {
        hint: `move it to the folder ${head.interval}, or delete it and import its month again`,
      })
    })
}

interface StoredRange {
  readonly candles: Candles
  readonly hash: string
  readonly synthetic: boolean
}

/** Makes columns for so many candles; where candles are needed in another memory than usual. A column of no length is left out. */
export type MakeColumns = (intervalMs: number, count: number) => Candles

/**
 * Returns the candles of the period, or a sentence why its first or last candle is missing.
 * @throws Failure candlesInvalid when a file was damaged or changed by another program
 */
export function loadMonths(
  folder: string,
  interval: Interval,
  { makeColumns = emptyCandles, ...period }: CandlePeriod & { readonly makeColumns?: MakeColumns },
): StoredRange | string {
  const intervalMs = INTERVALS[interval]
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = period
  const months = readMonthHeads(folder, interval, period).filter(({ head }) => head.first < to && head.last >= from)
  // The heads show most missing edges without reading a year of candles; the exact check follows below.
  const outermost = Float64Array.from(months.flatMap(({ head }) => [head.first, head.last]))
  const early = findMissingEdge(outermost, intervalMs, period)
  if (early !== undefined) return early

  const most = months.reduce((sum, { head }) => sum + head.count, 0)
  const columns = makeColumns(intervalMs, most)
  const digests: { month: Month; digest: string }[] = []
  const reader = createMonthReader()
  let count = 0
  for (const { month, path } of months) {
    const { head, candles } = reader.read(path, month)
    const used = sliceCandles(candles, from, to)
    const rows = used.openTime.length
    if (rows === 0) continue
    if (count + rows > most) throw new Error(`${path} grew while it was read`)
    columns.openTime.set(used.openTime, count)
    for (const name of VALUE_COLUMNS) if (columns[name].length > 0) columns[name].set(used[name], count)
    count += rows
    digests.push({ month, digest: rows === head.count ? head.sha256 : digestMonth(used) })
  }
  const candles = candleRows(columns, 0, count)
  return (
    findMissingEdge(candles.openTime, intervalMs, period) ?? {
      candles,
      hash: combineDigests(intervalMs, digests),
      synthetic: months.some(({ head }) => head.synthetic),
    }
  )
}

/** Counts the stored candles of a period; months completely inside it are counted from their heads. */
export function countStored(
  folder: string,
  interval: Interval,
  period: { readonly from: number; readonly to: number },
): number {
  const { from, to } = period
  const reader = createMonthReader()
  return readMonthHeads(folder, interval, period).reduce((count, { month, path, head }) => {
    if (head.first >= from && head.last < to) return count + head.count
    if (head.first >= to || head.last < from) return count
    return count + sliceCandles(reader.read(path, month).candles, from, to).openTime.length
  }, 0)
}

// Stored candles that belong together. A market may be stored for 2017 and for 2024 with nothing between: these are two
// stretches, and begin, end and missing candles are reported for each, because one figure for both would mislead. A whole
// calendar month (UTC) without a candle ends a stretch; a shorter gap is an outage and counts as missing candles inside it.

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
