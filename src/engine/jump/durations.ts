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
interface DurationColumns {
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

interface CountedAt {
  readonly counts: Int32Array
  /** Where those of the config begin; they are put in order, and each bin becomes the number of deals in it and those before. */
  readonly from: number
  readonly bins: number
  readonly closedDeals: number
  readonly intervalMs: number
}

export function readDurations(columns: DurationColumns, to: number, at: CountedAt): void {
  const { counts, from, bins, closedDeals, intervalMs } = at
  const longFrom = from + bins + 1
  const longUntil = longFrom + counts[from]
  if (counts[from] > 1) counts.subarray(longFrom, longUntil).sort()
  // Whole numbers of 32 bits, as all of these deals lie in the span one after another.
  let intervals = 0
  let before = 0
  for (let bin = 1; bin <= bins; bin++) {
    const count = counts[from + bin]
    intervals = (intervals + Math.imul(bin, count)) | 0
    before = (before + count) | 0
    counts[from + bin] = before
  }
  for (let long = longFrom; long < longUntil; long++) intervals += counts[long]
  const minutesOf = (rank: number) => {
    const held = rank < before ? firstAbove(counts, { from, bins, rank }) : counts[longFrom + rank - before]
    return (held * intervalMs) / MINUTE_MS
  }
  columns.average[to] = closedDeals === 0 ? Number.NaN : (intervals * intervalMs) / MINUTE_MS / closedDeals
  columns.median[to] = medianOf(closedDeals, minutesOf) ?? Number.NaN
  columns.p95[to] = nearestRankOf(closedDeals, minutesOf, 0.95) ?? Number.NaN
}

/** The first bin with more deals in it and those before than this. */
function firstAbove(counts: Int32Array, { from, bins, rank }: { from: number; bins: number; rank: number }): number {
  let low = 1
  let high = bins
  while (low < high) {
    const middle = (low + high) >> 1
    if (counts[from + middle] <= rank) low = middle + 1
    else high = middle
  }
  return low
}
