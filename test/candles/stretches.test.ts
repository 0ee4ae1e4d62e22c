/** Candles of 2017 and of 2024 are two stretches of a market; an outage of hours, or of weeks, is a gap in one. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listCandles, loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { longestGapless } from '../../src/candles/folder/gapless.ts'
import { findStretch } from '../../src/candles/folder/stored-months.ts'
import { monthEnd, monthOf } from '../../src/candles/months.ts'
import { findInterval } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anyMarket, failureOf, plainCandles, RUNS } from './arbitrary-candles.ts'

const market = 'binance/BTC-USDT'
const hour = 3_600_000
const day = 24 * hour

function stored(...parts: readonly Candles[]) {
  const folder = temporaryFolder()
  for (const candles of parts) {
    const interval = findInterval(candles.intervalMs) ?? '1m'
    storeCandles(folder, { market, interval, candles, synthetic: false, conflict: 'keep' })
  }
  return { folder, listed: listCandles(folder)[0] }
}

/** The longest stretch without a gap, by a look at every candle. */
function longestOf({ openTime, intervalMs }: Candles) {
  let from = openTime[0]
  let longest = { from, to: from }
  for (const [i, time] of openTime.entries()) {
    if (i > 0 && time - openTime[i - 1] !== intervalMs) from = time
    if (time + intervalMs - from > longest.to - longest.from) longest = { from, to: time + intervalMs }
  }
  return longest
}

it('the stretches of a market hold all of its candles, and a month without one stands between any two', () => {
  fc.assert(
    fc.property(anyMarket, ({ candles }) => {
      const { folder, listed } = stored(candles)
      const { stretches } = listed
      expect(stretches.reduce((sum, { count }) => sum + count, 0)).toBe(listed.count)
      expect([stretches.at(0)?.from, stretches.at(-1)?.to]).toEqual([listed.from, listed.to])
      expect(longestGapless(folder, market, listed.interval)).toEqual(longestOf(candles))
      for (const [i, { from, to, count, missing, hash }] of stretches.entries()) {
        const alone = loadCandles(folder, { market, interval: listed.interval, from, to })
        expect(alone.info).toMatchObject({ count, missing, hash })
        const { openTime } = sliceCandles(candles, from, to)
        const gaps = [...openTime].slice(1).map((time, k) => monthOf(time) <= monthOf(monthEnd(openTime[k])))
        expect(gaps).not.toContain(false)
        const next = stretches.at(i + 1)
        if (next !== undefined) expect(monthOf(next.from) > monthOf(monthEnd(to - 1))).toBe(true)
      }
    }),
    { numRuns: RUNS },
  )
})

describe('a market of August 2017 and of March 2024', () => {
  const early = plainCandles(Date.UTC(2017, 7, 17), 48, hour)
  const late = plainCandles(Date.UTC(2024, 2, 1), 24, hour)

  it('has two stretches, and neither lacks the years between', () => {
    const { listed } = stored(early, late)
    expect(listed.stretches).toMatchObject([
      { from: Date.UTC(2017, 7, 17), to: Date.UTC(2017, 7, 19), count: 48, missing: 0 },
      { from: Date.UTC(2024, 2, 1), to: Date.UTC(2024, 2, 2), count: 24, missing: 0 },
    ])
    const only = stored(late).listed
    expect(only.stretches).toMatchObject([{ hash: only.hash }])
    expect(listed.stretches[1].hash).toBe(only.hash)
  })

  it('names both where a period is asked for that neither covers', () => {
    const { folder } = stored(early, late)
    const missing = failureOf(() =>
      loadCandles(folder, { market, from: Date.UTC(2020, 0, 1), to: Date.UTC(2020, 0, 2) }),
    )
    expect(missing.problems).toEqual([
      'no candle lies in it; stored: 2017-08-17T00:00:00.000Z to 2017-08-19T00:00:00.000Z and ' +
        '2024-03-01T00:00:00.000Z to 2024-03-02T00:00:00.000Z',
    ])
  })
})

it('an outage of two weeks over the end of a month is a gap', () => {
  const before = plainCandles(Date.UTC(2024, 0, 1), 24, day)
  const after = plainCandles(Date.UTC(2024, 1, 7), 20, day)
  expect(stored(before, after).listed.stretches).toMatchObject([{ count: 44, missing: 13 }])
})

it('at a time, the stretch that holds it is meant, else the one that ended last before it', () => {
  const [a, b, c] = [
    { from: 10, to: 20 },
    { from: 12, to: 15 },
    { from: 40, to: 50 },
  ]
  const at = (time: number) => findStretch([a, b, c], time)
  expect([9, 10, 14, 19, 20, 39, 40, 70].map(at)).toEqual([undefined, a, a, a, a, a, c, c])
})
