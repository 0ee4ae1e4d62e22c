/** What a candle folder takes in, and what it gives out. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCandles, loadCandles, selectCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { temporaryFolder } from '../support/folder.ts'
import { failureOf, pickRows, plainCandles, snapshot } from './arbitrary-candles.ts'
import { market, may, minute, store } from './folder-market.ts'

describe('what goes in', () => {
  it('a market holds recorded or synthetic candles, never both', () => {
    const folder = temporaryFolder()
    const candles = plainCandles(may, 10, minute)
    store(folder, candles)
    const before = snapshot(folder)
    const hours = plainCandles(may, 10, 60 * minute)
    const request = { market, interval: '1h', candles: hours, synthetic: true, conflict: 'keep' } as const
    expect(failureOf(() => storeCandles(folder, request)).message).toMatch(/holds recorded candles/)
    expect(snapshot(folder)).toEqual(before)
    const other = { ...request, market: 'synthetic/BTC-USDT' }
    expect(storeCandles(folder, other).synthetic).toBe(true)
    expect(loadCandles(folder, { market: other.market }).info.synthetic).toBe(true)
    expect(listCandles(folder).map((row) => row.synthetic)).toEqual([false, true])
  })

  it.each([
    ['no candle at all', plainCandles(may, 0, minute)],
    ['candles of another interval', plainCandles(may, 3, 5 * minute)],
    ['misaligned times', plainCandles(may + 1, 3, minute)],
    ['a year beyond 2099', plainCandles(Date.UTC(2100, 0, 1), 3, minute)],
    ['times out of order', { ...plainCandles(may, 2, minute), openTime: Float64Array.of(may + minute, may) }],
    ['a repeated time', { ...plainCandles(may, 2, minute), openTime: Float64Array.of(may, may) }],
    ['a NaN', { ...plainCandles(may, 1, minute), close: Float64Array.of(Number.NaN) }],
    ['a price of zero', { ...plainCandles(may, 1, minute), low: Float64Array.of(0) }],
    ['a high below the close', { ...plainCandles(may, 1, minute), high: Float64Array.of(100.5) }],
    ['a negative volume', { ...plainCandles(may, 1, minute), volume: Float64Array.of(-1) }],
  ])('refuses %s and writes nothing', (_, candles) => {
    const folder = temporaryFolder()
    const request = { market, interval: '1m', candles, synthetic: false, conflict: 'keep' } as const
    expect(failureOf(() => storeCandles(folder, request)).code).toBe('candlesInvalid')
    expect(snapshot(folder)).toEqual({})
  })

  it.each(['../BTC-USDT', 'binance/../../x', 'binance/BTC-USDT/..', 'Binance/BTC-USDT', '/etc/X-Y', 'a/B', ''])(
    'never makes a path of the market name "%s"',
    (name) => {
      const folder = temporaryFolder()
      const candles = plainCandles(may, 1, minute)
      const request = { market: name, interval: '1m', candles, synthetic: false, conflict: 'keep' } as const
      expect(failureOf(() => storeCandles(folder, request)).code).toBe('usage')
      expect(failureOf(() => loadCandles(folder, { market: name })).code).toBe('usage')
      expect(snapshot(folder)).toEqual({})
    },
  )
})

describe('what comes out', () => {
  it('takes the finest interval that covers the period', () => {
    const folder = temporaryFolder()
    store(folder, plainCandles(may, 60, minute))
    store(folder, plainCandles(may, 48, 60 * minute))
    expect(loadCandles(folder, { market }).info.interval).toBe('1m')
    expect(loadCandles(folder, { market, from: may, to: may + 60 * minute }).info.interval).toBe('1m')
    expect(loadCandles(folder, { market, from: may, to: may + 120 * minute }).info.interval).toBe('1h')
  })

  it('counts gaps inside the period and refuses missing edges, naming what there is', () => {
    const folder = temporaryFolder()
    const whole = plainCandles(may, 30, minute)
    store(
      folder,
      pickRows(whole, (row) => row < 10 || row >= 20),
    )
    const inside = loadCandles(folder, { market, from: may, to: may + 30 * minute })
    expect(inside.info).toMatchObject({ count: 20, missing: 10 })
    const failure = failureOf(() => loadCandles(folder, { market, from: may + 12 * minute, to: may + 30 * minute }))
    expect(failure).toMatchObject({ code: 'candlesMissing', places: [`${market} 1m`] })
    expect(failure.problems[0]).toBe(
      'candles are missing at its start, the first one opens at 2021-05-01T00:20:00.000Z; ' +
        'stored: 2021-05-01T00:00:00.000Z to 2021-05-01T00:30:00.000Z',
    )
  })

  it('a period that starts and ends between two candles asks for the candles that open inside it', () => {
    const folder = temporaryFolder()
    store(folder, plainCandles(may, 10, minute))
    const { info } = loadCandles(folder, { market, from: may - 30_000, to: may + 9.5 * minute })
    expect(info).toMatchObject({ count: 10, from: '2021-05-01T00:00:00.000Z', to: '2021-05-01T00:10:00.000Z' })
  })

  it('says what the folder holds when it lacks the market', () => {
    const folder = temporaryFolder()
    expect(failureOf(() => loadCandles(folder, { market }))).toMatchObject({ code: 'candlesMissing' })
    store(folder, plainCandles(may, 10, minute))
    expect(failureOf(() => loadCandles(folder, { market: 'binance/ETH-USDT' })).message).toContain(market)
    expect(failureOf(() => loadCandles(folder, { market, interval: '5m' })).message).toContain(`${market} 5m`)
  })

  it('an absent folder lists nothing, foreign files in it do not matter', () => {
    const folder = temporaryFolder()
    expect(listCandles(join(folder, 'absent'))).toEqual([])
    store(folder, plainCandles(may, 10, minute))
    mkdirSync(join(folder, 'notes', 'BTC'), { recursive: true })
    writeFileSync(join(folder, 'binance', 'BTC-USDT', '1m', 'readme.txt'), 'mine')
    expect(listCandles(folder)).toHaveLength(1)
  })

  it('refuses a stored file that was changed, cut or replaced, and names it', () => {
    const folder = temporaryFolder()
    store(folder, plainCandles(may, 1000, minute))
    const path = join(folder, 'binance', 'BTC-USDT', '1m', '2021-05.arrow')
    const good = readFileSync(path)
    const flipped = Buffer.from(good)
    flipped[good.length >> 1] ^= 1
    for (const bad of [flipped, good.subarray(0, good.length >> 1), Buffer.from('no Arrow'), Buffer.alloc(0)]) {
      writeFileSync(path, bad)
      const failure = failureOf(() => loadCandles(folder, { market }))
      expect(failure).toMatchObject({ code: 'candlesInvalid' })
      expect(failure.message).toContain(path)
    }
    writeFileSync(path, good)
    appendFileSync(path, '')
    expect(loadCandles(folder, { market }).info.count).toBe(1000)
  })

  it('candles in memory answer periods like stored ones', () => {
    const folder = temporaryFolder()
    const candles = plainCandles(may, 100, minute)
    store(folder, candles)
    const source = { name: 'x.csv', market, interval: '1m', candles, synthetic: false } as const
    const period = { from: may + 10 * minute, to: may + 20 * minute }
    expect(selectCandles(source, period)).toEqual(loadCandles(folder, { market, ...period }))
    expect(selectCandles({ ...source, market: null }, {}).info.market).toBe('x.csv')
    expect(failureOf(() => selectCandles(source, { from: may - minute })).code).toBe('candlesMissing')
  })
})
