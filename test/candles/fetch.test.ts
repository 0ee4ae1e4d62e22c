/** Fetching against servers that answer as the real ones do: layouts recorded from their documentation, candles made up. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { zipSync } from 'fflate'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fetchCandles } from '../../src/candles/fetch.ts'
import { loadCandles, storeCandles } from '../../src/candles/folder.ts'
import { createBinance } from '../../src/candles/sources/binance.ts'
import { createBinanceVision } from '../../src/candles/sources/binance-vision.ts'
import { chooseSource } from '../../src/candles/sources/choose.ts'
import { createCoinbase } from '../../src/candles/sources/coinbase.ts'
import { createKraken } from '../../src/candles/sources/kraken.ts'
import type { CandleSource } from '../../src/candles/sources/source.ts'
import { findMarket, INTERVALS, type Interval } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { type TestSystem, testSystem } from '../support/system.ts'
import { plainCandles, rejectionOf, temporaryFolder } from './arbitrary-candles.ts'

const hour = 3_600_000
const day = 24 * hour
const january = Date.UTC(2025, 0, 1)
/** What the exchange has: every hour from December 2024 on, one of them missing. */
const held = withoutHour(plainCandles(Date.UTC(2024, 11, 1), 100 * 24, hour), january + 30 * hour)

type Route = (
  url: URL,
  visit: number,
) => { readonly status?: number; readonly body?: string | Uint8Array; readonly retryAfter?: string }

/** A server whose every answer is `route`'s; `asked` is what was requested, in order. */
async function serve(route: Route): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const visit = asked.filter((earlier) => earlier === path).length
    asked.push(path)
    const { status = 200, body = '', retryAfter } = route(new URL(path, 'http://local'), visit)
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a TCP server's address is an object
  return { url: `http://127.0.0.1:${port}`, asked }
}

async function setup(
  route: Route,
  create: (baseUrl: string) => CandleSource,
  wall: number | string = '2025-02-03T12:00Z',
) {
  const { url, asked } = await serve(route)
  const source = { ...create(url), pauseMs: 0 }
  const system = patientSystem(wall)
  const folder = temporaryFolder()
  const fetch = (market: string, interval: Interval, from: number, to: number) => {
    const found = findMarket(market)
    if (found === undefined) throw new Error(`${market} is no market`)
    return fetchCandles(system, folder, { source, request: { market: found, interval, from, to } })
  }
  return { fetch, asked, folder, system, source }
}

