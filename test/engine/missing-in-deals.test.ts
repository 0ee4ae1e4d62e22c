/** A gap in the data is time that passes without trading; how much of it passes while a deal is open is counted. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Candles } from '../../src/engine/candles.ts'
import type { BacktestInput, BacktestResult } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { runReference } from '../../src/engine/reference.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { someInput } from './arbitraries.ts'
import { flatCandles, inputOf, MINUTE } from './inputs.ts'

const RUNS = 500

/** By the definition: candles that belong between a deal's first and last, less those that are there. */
function missingByDefinition({ candles }: BacktestInput, { deals, openDeal }: BacktestResult): number {
  const { openTime, intervalMs } = candles
  const spans = deals.map(({ openedAt, closedAt }) => [openedAt, closedAt])
  if (openDeal !== null) spans.push([openDeal.openedAt, openTime[openTime.length - 1]])
  return spans.reduce((sum, [from, to]) => {
    const present = openTime.filter((time) => from <= time && time <= to).length
    return sum + (to - from) / intervalMs + 1 - present
  }, 0)
}

/** The candles at these places. */
function keepOnly(candles: Candles, isKept: (index: number) => boolean): Candles {
  const kept = (column: Float64Array) => column.filter((_, index) => isKept(index))
  const { intervalMs, openTime, open, high, low, close, volume } = candles
  return {
    intervalMs,
    openTime: kept(openTime),
    open: kept(open),
    high: kept(high),
    low: kept(low),
    close: kept(close),
    volume: kept(volume),
  }
}

test('both engines count what the definition says, wherever candles are missing', () => {
  const places = fc.array(fc.integer({ min: 1, max: 59 }), { maxLength: 30 })
  fc.assert(
    fc.property(someInput, places, (input, dropped) => {
      const holed = { ...input, candles: keepOnly(input.candles, (index) => !dropped.includes(index)) }
      for (const run of [runReference, runJump]) {
        const result = run(holed)
        expect(result.metrics.missingInDeals).toBe(missingByDefinition(holed, result))
      }
    }),
    { numRuns: RUNS },
  )
})

test('a gap counts in the deal it interrupts, in the open one too, and not between deals', () => {
  // Opened at 0, sold at 6 (two missing); opened at 10 after three missing, still open at 13 (one missing).
  const minutes = [0, 1, 4, 5, 6, 10, 11, 13]
  const plain = flatCandles([100, 100, 100, 100, 101.5, 100, 100, 100])
  const candles = { ...plain, openTime: Float64Array.from(minutes, (minute) => plain.openTime[0] + minute * MINUTE) }
  const input = inputOf({ candles, config: { takeProfit: 1 } })
  for (const run of [runReference, runJump]) expect(run(input).metrics.missingInDeals).toBe(2 + 1)
})

test('without candles, or without gaps, nothing is missing', () => {
  for (const prices of [[], [100], [100, 101, 102]]) {
    for (const run of [runReference, runJump]) {
      expect(run(inputOf({ candles: flatCandles(prices) })).metrics.missingInDeals).toBe(0)
    }
  }
})

const recorded = sharedData('candles/binance_BTC-USDT_1h_2017-08_2024-04.csv.gz')

describe.skipIf(recorded === undefined)('BTC hours of seven years, with the gaps of a young exchange', () => {
  if (recorded === undefined) return
  const candles = readCsvCandles(recorded, 60 * MINUTE)

  test('both engines find the candles that were missing inside deals', () => {
    const config = { dcaMaxSafetyOrders: 4, dcaPriceScalePercent: 2, takeProfit: 3 }
    const input = inputOf({ candles, config })
    const [plain, fast] = [runReference(input), runJump(input)]
    expect(plain.metrics.missingInDeals).toBeGreaterThan(50)
    expect(plain.metrics.missingInDeals).toBe(missingByDefinition(input, plain))
    expect(fast.metrics.missingInDeals).toBe(plain.metrics.missingInDeals)
  })
})
