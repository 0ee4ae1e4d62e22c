/** Calendar months in UTC: the unit in which candles are stored and hashed. */

import { createHash } from 'node:crypto'
import { type Candles, lowerBound } from '../engine/candles.ts'

// The hash of a set of candles. It depends on nothing but the candles.
//
//     hash = SHA-256("dcalab-candles-1 <interval ms>\n" + one line "<YYYY-MM> <month digest>\n" per month that holds a candle)
//     month digest = SHA-256(open time, open, high, low, close, volume of its candles: column after column, float64 little-endian)
//
// Cut by calendar month, because that is how candles are stored: a stored month keeps its digest, so the hash of a year needs no
// pass over 25 MB (14 ms on a processor with SHA-256 instructions, 60 ms without). The cut depends on the open times alone, so it
// does not matter from which files and in which order candles were imported. Market and origin are not part of the hash.

/** The value columns, in the order in which they are stored and hashed. */
export const VALUE_COLUMNS = ['open', 'high', 'low', 'close', 'volume'] as const

/** SHA-256 hex of candles that lie in one calendar month. */
export function digestMonth(candles: Candles): string {
  const hash = createHash('sha256').update(bytesOf(candles.openTime))
  for (const name of VALUE_COLUMNS) hash.update(bytesOf(candles[name]))
  return hash.digest('hex')
}

/** The hash of candles from the digests of their months, oldest first. */
export function combineDigests(
  intervalMs: number,
  months: readonly { readonly month: Month; readonly digest: string }[],
): string {
  const hash = createHash('sha256').update(`dcalab-candles-1 ${intervalMs}\n`)
  for (const { month, digest } of months) hash.update(`${month} ${digest}\n`)
  return hash.digest('hex')
}

/** The hash of candles in memory; equal to the hash of the same candles in a folder. */
export function hashCandles(candles: Candles): string {
  const months = splitByMonth(candles).map((part) => ({ month: part.month, digest: digestMonth(part.candles) }))
  return combineDigests(candles.intervalMs, months)
}

export function bytesOf(column: Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
}

/**
 * Open times we accept, ms UTC: 2000-01-01 ≤ t < 2100-01-01. With this range years have four digits, and a number shows its unit
 * of time (s, ms, µs, ns).
 */
export const EARLIEST_TIME = Date.UTC(2000, 0, 1)
export const LATEST_TIME = Date.UTC(2100, 0, 1)

/** A calendar month as `YYYY-MM`; sorts as text. */
export type Month = string

export function monthOf(time: number): Month {
  return new Date(time).toISOString().slice(0, 7)
}

/** The first moment after the month that holds `time`, ms UTC. */
export function monthEnd(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

interface MonthRows {
  readonly month: Month
  readonly candles: Candles
}

/** The candles month by month, oldest first, sharing memory. Months without a candle are absent. */
export function splitByMonth(candles: Candles): MonthRows[] {
  const parts: MonthRows[] = []
  const { openTime } = candles
  for (let start = 0; start < openTime.length; ) {
    const end = lowerBound(openTime, monthEnd(openTime[start]))
    parts.push({ month: monthOf(openTime[start]), candles: candleRows(candles, start, end) })
    start = end
  }
  return parts
}

/** Rows `start` ≤ i < `end`, sharing memory. */
export function candleRows(candles: Candles, start: number, end: number): Candles {
  return {
    intervalMs: candles.intervalMs,
    openTime: candles.openTime.subarray(start, end),
    open: candles.open.subarray(start, end),
    high: candles.high.subarray(start, end),
    low: candles.low.subarray(start, end),
    close: candles.close.subarray(start, end),
    volume: candles.volume.subarray(start, end),
  }
}

/** Columns for `count` candles, all zero. */
export function emptyCandles(intervalMs: number, count: number): Candles {
  return {
    intervalMs,
    openTime: new Float64Array(count),
    open: new Float64Array(count),
    high: new Float64Array(count),
    low: new Float64Array(count),
    close: new Float64Array(count),
    volume: new Float64Array(count),
  }
}

/**
 * A candle is in the period when from ≤ open time < to (ms UTC). Without `from` the period begins with the first candle, without `to` it
 * ends with the last.
 */
export interface CandlePeriod {
  readonly from?: number
  readonly to?: number
}

/** A sentence why the first or the last candle of the period is not in the ascending `openTime`, or undefined when both are. */
export function findMissingEdge(openTime: Float64Array, intervalMs: number, period: CandlePeriod): string | undefined {
  const first = openTime.at(0)
  const last = openTime.at(-1)
  if (first === undefined || last === undefined) return 'no candle lies in it'
  const { from, to } = period
  const dueFirst = from === undefined ? first : Math.ceil(from / intervalMs) * intervalMs
  const dueLast = to === undefined ? last : (Math.ceil(to / intervalMs) - 1) * intervalMs
  if (first > dueFirst) return `candles are missing at its start, the first one opens at ${isoTime(first)}`
  if (last < dueLast) return `candles are missing at its end, the last one opens at ${isoTime(last)}`
  return undefined
}

export function describePeriod({ from, to }: CandlePeriod): string {
  return `${from === undefined ? 'the first candle' : isoTime(from)} to ${to === undefined ? 'the last candle' : isoTime(to)}`
}

export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

// Converts the int64 times of files from and to our times (ms in float64). BigInt arithmetic allocates memory for every row, so
// both directions use the two halves of each int64 (little-endian, as the files are). Milliseconds up to the year 2100 are exact
// in a float64.

export function integersOf(times: Float64Array): BigInt64Array {
  const integers = new BigInt64Array(times.length)
  const halves = new Int32Array(integers.buffer)
  for (let i = 0; i < times.length; i++) {
    const high = Math.floor(times[i] / 2 ** 32)
    halves[2 * i] = times[i] - high * 2 ** 32
    halves[2 * i + 1] = high
  }
  return integers
}