describe('Binance Vision', () => {
  it('downloads whole months and single days, checks them, and stores what was asked for', async () => {
    const { fetch, asked, folder } = await setup(vision(), createBinanceVision)
    const [from, to] = [Date.UTC(2024, 11, 30), Date.UTC(2025, 1, 3)]
    const report = await fetch('binance/BTC-USDT', '1h', from, to)
    expect(report).toEqual({
      market: 'binance/BTC-USDT',
      interval: '1h',
      from,
      to,
      added: 35 * 24 - 1,
      same: 0,
      conflicting: 0,
      missing: 1,
      synthetic: false,
      source: 'binance-vision',
      downloaded: 5, // two days of December, January, two days of February
      skipped: 0,
      absent: [],
    })
    expect(loadCandles(folder, { market: 'binance/BTC-USDT', from, to }).candles).toEqual(sliceCandles(held, from, to))
    expect(asked).toContain('/data/spot/monthly/klines/BTCUSDT/1h/BTCUSDT-1h-2025-01.zip.CHECKSUM')
    expect(asked).toContain('/data/spot/daily/klines/BTCUSDT/1h/BTCUSDT-1h-2024-12-31.zip')
  })

  it('goes on where it stopped: only pieces with missing candles are asked for again', async () => {
    const { fetch, asked } = await setup(vision(), createBinanceVision)
    await fetch('binance/BTC-USDT', '1h', january - 3 * day, january + 3 * day)
    const before = asked.length
    const report = await fetch('binance/BTC-USDT', '1h', january - 3 * day, january + 3 * day)
    expect(report).toMatchObject({ downloaded: 1, skipped: 5, added: 0, same: 23, missing: 1 })
    const name = '/data/spot/daily/klines/BTCUSDT/1h/BTCUSDT-1h-2025-01-02.zip'
    expect(asked.slice(before)).toEqual([`${name}.CHECKSUM`, name])
  })

  it('takes the days of a month whose archive is not there, and names the days that are not', async () => {
    const route = vision({ missing: /monthly|2025-01-31/ })
    const { fetch, folder } = await setup(route, createBinanceVision)
    const report = await fetch('binance/BTC-USDT', '1h', january, Date.UTC(2025, 1, 1))
    expect(report).toMatchObject({ downloaded: 30, absent: ['BTCUSDT-1h-2025-01-31.zip'], missing: 25 })
    expect(loadCandles(folder, { market: 'binance/BTC-USDT' }).info.count).toBe(30 * 24 - 1)
  })

  it('fetches futures from their own folder, and the day that is not over not at all', async () => {
    const { fetch, asked } = await setup(vision(), createBinanceVision)
    const report = await fetch('binance_usdm/BTC-USDT', '1h', Date.UTC(2025, 1, 2), Date.UTC(2025, 1, 10))
    expect(report).toMatchObject({ added: 24, to: Date.UTC(2025, 1, 3, 12), missing: 12 })
    expect(
      asked.every((path) => path.startsWith('/data/futures/um/daily/klines/BTCUSDT/1h/BTCUSDT-1h-2025-02-02.zip')),
    ).toBe(true)
  })

  it('fetches a download that does not match its checksum once more, then refuses it', async () => {
    const once = await setup(vision({ damagedVisits: 1 }), createBinanceVision)
    expect(await once.fetch('binance/BTC-USDT', '1h', january, january + day)).toMatchObject({ added: 24 })
    const always = await setup(vision({ damagedVisits: 9 }), createBinanceVision)
    const failure = await rejectionOf(always.fetch('binance/BTC-USDT', '1h', january, january + day))
    expect(failure).toMatchObject({ code: 'candlesInvalid' })
    expect(failure.message).toContain('BTCUSDT-1h-2025-01-01.zip does not match its checksum')
    expect(() => loadCandles(always.folder, { market: 'binance/BTC-USDT' })).toThrow(/holds no market/)
  })

  it('says when it has nothing at all', async () => {
    const { fetch } = await setup(vision({ missing: /./ }), createBinanceVision)
    const failure = await rejectionOf(fetch('binance/NO-USDT', '1h', january, january + 10 * day))
    expect(failure).toMatchObject({ code: 'candlesMissing' })
  })

  /** The archive of `held`; the first `damagedVisits` downloads of each file are cut short. */
  function vision({ missing, damagedVisits = 0 }: { missing?: RegExp; damagedVisits?: number } = {}): Route {
    return (url, visit) => {
      const [, from = '', monthDay] = /-1h-(\d{4}-\d{2})(-\d{2})?\.zip/.exec(url.pathname) ?? []
      if (missing?.test(url.pathname)) return { status: 404 }
      const start = Date.parse(`${from}${monthDay ?? '-01'}T00:00Z`)
      const end = monthDay === undefined ? Date.UTC(Number(from.slice(0, 4)), Number(from.slice(5)), 1) : start + day
      const scale = start >= january ? 1000 : 1 // microseconds since 2025
      const name = url.pathname.split('/').at(-1)?.replace('.CHECKSUM', '') ?? ''
      const zip = zipSync({
        [name.replace('.zip', '.csv')]: Buffer.from(klines(sliceCandles(held, start, end), scale)),
      })
      if (url.pathname.endsWith('.CHECKSUM')) {
        return { body: `${createHash('sha256').update(zip).digest('hex')}  ${name}\n` }
      }
      return { body: visit < damagedVisits ? zip.subarray(0, 100) : zip }
    }
  }
})

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

