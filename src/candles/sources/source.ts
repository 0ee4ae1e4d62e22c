/**
 * Where recorded candles can be fetched from, behind one small interface. A source divides a period into independent pieces: each
 * is downloaded, checked and stored as a whole, so an interrupted fetch continues with the pieces that are not stored yet.
 */
import type { Interval, Market } from '../../contract/market.ts'
import type { Candles } from '../../engine/candles.ts'

export const SOURCE_NAMES = ['binance-vision', 'binance', 'coinbase', 'kraken'] as const
export type SourceName = (typeof SOURCE_NAMES)[number]

/** The source that has most candles of an exchange's markets; undefined = none has them. */
export function usualSource(exchange: string): SourceName | undefined {
  const wanted = exchange.startsWith('binance') ? 'binance-vision' : exchange
  return SOURCE_NAMES.find((known) => known === wanted)
}

export interface FetchRequest {
  readonly market: Market
  readonly interval: Interval
  /** Candles with from ≤ open time < to; ms UTC, multiples of the interval. */
  readonly from: number
  readonly to: number
}

export interface Answer {
  /** 200 or 404; any other status has become a retry or a Failure. */
  readonly status: number
  readonly bytes: Uint8Array
}

/** One GET, `path` relative to the source's base address. @throws Failure serviceUnreachable, serviceRefused, serviceUnreadable */
export type Get = (path: string) => Promise<Answer>

export interface Piece {
  /** For people: an archive's file name, a range of times. */
  readonly name: string
  readonly from: number
  readonly to: number
  /** Smaller pieces of the same range, for when the source has no such piece. */
  readonly instead: readonly Piece[]
  /** The candles of its range, or undefined when the source has no such piece. */
  download(get: Get): Promise<Candles | undefined>
}

export interface CandleSource {
  readonly name: SourceName
  readonly baseUrl: string
  /** Most downloads at the same time. */
  readonly atOnce: number
  /** Least time between the starts of two requests, ms: more than the source demands from public clients. */
  readonly pauseMs: number
  /**
   * Oldest first. `now` is the wall clock, ms UTC.
   * @throws Failure usage when the source has no such market or interval; candlesMissing when its candles do not go back so far
   */
  plan(request: FetchRequest, now: number): Piece[]
}
