import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listCandles, loadCandles, selectCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { hashCandles } from '../../src/candles/hash.ts'
import { findInterval } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anyMarket, failureOf, type Market, pickRows, plainCandles, RUNS, snapshot } from './arbitrary-candles.ts'

const market = 'binance/BTC-USDT'
const minute = 60_000
const may = Date.UTC(2021, 4, 1)

function store(folder: string, candles: Candles, conflict: 'keep' | 'replace' | 'refuse' = 'keep') {
  const interval = findInterval(candles.intervalMs) ?? '1m'
  return storeCandles(folder, { market, interval, candles, synthetic: false, conflict })
}

function load(folder: string, { interval }: Pick<Market, 'interval'>): Candles {
  return loadCandles(folder, { market, interval }).candles
}

describe('laws of the candle folder', () => {
  it('gives back exactly what was stored, over any months, with the hash of what it gives', () => {
    fc.assert(
      fc.property(anyMarket, (stored) => {
        const folder = temporaryFolder()
        const report = store(folder, stored.candles)
        const loaded = loadCandles(folder, { market, interval: stored.interval })
        expect(loaded.candles).toEqual(stored.candles)
        expect(loaded.info.hash).toBe(hashCandles(stored.candles))
        const [listed] = listCandles(folder)
        const { from, to, missing } = report
        const count = stored.candles.openTime.length
        const { interval } = stored
        const whole = { from, to, count, missing, hash: loaded.info.hash, synthetic: false }
        expect(listed).toEqual({ market, interval, ...whole, stretches: expect.any(Array) })
      }),
      { numRuns: RUNS },
    )
  })

  it('changes nothing when the same candles come again', () => {
    fc.assert(
      fc.property(anyMarket, fc.constantFrom('keep', 'replace', 'refuse'), ({ candles }, conflict) => {
        const folder = temporaryFolder()
        store(folder, candles)
        const before = snapshot(folder)
        const again = store(folder, candles, conflict)
        expect(again).toMatchObject({ added: 0, same: candles.openTime.length, conflicting: 0 })
        expect(snapshot(folder)).toEqual(before)
      }),
      { numRuns: RUNS },
    )
  })

  it('holds the same bytes and hash however the candles were split and in whatever order they came', () => {
    fc.assert(
      fc.property(anyMarket, fc.infiniteStream(fc.nat(3)), fc.integer(), ({ candles, interval }, parts, turn) => {
        const part = Array.from(candles.openTime, () => parts.next().value ?? 0)
        const whole = temporaryFolder()
        store(whole, candles)
        const merged = temporaryFolder()
        let added = 0
        for (let k = 0; k < 4; k++) {
          const piece = pickRows(candles, (row) => part[row] === (k + Math.abs(turn)) % 4)
          if (piece.openTime.length > 0) added += store(merged, piece).added
        }
        expect(added).toBe(candles.openTime.length)
        expect(load(merged, { interval })).toEqual(candles)
        expect(snapshot(merged)).toEqual(snapshot(whole))
      }),
      { numRuns: RUNS },
    )
  })

  it('answers any period with its candles and their hash, or says which edge is missing', () => {
    fc.assert(
      fc.property(anyMarket, fc.nat(), fc.nat(), ({ candles, interval }, a, b) => {
        const folder = temporaryFolder()
        store(folder, candles)
        const { openTime, intervalMs } = candles
        const [i, k] = [a % openTime.length, b % openTime.length].sort((x, y) => x - y)
        const period = { from: openTime[i], to: openTime[k] + intervalMs }
        const loaded = loadCandles(folder, { market, interval, ...period })
        const expected = pickRows(candles, (row) => row >= i && row <= k)
        expect(loaded.candles).toEqual(expected)
        expect(loaded.info.hash).toBe(hashCandles(expected))
        expect(loaded.info.count + loaded.info.missing).toBe((period.to - period.from) / intervalMs)
        const early = { from: openTime[0] - intervalMs, to: period.to }
        expect(failureOf(() => loadCandles(folder, { market, interval, ...early })).code).toBe('candlesMissing')
      }),
      { numRuns: RUNS },
    )
  })
})

it('appending never rewrites a month of the past', () => {
  const folder = temporaryFolder()
  const candles = plainCandles(Date.UTC(2021, 2, 1), 92 * 24, 3_600_000) // March, April, May
  store(folder, sliceCandles(candles, 0, Date.UTC(2021, 4, 10)))
  const months = join(folder, market, '1h')
  const seen = () => ['2021-03', '2021-04'].map((month) => statSync(join(months, `${month}.arrow`), { bigint: true }))
  const before = seen().map(({ ino, mtimeNs }) => ({ ino, mtimeNs }))
  store(folder, sliceCandles(candles, Date.UTC(2021, 3, 20), Number.POSITIVE_INFINITY))
  expect(seen().map(({ ino, mtimeNs }) => ({ ino, mtimeNs }))).toEqual(before)
  expect(load(folder, { interval: '1h' })).toEqual(candles)
})

describe('conflicts', () => {
  const stored = plainCandles(may - 5 * minute, 10, minute)
  const differing: Candles = { ...stored, close: stored.close.map((close, i) => (i % 5 === 0 ? close + 0.5 : close)) }

  it('keep leaves the stored candles and counts the others', () => {
    const folder = temporaryFolder()
    store(folder, stored)
    const before = snapshot(folder)
    expect(store(folder, differing, 'keep')).toMatchObject({ added: 0, same: 8, conflicting: 2 })
    expect(snapshot(folder)).toEqual(before)
  })

  it('replace takes the new candles', () => {
    const folder = temporaryFolder()
    store(folder, stored)
    expect(store(folder, differing, 'replace')).toMatchObject({ added: 0, same: 8, conflicting: 2 })
    expect(load(folder, { interval: '1m' })).toEqual(differing)
  })

  it('refuse names each differing candle and leaves the folder as it was, new months included', () => {
    const folder = temporaryFolder()
    store(
      folder,
      pickRows(stored, (row) => row < 5),
    )
    const before = snapshot(folder)
    const failure = failureOf(() => store(folder, differing, 'refuse'))
    expect(failure.code).toBe('candlesInvalid')
    expect(failure.places).toEqual([`${market} 1m 2021-04-30T23:55:00.000Z`])
    expect(snapshot(folder)).toEqual(before)
  })
})

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
        'stored are 2021-05-01T00:00:00.000Z to 2021-05-01T00:30:00.000Z',
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
