/** An open that no price around it explains: one is enough to turn a profit into another, so none goes unnoticed, and no crash is taken for one. */
import { describe, expect, it } from 'vitest'
import { checkCandles, type FindingCode } from '../../src/candles/check.ts'
import { readCandleFile } from '../../src/candles/import.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { pickRows } from './arbitrary-candles.ts'

const minute = 60_000
const start = Date.UTC(2021, 4, 1)

/** A market that opens where it closed, and moves by 0.1 % a candle. */
function calmMarket(count: number, intervalMs = minute): Candles {
  const price = (i: number) => 4300 * 1.001 ** (i % 40 < 20 ? i % 20 : 20 - (i % 20))
  const column = (value: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => value(i))
  return {
    intervalMs,
    openTime: column((i) => start + i * intervalMs),
    open: column(price),
    high: column((i) => Math.max(price(i), price(i + 1))),
    low: column((i) => Math.min(price(i), price(i + 1))),
    close: column((i) => price(i + 1)),
    volume: column(() => 1),
  }
}

/** The candles with another open in one row, and its high or low with it. */
function openingAt(candles: Candles, row: number, price: number): Candles {
  const changed = { ...candles, open: candles.open.slice(), high: candles.high.slice(), low: candles.low.slice() }
  changed.open[row] = price
  changed.high[row] = Math.max(price, candles.high[row])
  changed.low[row] = Math.min(price, candles.low[row])
  return changed
}

const codes = (candles: Candles, jumpPercent = 20) =>
  checkCandles(candles, { jumpPercent }).findings.map(({ code }) => code)

/** The candles with another high, or low, in one row. */
function reaching(candles: Candles, row: number, column: 'high' | 'low', price: number): Candles {
  const changed = { ...candles, [column]: candles[column].slice() }
  changed[column][row] = price
  return changed
}

const found = (candles: Candles, code: FindingCode) =>
  checkCandles(candles).findings.find((finding) => finding.code === code)

describe('a market of small moves', () => {
  const calm = calmMarket(500)

  it('is in order as it is', () => {
    expect(codes(calm)).toEqual([])
  })

  it('reaches nowhere far without a word: a high or a low is enough to fill an order', () => {
    for (const row of [0, 250, 499]) {
      const wick = { code: 'wick', severity: 'note', count: 1, first: start + row * minute }
      expect(found(reaching(calm, row, 'high', 3 * calm.high[row]), 'wick')).toEqual(wick)
      expect(found(reaching(calm, row, 'low', calm.low[row] / 10), 'wick')).toEqual(wick)
    }
    const highest = Math.max(...[249, 250, 251].flatMap((row) => [calm.open[row], calm.close[row]]))
    expect(codes(reaching(calm, 250, 'high', 1.19 * highest))).toEqual([])
    expect(codes(reaching(calm, 250, 'high', 1.19 * highest), 10)).toEqual(['wick'])
  })

  it('a first candle that opens at 16199.91 among candles of 4300 is a stray open', () => {
    const finding = { code: 'strayOpen', severity: 'note', count: 1, first: start }
    expect(found(openingAt(calm, 0, 16_199.91), 'strayOpen')).toEqual(finding)
    expect(found(openingAt(calm, 0, 1143.7), 'strayOpen')).toEqual(finding)
  })

  it('every other open is held against the close before it, up or down', () => {
    const twice = openingAt(openingAt(calm, 123, 4600), 499, 4000)
    const first = start + 123 * minute
    expect(found(twice, 'openJump')).toEqual({ code: 'openJump', severity: 'note', count: 2, first })
  })

  it('after a gap an open may lie anywhere, if the market goes on there', () => {
    const risen = (row: number) => (row < 250 ? 1 : 2)
    const moved = (column: Float64Array) => column.map((value, row) => value * risen(row))
    const { open, high, low, close } = calm
    const later = { ...calm, open: moved(open), high: moved(high), low: moved(low), close: moved(close) }
    const holed = (candles: Candles) => pickRows(candles, (row) => row < 250 || row >= 260)
    expect(codes(holed(later))).toEqual(['gap'])
    expect(codes(holed(openingAt(later, 260, 20_000)))).toEqual(['strayOpen', 'gap'])
  })

  it('an open a little off is no finding, and where no candle moves at all 1 % is far', () => {
    const flat = { ...calm, open: calm.close, high: calm.close, low: calm.close }
    expect(codes(openingAt(calm, 100, calm.close[99] * 1.009))).toEqual([])
    expect(codes(openingAt(flat, 100, calm.close[99] * 1.05))).toContain('openJump')
  })

  it('a closer bound of jumps holds for opens too', () => {
    const open = openingAt(calm, 100, calm.close[99] * 1.009)
    expect(codes(open, 0.5)).toContain('openJump')
  })

  it('a file of one candle has only its own close to be held against', () => {
    const one = pickRows(calm, (row) => row === 0)
    expect(codes(one)).toEqual([])
    expect(codes(openingAt(one, 0, 16_199.91))).toEqual(['strayOpen'])
  })
})

const recordings = [
  'binance_BTC-USDT_1h_2017-08_2024-04',
  'binance_BTC-USDT_1m_2021-04_2021-05',
  'binance_DOGE-USDT_1m_2021-04_2021-05',
  'binance_ETH-USDT_1m_2021-04_2021-05',
  'binance_SOL-USDT_5m_2022-08_2023-09',
  'binance_XVG-USDT_5m_2025-01_2025-06',
  'coinbase_BTC-USD_1m_2018-04-04_2018-04-06',
]

describe.skipIf(sharedData('MANIFEST.json') === undefined)('recorded crashes and thin markets', () => {
  it.each(recordings)('%s opens nowhere far, and its first open four times as high is found', async (name) => {
    const { candles } = await readCandleFile(sharedData(`candles/${name}.csv.gz`) ?? '', {})
    const opens: FindingCode[] = ['openJump', 'strayOpen']
    expect(codes(candles).filter((code) => opens.includes(code) || code === 'wick')).toEqual([])
    const spoilt = openingAt(candles, 0, candles.open[0] * 3.76)
    expect(codes(spoilt).filter((code) => opens.includes(code))).toEqual(['strayOpen'])
  })

  it('minutes of the crash of 19 May 2021 may be where a recording begins', async () => {
    const { candles } = await readCandleFile(sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz') ?? '', {})
    const crash = Date.UTC(2021, 4, 19, 12)
    for (let after = 0; after < 120; after += 5) {
      const cut = pickRows(candles, (row) => candles.openTime[row] >= crash + after * minute)
      expect(codes(cut)).toEqual([])
    }
  })
})
