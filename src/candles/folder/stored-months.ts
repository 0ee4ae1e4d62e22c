/** The stored months of one market and interval, read as one set of candles. */
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
  LATEST_TIME,
  type Month,
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

export interface StoredRange {
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
