/** Kraken's public candles, GET /0/public/OHLC: the latest 720 and nothing before them. https://docs.kraken.com/api/docs/rest-api/get-ohlc-data */
import { INTERVALS, type Interval, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { isoTime } from '../months.ts'
import { candlesOfRows, parseAnswer, refuseUnlessServed, unreadable } from './answer-rows.ts'
import type { CandleSource, FetchRequest, Piece } from './source.ts'

const reach = 720
const columns = [0, 1, 2, 3, 4, 6] // 5 is the average price
const intervals: readonly Interval[] = ['1m', '5m', '15m', '30m', '1h', '4h', '1d']
/** Kraken's own names of two assets. */
const assets: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' }

export function createKraken(baseUrl = 'https://api.kraken.com'): CandleSource {
  return { name: 'kraken', baseUrl, atOnce: 1, pauseMs: 1100, plan }
}

function plan(request: FetchRequest, now: number): Piece[] {
  const { market, interval, from, to } = request
  refuseUnlessServed('kraken', request, intervals.includes(interval))
  const intervalMs = INTERVALS[interval]
  // The last of the 720 is not complete yet.
  const earliest = Math.floor(now / intervalMs) * intervalMs - (reach - 1) * intervalMs
  if (from < earliest) {
    throw new Failure(
      'candlesMissing',
      `Kraken answers the latest ${reach} candles only, ${interval} ones from ${isoTime(earliest)} on`,
      { hint: 'choose a later --from or a coarser interval, or import its downloadable history files' },
    )
  }
  const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
  const pair = `${nameOf(market.baseAsset)}${nameOf(market.quoteAsset)}`
  const query = new URLSearchParams({ pair, interval: String(intervalMs / 60_000), since: String(from / 1000 - 1) })
  const download: Piece['download'] = async (get) => {
    const answer = await get(`/0/public/OHLC?${query}`)
    return candlesOfRows(name, rowsOf(name, pair, parseAnswer(name, answer)), { columns, request })
  }
  return [{ name, from, to, instead: [], download }]
}

/** `{ error: [], result: { <its own name of the pair>: rows, last } }` */
function rowsOf(name: string, pair: string, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) throw unreadable(name, 'something else than an object')
  const errors = 'error' in answer && Array.isArray(answer.error) ? answer.error : []
  if (errors.length > 0)
    throw new Failure('serviceRefused', `Kraken refused ${pair}: ${errors.join(', ').slice(0, 200)}`)
  const result: unknown = 'result' in answer ? answer.result : undefined
  if (typeof result !== 'object' || result === null) throw unreadable(name, 'no result')
  return Object.entries(result).find(([key]) => key !== 'last')?.[1]
}

function nameOf(asset: string): string {
  return Object.hasOwn(assets, asset) ? assets[asset] : asset
}
