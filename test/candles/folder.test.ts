import { statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listCandles, loadCandles } from '../../src/candles/folder/folder.ts'
import { hashCandles } from '../../src/candles/months.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anyMarket, failureOf, pickRows, plainCandles, RUNS, snapshot } from './arbitrary-candles.ts'
import { load, market, may, minute, store } from './folder-market.ts'

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
