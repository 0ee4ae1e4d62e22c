/**
 * How long deals take, counted by the kernel so that median and percentile are exact. Per config lie in memory
 *
 *     0                how many deals took longer than `bins` intervals
 *     1 … bins         how many took so many intervals
 *     bins + 1 …       each of the longer ones, in intervals
 *
 * Deals of one config share no time: of those longer than `bins` there are fewer than the whole span divided by `bins`. Both parts are
 * shortest together where `bins` is the root of the span: 5.8 kB a config on a year of minutes.
 */
import { medianOf, nearestRankOf } from '../deal-statistics.ts'
import type { PreparedCandles } from './prepared.ts'

/** Minutes of the closed deals of one config per row; NaN where none has closed. */
export interface DurationColumns {
  readonly average: Float64Array
  readonly median: Float64Array
  readonly p95: Float64Array
}

export interface DurationCounts {
  readonly bins: number
  /** Ints per config. */
  readonly stride: number
}

/** @throws Error when a candle does not lie a whole number of intervals behind the first: stored candles all do */
export function planDurations({ openTime, intervalMs, count }: PreparedCandles): DurationCounts {
  for (let i = 1; i < count; i++)
    if ((openTime[i] - openTime[0]) % intervalMs !== 0)
      throw new Error('durations cannot be counted: a candle lies between two intervals')
  const span = count === 0 ? 0 : (openTime[count - 1] - openTime[0]) / intervalMs + 1
  const bins = Math.ceil(Math.sqrt(span))
  return { bins, stride: 1 + bins + Math.floor(span / (bins + 1)) + 1 }
}

export function createDurationColumns(count: number): DurationColumns {
  const column = () => new Float64Array(count)
  return { average: column(), median: column(), p95: column() }
}

const MINUTE_MS = 60_000

/** @param counts of one config; the list of its longer deals is put in order */
export function readDurations(
  columns: DurationColumns,
  to: number,
  counts: Int32Array,
  { bins, intervalMs }: { readonly bins: number; readonly intervalMs: number },
): void {
  const longer = counts.subarray(bins + 1, bins + 1 + counts[0]).sort()
  let closed = counts[0]
  let intervals = 0
  for (const each of longer) intervals += each
  for (let bin = 1; bin <= bins; bin++) {
    closed += counts[bin]
    intervals += bin * counts[bin]
  }
  const minutesOf = (rank: number) => (intervalsAt(rank) * intervalMs) / MINUTE_MS
  columns.average[to] = closed === 0 ? Number.NaN : (intervals * intervalMs) / MINUTE_MS / closed
  columns.median[to] = medianOf(closed, minutesOf) ?? Number.NaN
  columns.p95[to] = nearestRankOf(closed, minutesOf, 0.95) ?? Number.NaN

  /** Of the closed deals in order of their durations. */
  function intervalsAt(rank: number): number {
    let before = 0
    for (let bin = 1; bin <= bins; bin++) {
      before += counts[bin]
      if (rank < before) return bin
    }
    return longer[rank - before]
  }
}
