import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkCandles } from '../../src/candles/check.ts'
import { loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { hashCandles } from '../../src/candles/months.ts'
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import { INTERVALS } from '../../src/contract/market.ts'
import { temporaryFolder } from '../support/folder.ts'
import { failureOf } from './arbitrary-candles.ts'

const from = Date.UTC(2024, 0, 1)
const month = { seed: 1, interval: '1m', from, days: 31 } as const

it('the same seed makes the same bytes on every machine', () => {
  expect(hashCandles(generateCandles(month))).toMatchInlineSnapshot(
    `"a665be3cd0fd51ef58c9a09188e732e7836d24e16d129e4df6fc61bb749403ed"`,
  )
  expect(
    hashCandles(generateCandles({ ...month, seed: 2, startPrice: 0.2, annualVolatility: 1.2 })),
  ).toMatchInlineSnapshot(`"ad9f187c7a8202a629e10fceadbb46ec8820138e923fbb4cdd16c93c5307d043"`)
})

it('every market it makes can be stored, whatever the options', () => {
  const options = fc.record({
    seed: fc.integer(),
    interval: fc.constantFrom('1s', '1m', '15m', '4h', '1d'),
    days: fc.integer({ min: 1, max: 5 }),
    startPrice: fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
    annualVolatility: fc.double({ min: 0.01, max: 10, noNaN: true }),
  })
  fc.assert(
    fc.property(options, (given) => {
      const report = checkCandles(
        generateCandles({ ...given, interval: given.interval as keyof typeof INTERVALS, from }),
      )
      expect(report.findings.filter(({ severity }) => severity === 'refuse')).toEqual([])
      expect(report.count).toBe((given.days * 86_400_000) / INTERVALS[given.interval as keyof typeof INTERVALS])
    }),
    { numRuns: 15 },
  )
})

it('a longer market begins with the shorter one', () => {
  const long = generateCandles({ ...month, days: 40 })
  const short = generateCandles(month)
  expect(long.close.subarray(0, short.close.length)).toEqual(short.close)
})

it('moves like a coin: the volatility asked for, fat tails, calm and wild spells, volume with movement', () => {
  const { close, volume } = generateCandles({ ...month, days: 730, interval: '15m' })
  const returns = Array.from(close.subarray(1), (price, i) => Math.log(price / close[i]))
  const variance = mean(returns.map((r) => r * r))
  expect(Math.sqrt(variance * 4 * 24 * 365)).toBeGreaterThan(0.4)
  expect(Math.sqrt(variance * 4 * 24 * 365)).toBeLessThan(0.8)
  expect(mean(returns.map((r) => r ** 4)) / variance ** 2).toBeGreaterThan(6)
  const moves = returns.map(Math.abs)
  expect(correlation(moves.slice(1), moves.slice(0, -1))).toBeGreaterThan(0.1)
  expect(correlation(moves.slice(96), moves.slice(0, -96))).toBeGreaterThan(0.05)
  expect(Math.abs(correlation(returns.slice(1), returns.slice(0, -1)))).toBeLessThan(0.05)
  expect(correlation(moves, Array.from(volume.subarray(1)))).toBeGreaterThan(0.2)
})

it('opens where the last candle closed and has wicks on both sides', () => {
  const { open, high, low, close } = generateCandles(month)
  expect(open.subarray(1)).toEqual(close.subarray(0, -1))
  const wicks = Array.from(open, (o, i) => [high[i] - Math.max(o, close[i]), Math.min(o, close[i]) - low[i]])
  expect(wicks.filter(([up]) => up > 0).length).toBeGreaterThan(open.length / 2)
  expect(wicks.filter(([, down]) => down > 0).length).toBeGreaterThan(open.length / 2)
})

it('makes gaps on demand in the market it would have made without them', () => {
  const whole = generateCandles(month)
  const holed = generateCandles({ ...month, gaps: 5 })
  const { gaps, missing } = checkCandles(holed)
  expect(gaps).toHaveLength(5)
  expect(holed.openTime.length + missing).toBe(whole.openTime.length)
  const closeAt = new Map(Array.from(whole.openTime, (time, i) => [time, whole.close[i]]))
  expect(Array.from(holed.openTime, (time) => closeAt.get(time))).toEqual(Array.from(holed.close))
})

it('is called synthetic wherever it is stored', () => {
  const folder = temporaryFolder()
  const candles = generateCandles(month)
  const market = 'synthetic/DEMO-USDT'
  storeCandles(folder, { market, interval: '1m', candles, synthetic: true, conflict: 'refuse' })
  expect(loadCandles(folder, { market, from: from + 86_400_000 }).info.synthetic).toBe(true)
})

it('refuses options out of bounds, all at once', () => {
  const failure = failureOf(() => generateCandles({ ...month, from: from + 1, days: 0, annualVolatility: 0, gaps: -1 }))
  expect(failure.code).toBe('usage')
  for (const word of ['days', 'from', 'annualVolatility', 'gaps']) expect(failure.message).toContain(word)
})

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function correlation(x: readonly number[], y: readonly number[]): number {
  const [meanX, meanY] = [mean(x), mean(y)]
  const covariance = mean(x.map((value, i) => (value - meanX) * (y[i] - meanY)))
  return covariance / Math.sqrt(mean(x.map((v) => (v - meanX) ** 2)) * mean(y.map((v) => (v - meanY) ** 2)))
}
