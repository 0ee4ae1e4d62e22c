/** Binance's public klines, GET /api/v3/klines, from its address for market data alone. https://developers.binance.com/docs/binance-spot-api-docs */
import { marketName } from '../../contract/market.ts'
import { isoTime } from '../months.ts'
import { candlesOfRows, pagesOf, parseAnswer, refuseUnlessServed, unreadable } from './answer-rows.ts'
import type { CandleSource, FetchRequest, Piece } from './source.ts'

const largestPage = 1000
const columns = [0, 1, 2, 3, 4, 5]

export function createBinance(baseUrl = 'https://data-api.binance.vision'): CandleSource {
  return { name: 'binance', baseUrl, atOnce: 2, pauseMs: 100, plan: (request) => plan(request) }
}

function plan(request: FetchRequest): Piece[] {
  refuseUnlessServed('binance', request, request.interval !== '10s')
  return pagesOf(request, largestPage).map((page): Piece => {
    const { market, interval, from, to } = page
    const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
    const symbol = `${market.baseAsset}${market.quoteAsset}`
    const query = new URLSearchParams({
      symbol,
      interval,
      startTime: String(from),
      endTime: String(to - 1),
      limit: String(largestPage),
    })
    return {
      name,
      from,
      to,
      instead: [],
      async download(get) {
        const answer = await get(`/api/v3/klines?${query}`)
        if (answer.status === 404) throw unreadable(name, 'that there is no such address')
        return candlesOfRows(name, parseAnswer(name, answer), { columns, request: page })
      },
    }
  })
}
