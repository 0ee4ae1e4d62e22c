/** Whole months and single days from the archive of Binance, each checked. */
import { createHash } from 'node:crypto'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import { createBinanceVision } from '../../src/candles/sources/choose.ts'
import { INTERVALS } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { rejectionOf } from './arbitrary-candles.ts'
import { day, held, january, type Route, rowsOf, setup } from './fetch-setup.ts'

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
    expect(() => loadCandles(always.folder, { market: 'binance/BTC-USDT' })).toThrow(
      /no candles of binance\/BTC-USDT are stored/,
    )
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
      const csv = Buffer.from(klines(sliceCandles(held, start, end), scale))
      // An archive holds the time it was made at: two answers about one file must not straddle a second.
      const zip = zipSync({ [name.replace('.zip', '.csv')]: csv }, { mtime: january })
      if (url.pathname.endsWith('.CHECKSUM')) {
        return { body: `${createHash('sha256').update(zip).digest('hex')}  ${name}\n` }
      }
      return { body: visit < damagedVisits ? zip.subarray(0, 100) : zip }
    }
  }
})

function klines(candles: Candles, scale: number): string {
  const step = INTERVALS['1h']
  return rowsOf(candles)
    .map(([time, ...values]) => `${[time * scale, ...values, (time + step) * scale - 1, 1, 2, 3, 4, 0].join(',')}\n`)
    .join('')
}