describe('a source in trouble', () => {
  const ask = ({ fetch }: Awaited<ReturnType<typeof setup>>) => fetch('coinbase/BTC-USD', '1h', january, january + day)

  it('that is busy is asked again when it says so', async () => {
    const trouble: Route = (_, visit) => (visit < 2 ? { status: 429, retryAfter: '7' } : { body: coinbaseDay() })
    const desk = await setup(trouble, createCoinbase)
    const start = desk.system.clock.monotonic()
    expect(await ask(desk)).toMatchObject({ added: 24 })
    expect(desk.asked).toHaveLength(3)
    expect(desk.system.clock.monotonic() - start).toBeGreaterThanOrEqual(14_000)
  })

  it('that stays away is given up after five attempts', async () => {
    const desk = await setup(() => ({ status: 503 }), createCoinbase)
    const failure = await rejectionOf(ask(desk))
    expect(failure).toMatchObject({ code: 'serviceUnreachable' })
    expect(desk.asked).toHaveLength(5)
  })

  it.each([
    ['a refusal', { status: 451, body: 'not in your country' }, 'serviceRefused', /answered 451/],
    ['a redirect', { status: 302 }, 'serviceRefused', /answered 302/],
    ['a web page', { body: '<html>' }, 'serviceUnreadable', /answered no JSON, it begins with "<html>"/],
    ['another shape', { body: '{"message":"no"}' }, 'serviceUnreadable', /something else than rows/],
    ['a broken row', { body: '[[1735689600,1,2,3,"x",5]]' }, 'candlesInvalid', /answer cannot be used/],
    ['an unknown market', { status: 404 }, 'usage', /has no market BTC-USD/],
  ])('%s is told as what it is, and nothing is stored', async (_, answer, code, says) => {
    const desk = await setup(() => answer, createCoinbase)
    const failure = await rejectionOf(ask(desk))
    expect(failure).toMatchObject({ code })
    expect(failure.message).toMatch(says)
    expect(() => loadCandles(desk.folder, { market: 'coinbase/BTC-USD' })).toThrow(/holds no market/)
  })

  it('keeps what was stored before it broke', async () => {
    const route: Route = (url) =>
      url.searchParams.get('start')?.startsWith('2025-01-01') ? { body: coinbaseDay() } : { status: 400 }
    const desk = await setup(route, (url) => ({ ...createCoinbase(url), atOnce: 1 }))
    const failure = await rejectionOf(desk.fetch('coinbase/BTC-USD', '1h', january, january + 20 * day))
    expect(failure).toMatchObject({ code: 'serviceRefused' })
    expect(loadCandles(desk.folder, { market: 'coinbase/BTC-USD' }).info.count).toBe(24)
  })

  function coinbaseDay(): string {
    const rows = rowsOf(sliceCandles(held, january, january + day))
    return JSON.stringify(
      rows.map(([time, open, high, low, close, volume]) => [time / 1000, low, high, open, close, volume]),
    )
  }
})

it('two requests of one source are at least its pause apart, however many run at once', async () => {
  const starts: number[] = []
  const system = testSystem({
    wall: '2025-02-03T12:00Z',
    sleep: 'jump',
    fetch: async () => {
      starts.push(system.clock.monotonic())
      return new Response(null, { status: 404 })
    },
  })
  const source = { ...createBinanceVision('http://127.0.0.1'), atOnce: 4, pauseMs: 400 }
  const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  const request = { market, interval: '1h', from: january, to: january + 5 * day } as const
  await rejectionOf(fetchCandles(system, temporaryFolder(), { source, request }))
  const first = starts.at(0) ?? 0
  expect(starts.map((start) => start - first)).toEqual([0, 400, 800, 1200, 1600])
})

it('a candle that differs from the stored one is counted and kept', async () => {
  const folder = temporaryFolder()
  const own = sliceCandles(held, january, january + 12 * hour)
  const changed = { ...own, volume: own.volume.map((volume) => volume + 1) }
  storeCandles(folder, {
    market: 'coinbase/BTC-USD',
    interval: '1h',
    candles: changed,
    synthetic: false,
    conflict: 'keep',
  })
  const { url } = await serve(() => ({
    body: JSON.stringify(
      rowsOf(sliceCandles(held, january, january + day)).map(([t, o, h, l, c, v]) => [t / 1000, l, h, o, c, v]),
    ),
  }))
  const market = { exchange: 'coinbase', baseAsset: 'BTC', quoteAsset: 'USD' }
  const report = await fetchCandles(testSystem({ wall: '2025-02-03T12:00Z' }), folder, {
    source: { ...createCoinbase(url), pauseMs: 0 },
    request: { market, interval: '1h', from: january, to: january + day },
  })
  expect(report).toMatchObject({ added: 12, same: 0, conflicting: 12 })
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

/** A held clock that runs on by itself through pauses, and not through the deadline of a request in flight. */
function patientSystem(wall: number | string): TestSystem {
  const system = testSystem({ wall })
  const sleep: TestSystem['clock']['sleep'] = (ms, signal) =>
    ms < 60_000 ? system.advance(ms) : system.clock.sleep(ms, signal)
  return { ...system, clock: { ...system.clock, sleep } }
}

function withoutHour(candles: Candles, time: number): Candles {
  const cut = (column: Float64Array) => column.filter((_, i) => candles.openTime[i] !== time)
  return {
    intervalMs: candles.intervalMs,
    openTime: cut(candles.openTime),
    open: cut(candles.open),
    high: cut(candles.high),
    low: cut(candles.low),
    close: cut(candles.close),
    volume: cut(candles.volume),
  }
}

function rowsOf(candles: Candles): number[][] {
  const { openTime, open, high, low, close, volume } = candles
  return Array.from(openTime, (time, i) => [time, open[i], high[i], low[i], close[i], volume[i]])
}

function klines(candles: Candles, scale: number): string {
  const step = INTERVALS['1h']
  return rowsOf(candles)
    .map(([time, ...values]) => `${[time * scale, ...values, (time + step) * scale - 1, 1, 2, 3, 4, 0].join(',')}\n`)
    .join('')
}
