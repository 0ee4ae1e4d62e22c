import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkCandles } from '../../src/candles/check.ts'
import { resampleCandles } from '../../src/candles/resample.ts'
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import { INTERVALS } from '../../src/contract/market.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { failureOf, pickRows, plainCandles, RUNS } from './arbitrary-candles.ts'

const minute = 60_000
const may = Date.UTC(2021, 4, 1)

/** A day of a wild market with gaps, its volumes in hundredths. */
const anyDay = fc.record({ seed: fc.nat(1000), gaps: fc.nat(40), start: fc.nat(300) }).map(({ seed, gaps, start }) => {
  const made = generateCandles({ seed, interval: '1m', from: may + start * minute, days: 1, gaps })
  return { ...made, volume: made.volume.map((volume) => Math.round(volume * 100) / 100) }
})

it('each candle is the first open, the highest high, the lowest low, the last close and the volume of its minutes', () => {
  fc.assert(
    fc.property(anyDay, fc.constantFrom('3m', '5m', '15m', '1h', '4h'), (minutes, interval) => {
      const made = resampleCandles(minutes, interval)
      for (let i = 0; i < made.openTime.length; i++) {
        const time = made.openTime[i]
        const part = pickRows(
          minutes,
          (row) => Math.floor(minutes.openTime[row] / made.intervalMs) * made.intervalMs === time,
        )
        expect(part.openTime.length).toBeGreaterThan(0)
        expect([made.open[i], made.close[i]]).toEqual([part.open[0], part.close[part.close.length - 1]])
        expect([made.high[i], made.low[i]]).toEqual([Math.max(...part.high), Math.min(...part.low)])
        // In hundredths every volume is a whole number, so that the sum is exact.
        expect(made.volume[i]).toBe(part.volume.reduce((sum, volume) => sum + Math.round(volume * 100), 0) / 100)
      }
      expect(checkCandles(made).findings.filter(({ severity }) => severity === 'refuse')).toEqual([])
    }),
    { numRuns: RUNS / 2 },
  )
})

it('over a step or at once, the result is the same where no minute is missing', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(300), (seed, start) => {
      const minutes = generateCandles({ seed, interval: '1m', from: may + start * minute, days: 1 })
      expect(resampleCandles(resampleCandles(minutes, '5m'), '1h')).toEqual(resampleCandles(minutes, '1h'))
    }),
    { numRuns: RUNS / 2 },
  )
})

it('leaves out the first and the last interval where minutes are missing, and keeps a gap inside', () => {
  const minutes = plainCandles(may + 2 * minute, 60, minute)
  const holed = pickRows(minutes, (row) => !(row >= 8 && row < 18)) // 00:10 to 00:20
  const made = resampleCandles(holed, '5m')
  expect(Array.from(made.openTime, (time) => (time - may) / minute)).toEqual([5, 20, 25, 30, 35, 40, 45, 50, 55])
  expect(checkCandles(made).gaps).toEqual([{ from: may + 10 * minute, count: 2 }])
})

it('refuses what is no multiple, the interval itself, and candles that do not fill one interval', () => {
  const five: Candles = plainCandles(may, 30, INTERVALS['5m'])
  expect(failureOf(() => resampleCandles(five, '3m')).code).toBe('usage')
  expect(failureOf(() => resampleCandles(five, '5m')).code).toBe('usage')
  expect(failureOf(() => resampleCandles(five, '4h')).code).toBe('candlesMissing')
  expect(failureOf(() => resampleCandles(plainCandles(may, 0, minute), '1h')).code).toBe('candlesMissing')
})
