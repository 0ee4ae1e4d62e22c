/** The public candles of exchanges, page by page, and which of them is asked for a market. */
import { describe, expect, it } from 'vitest'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import {
  chooseSource,
  createBinance,
  createBinanceVision,
  createCoinbase,
  createKraken,
} from '../../src/candles/sources/choose.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { rejectionOf } from './arbitrary-candles.ts'
import { day, held, hour, january, type Route, rowsOf, setup } from './fetch-setup.ts'

describe('the klines of Binance', () => {
  it('come page by page, without the candle that is still being made', async () => {
    const { fetch, asked, folder } = await setup(binance, createBinance, '2025-02-03T12:30Z')
    const from = Date.UTC(2024, 11, 1)
    const report = await fetch('binance/BTC-USDT', '1h', from, Date.UTC(2025, 5, 1))
    const to = Date.UTC(2025, 1, 3, 12)
    expect(report).toMatchObject({ added: (to - from) / hour - 1, missing: 1, to, downloaded: 2 })
    expect(asked[0]).toBe(
      `/api/v3/klines?symbol=BTCUSDT&interval=1h&startTime=${from}&endTime=${from + 1000 * hour - 1}&limit=1000`,
    )
    expect(loadCandles(folder, { market: 'binance/BTC-USDT' }).candles).toEqual(sliceCandles(held, from, to))
  })

  function binance(url: URL): ReturnType<Route> {
    const [start, end] = ['startTime', 'endTime'].map((name) => Number(url.searchParams.get(name)))
    const rows = rowsOf(sliceCandles(held, start, end + 1)).slice(0, 1000)
    return {
      body: JSON.stringify(
        rows.map(([time, ...values]) => [time, ...values.map(String), time + hour - 1, '1', 2, '3', '4', '0']),
      ),
    }
  }
})

it('the candles of Coinbase come newest first and low before high', async () => {
  const route: Route = (url) => {
    const [start, end] = ['start', 'end'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
    const rows = rowsOf(sliceCandles(held, start, end + 1)).reverse()
    return {
      body: JSON.stringify(
        rows.map(([time, open, high, low, close, volume]) => [time / 1000, low, high, open, close, volume]),
      ),
    }
  }
  const { fetch, asked, folder } = await setup(route, createCoinbase)
  const [from, to] = [january, january + 20 * day]
  expect(await fetch('coinbase/BTC-USD', '1h', from, to)).toMatchObject({ added: 479, missing: 1, downloaded: 2 })
  expect(loadCandles(folder, { market: 'coinbase/BTC-USD' }).candles).toEqual(sliceCandles(held, from, to))
  expect(asked[0]).toMatch(/^\/products\/BTC-USD\/candles\?granularity=3600&start=2025-01-01T00/)
})

describe('Kraken', () => {
  const now = '2025-02-03T12:30Z'

  it('answers its latest candles under its own names', async () => {
    const route: Route = (url) => {
      const since = Number(url.searchParams.get('since')) * 1000
      const rows = rowsOf(sliceCandles(held, since, Date.parse(now)))
      const shown = rows.map(([time, open, high, low, close, volume]) => [
        time / 1000,
        ...[open, high, low, close, 1, volume].map(String),
        7,
      ])
      return { body: JSON.stringify({ error: [], result: { XXBTZUSD: shown, last: 1 } }) }
    }
    const { fetch, asked, folder } = await setup(route, createKraken, now)
    const [from, to] = [Date.UTC(2025, 1, 1), Date.UTC(2025, 1, 4)]
    expect(await fetch('kraken/BTC-USD', '1h', from, to)).toMatchObject({ added: 60, missing: 0 })
    expect(asked).toEqual([`/0/public/OHLC?pair=XBTUSD&interval=60&since=${from / 1000 - 1}`])
    expect(loadCandles(folder, { market: 'kraken/BTC-USD' }).candles).toEqual(
      sliceCandles(held, from, Date.UTC(2025, 1, 3, 12)),
    )
  })

  it('is not asked for what it does not reach back to, and its refusal is told', async () => {
    const { fetch, asked } = await setup(() => ({ body: '{"error":["EQuery:Unknown asset pair"]}' }), createKraken, now)
    expect(await rejectionOf(fetch('kraken/BTC-USD', '1h', january, january + day))).toMatchObject({
      code: 'candlesMissing',
    })
    expect(asked).toEqual([])
    const refused = await rejectionOf(fetch('kraken/NO-USD', '1h', Date.UTC(2025, 1, 1), Date.UTC(2025, 1, 3)))
    expect(refused).toMatchObject({ code: 'serviceRefused' })
    expect(refused.message).toContain('Unknown asset pair')
  })
})

describe('the source', () => {
  it.each([
    ['binance', 'binance-vision'],
    ['binance_usdm', 'binance-vision'],
    ['coinbase', 'coinbase'],
    ['kraken', 'kraken'],
  ])('of a market of %s is %s unless another is named', (exchange, name) => {
    expect(chooseSource(undefined, { exchange, baseAsset: 'BTC', quoteAsset: 'USD' }).name).toBe(name)
  })

  it('that nobody knows is refused, and so is a market or an interval that one does not have', () => {
    const market = { exchange: 'nowhere', baseAsset: 'BTC', quoteAsset: 'USD' }
    expect(() => chooseSource(undefined, market)).toThrow(/no source has the markets of nowhere/)
    expect(() => chooseSource('yahoo', market)).toThrow(/no source "yahoo"/)
    const request = {
      market: { ...market, exchange: 'coinbase' },
      interval: '3m',
      from: january,
      to: january + day,
    } as const
    expect(() => createCoinbase().plan(request, january)).toThrow(/no 3m candles/)
    expect(() => createKraken().plan(request, january)).toThrow(/kraken has no/)
    expect(() => createBinanceVision().plan(request, january)).toThrow(/binance-vision has no/)
    expect(() => createBinance().plan(request, january)).toThrow(/binance has no/)
  })
})
