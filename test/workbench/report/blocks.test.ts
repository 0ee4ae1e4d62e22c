/** What a report carries as bytes is what its page reads: candles to the bit, numbers to the bit, equity within half of its unit. */
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRIC_NAMES, metricValue } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import {
  createByteReader,
  createByteWriter,
  packCandles,
  packEquity,
  packTrials,
  STANDINGS,
  type StoredColumn,
  unpackCandles,
  unpackEquity,
  unpackTrials,
} from '../../../src/workbench/report/model/blocks.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import { deskTable, idOf } from './section-table.ts'
import { sectionOf } from './sections.ts'

describe('a stream of bytes', () => {
  it('gives back what was written, in its order', () => {
    const whole = fc.oneof(
      fc.integer(),
      fc.maxSafeInteger().filter((value) => Math.abs(value) <= 2 ** 52),
    )
    const piece = fc.oneof(
      whole.map((value) => ({ kind: 'integer' as const, value })),
      fc.array(fc.double(), { maxLength: 20 }).map((value) => ({ kind: 'floats' as const, value })),
      fc.array(whole, { maxLength: 20 }).map((value) => ({ kind: 'wholes' as const, value })),
      fc.uint8Array({ maxLength: 9000 }).map((value) => ({ kind: 'bytes' as const, value })),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const writer = createByteWriter()
        for (const { kind, value } of pieces) {
          if (kind === 'integer') writer.integer(value)
          else if (kind === 'floats') writer.floats(value, 64)
          else if (kind === 'wholes') writer.wholes(value)
          else writer.bytes(value)
        }
        const reader = createByteReader(writer.finish())
        for (const { kind, value } of pieces) {
          if (kind === 'integer') expect(reader.integer()).toBe(value)
          else if (kind === 'floats') expect([...reader.floats(value.length, 64)]).toEqual(value)
          else if (kind === 'wholes') expect([...reader.wholes(value.length)]).toEqual(value)
          else expect(reader.bytes(value.length)).toEqual(value)
        }
      }),
    )
  })

  it('keeps 32 bits of a number where so many are asked for', () => {
    const values = [1 / 3, -1e-9, 123456.789, Number.NaN, Number.POSITIVE_INFINITY]
    const writer = createByteWriter()
    writer.floats(values, 32)
    expect([...createByteReader(writer.finish()).floats(values.length, 32)]).toEqual(values.map(Math.fround))
  })

  it.each([0, 1, -1, 63, -64, 64, 2 ** 31, -(2 ** 31), 2 ** 52, -(2 ** 52)])('takes %d', (value) => {
    const writer = createByteWriter()
    writer.integer(value)
    expect(createByteReader(writer.finish()).integer()).toBe(value)
  })
})

function expectSame(found: Candles, given: Candles): void {
  expect(found.intervalMs).toBe(given.intervalMs)
  for (const column of ['openTime', 'open', 'high', 'low', 'close'] as const) {
    expect(
      Buffer.compare(Buffer.from(found[column].buffer), Buffer.from(Float64Array.from(given[column]).buffer)),
      column,
    ).toBe(0)
  }
}

/** Prices in whole units of the last decimal, with gaps in time. */
const candlesOf = (price: fc.Arbitrary<number>): fc.Arbitrary<Candles> =>
  fc.array(fc.tuple(fc.nat(5), price, price, price, price), { maxLength: 40 }).map((rows) => {
    const column = (read: (row: readonly number[]) => number) => Float64Array.from(rows, (row) => read(row.slice(1)))
    let time = 1_619_000_000_000 - 60_000
    return {
      intervalMs: 60_000,
      openTime: Float64Array.from(rows, ([gap]) => (time += 60_000 * (gap + 1))),
      open: column(([open]) => open),
      high: column((prices) => Math.max(...prices)),
      low: column((prices) => Math.min(...prices)),
      close: column((prices) => prices[3]),
      volume: new Float64Array(rows.length),
    }
  })

