/** Coinbase Exchange's public candles, GET /products/{id}/candles: newest first, low before high, minutes without trades absent. https://docs.cdp.coinbase.com/exchange */
import { INTERVALS, type Interval, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { isoTime } from '../months.ts'
import { candlesOfRows, pagesOf, parseAnswer, refuseUnlessServed } from './answer-rows.ts'
import type { CandleSource, FetchRequest, Piece } from './source.ts'

const largestPage = 300
const columns = [0, 3, 2, 1, 4, 5]
const granularities: readonly Interval[] = ['1m', '5m', '15m', '1h', '6h', '1d']

export function createCoinbase(baseUrl = 'https://api.exchange.coinbase.com'): CandleSource {
  return { name: 'coinbase', baseUrl, atOnce: 2, pauseMs: 200, plan: (request) => plan(request) }
}

function plan(request: FetchRequest): Piece[] {
  refuseUnlessServed('coinbase', request, granularities.includes(request.interval))
  return pagesOf(request, largestPage).map((page): Piece => {
    const { market, interval, from, to } = page
    const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
    const product = `${market.baseAsset}-${market.quoteAsset}`
    const intervalMs = INTERVALS[interval]
    // Coinbase includes both ends.
    const query = new URLSearchParams({
      granularity: String(intervalMs / 1000),
      start: isoTime(from),
      end: isoTime(to - intervalMs),
    })
    return {
      name,
      from,
      to,
      instead: [],
      async download(get) {
        const answer = await get(`/products/${product}/candles?${query}`)
        if (answer.status === 404) throw new Failure('usage', `Coinbase has no market ${product}`)
        return candlesOfRows(name, parseAnswer(name, answer), { columns, request: page })
      },
    }
  })
}
