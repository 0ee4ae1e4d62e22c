/**
 * The hash of a set of candles. It depends on nothing but the candles.
 *
 *     hash = SHA-256("dcalab-candles-1 <interval ms>\n" + one line "<YYYY-MM> <month digest>\n" per month that holds a candle)
 *     month digest = SHA-256(open time, open, high, low, close, volume of its candles: column after column, float64 little-endian)
 *
 * Cut by calendar month, because that is how candles are stored: a stored month keeps its digest, so the hash of a year needs no
 * pass over 25 MB (14 ms on a processor with SHA-256 instructions, 60 ms without). The cut depends on the open times alone, so it
 * does not matter from which files and in which order candles were imported. Market and origin are not part of the hash.
 */
import { createHash } from 'node:crypto'
import type { Candles } from '../engine/candles.ts'
import { type Month, splitByMonth, VALUE_COLUMNS } from './months.ts'

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