describe('candles', () => {
  it.each(Array.from({ length: 11 }, (_, decimals) => decimals))(
    'with %i decimals are the same to the bit',
    (decimals) => {
      const price = fc.integer({ min: 1, max: 10_000_000 }).map((units) => Number(`${units}e-${decimals}`))
      fc.assert(fc.property(candlesOf(price), (candles) => expectSame(unpackCandles(packCandles(candles)), candles)))
    },
  )

  it('of prices that no decimals write are the same to the bit', () => {
    const price = fc.double({ min: 1e-12, max: 1e12, noNaN: true })
    fc.assert(fc.property(candlesOf(price), (candles) => expectSame(unpackCandles(packCandles(candles)), candles)))
  })

  it('of a market that rose from parts of a cent to billions are the same to the bit', () => {
    const price = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((units) => Number(`${units}e-10`)),
      fc.integer({ min: 1, max: 2 ** 40 }).map((units) => units / 100),
    )
    fc.assert(fc.property(candlesOf(price), (candles) => expectSame(unpackCandles(packCandles(candles)), candles)))
  })

  const file = sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz')
  it.skipIf(file === undefined)('of a real market are the same to the bit, in a sixth of their columns’ bytes', () => {
    const candles = readCsvCandles(file ?? '', 60_000)
    const packed = packCandles(candles)
    expectSame(unpackCandles(packed), candles)
    expect(deflateRawSync(packed, { level: 9 }).length).toBeLessThan((candles.openTime.length * 5 * 8) / 6)
  })
})

describe('trials', () => {
  const column = (bits: 32 | 64): StoredColumn[] => [
    { name: 'takeProfit', bits: 64 },
    { name: 'netProfit', bits },
  ]
  const trials = fc.array(
    fc.record({
      fingerprint: fc.stringMatching(/^[0-9a-f]{12}$/),
      standing: fc.nat(STANDINGS.length - 1),
      terms: fc.nat(65_535),
      sample: fc.nat(7),
      takeProfit: fc.double(),
      netProfit: fc.double(),
    }),
    { maxLength: 50 },
  )

  it.each([32, 64] as const)('come back as they were, with %i bits of a metric', (bits) => {
    fc.assert(
      fc.property(trials, (rows) => {
        const given = {
          count: rows.length,
          fingerprints: rows.map(({ fingerprint }) => fingerprint),
          standings: Uint8Array.from(rows, ({ standing }) => standing),
          terms: Uint16Array.from(rows, ({ terms }) => terms),
          samples: Uint8Array.from(rows, ({ sample }) => sample),
          numbers: new Map([
            ['takeProfit' as const, Float64Array.from(rows, ({ takeProfit }) => takeProfit)],
            ['netProfit' as const, Float64Array.from(rows, ({ netProfit }) => netProfit)],
          ]),
        }
        const found = unpackTrials(packTrials(given, column(bits)), rows.length, column(bits))
        const kept = bits === 64 ? given.numbers.get('netProfit') : given.numbers.get('netProfit')?.map(Math.fround)
        expect(found).toEqual({ ...given, numbers: new Map([...given.numbers, ['netProfit', kept]]) })
      }),
    )
  })

  it('of a report have every number that the store has', () => {
    const input = sectionOf()
    const { table } = deskTable(input)
    for (const { fingerprint, config, metrics } of input.trials) {
      const trial = table.find(idOf({ config }))
      if (trial === undefined || metrics === null) throw new Error(`${fingerprint} is not on the page`)
      expect(table.config(trial)).toEqual(config)
      for (const name of METRIC_NAMES) expect(table.number(trial, name), name).toBe(metricValue(metrics, name))
    }
  })
})

it('daily equity comes back within half of its unit, a twenty-thousandth of the investment', () => {
  const series = fc.record({
    firstDay: fc.integer({ min: 10_000, max: 30_000 }),
    values: fc.array(fc.double({ min: -2, max: 50, noNaN: true }), { maxLength: 60 }),
    investment: fc.double({ min: 1e-3, max: 1e7, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(series, { maxLength: 10 }), (all) => {
      const given = all.map(({ firstDay, values, investment }) => ({
        firstDay,
        values: values.map((each) => each * investment),
      }))
      const investments = all.map(({ investment }) => investment)
      const found = unpackEquity(packEquity(given, investments), investments)
      found.forEach(({ firstDay, values }, index) => {
        expect(values).toHaveLength(given[index].values.length)
        if (values.length > 0) expect(firstDay).toBe(given[index].firstDay)
        const half = investments[index] / 40_000
        const errors = values.map((value, day) => Math.abs(value - given[index].values[day]))
        expect(Math.max(0, ...errors)).toBeLessThanOrEqual(half * (1 + 1e-6))
      })
    }),
  )
})
