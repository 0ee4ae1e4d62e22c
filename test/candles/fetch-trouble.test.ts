/** A source that is busy, refuses, breaks off or contradicts what is stored; and that none is hurried. */
import { describe, expect, it } from 'vitest'
import { fetchCandles } from '../../src/candles/fetch.ts'
import { loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { createBinanceVision, createCoinbase } from '../../src/candles/sources/choose.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testSystem } from '../support/system.ts'
import { rejectionOf } from './arbitrary-candles.ts'
import { coinbaseDay, day, held, hour, january, type Route, serve, setup } from './fetch-setup.ts'

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
    expect(() => loadCandles(desk.folder, { market: 'coinbase/BTC-USD' })).toThrow(
      /no candles of coinbase\/BTC-USD are stored/,
    )
  })

  it('keeps what was stored before it broke', async () => {
    const route: Route = (url) =>
      url.searchParams.get('start')?.startsWith('2025-01-01') ? { body: coinbaseDay() } : { status: 400 }
    const desk = await setup(route, (url) => ({ ...createCoinbase(url), atOnce: 1 }))
    const failure = await rejectionOf(desk.fetch('coinbase/BTC-USD', '1h', january, january + 20 * day))
    expect(failure).toMatchObject({ code: 'serviceRefused' })
    expect(loadCandles(desk.folder, { market: 'coinbase/BTC-USD' }).info.count).toBe(24)
  })
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
  const { url } = await serve(() => ({ body: coinbaseDay() }))
  const market = { exchange: 'coinbase', baseAsset: 'BTC', quoteAsset: 'USD' }
  const report = await fetchCandles(testSystem({ wall: '2025-02-03T12:00Z' }), folder, {
    source: { ...createCoinbase(url), pauseMs: 0 },
    request: { market, interval: '1h', from: january, to: january + day },
  })
  expect(report).toMatchObject({ added: 12, same: 0, conflicting: 12 })
})
