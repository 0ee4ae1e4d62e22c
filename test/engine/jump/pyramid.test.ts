import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BLOCK } from '../../../src/engine/jump/layout.ts'
import { createCandleRoom, prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { codeOf } from '../../../src/engine/jump/pyramid.ts'
import { someCandles } from '../arbitraries.ts'
import { createDice, walkCandles } from './cases.ts'

it('every node of the pyramid holds the extremes of its candles', () => {
  const { low, high, close, ...candles } = walkCandles(createDice(5), 13_000)
  const { pyramid } = prepareCandles({ low, high, close, ...candles })
  const levels = [0, pyramid.level2, pyramid.level3, pyramid.level4, pyramid.lowest.length]
  for (let level = 1; level <= 4; level++) {
    const width = 8 ** level
    for (let node = levels[level - 1]; node < levels[level]; node++) {
      const from = (node - levels[level - 1]) * width
      const part = (column: Float64Array) => [...column.subarray(from, from + width)]
      expect(pyramid.lowest[node]).toBe(Math.min(...part(low)))
      expect(pyramid.highest[node]).toBe(Math.max(...part(high)))
      expect(pyramid.lowestClose[node]).toBe(Math.min(...part(close)))
      expect(pyramid.highestClose[node]).toBe(Math.max(...part(close)))
    }
  }
})

it('a code says that a candle touches nothing only where it does not: a flat block, a partial last one, prices at their ends', () => {
  const dice = createDice(8)
  const candles = walkCandles(dice, 2 * BLOCK + 3000)
  for (const column of ['open', 'high', 'low', 'close'] as const) candles[column].fill(7.25, BLOCK, 2 * BLOCK)
  const { low, high, codes } = prepareCandles(candles)
  const lows = (line: number) => codes.codes.subarray(32 * line, 32 * line + 16)
  const highs = (line: number) => codes.codes.subarray(32 * line + 16, 32 * line + 32)
  for (let block = 0; block < 3; block++) {
    const [from, end] = [block * BLOCK, Math.min(low.length, (block + 1) * BLOCK)]
    const [perUnit, added] = codes.scales.subarray(2 * block, 2 * block + 2)
    const [least, most] = [Math.min(...low.subarray(from, end)), Math.max(...high.subarray(from, end))]
    const beside = [1 - Number.EPSILON, 1 + Number.EPSILON, 1 - 1e-9, 1 + 1e-9]
    const ends = [least, most, ...beside.flatMap((share) => [least * share, most * share])]
    for (const price of [...ends, ...Array.from({ length: 40 }, () => dice.between(least * 0.99, most * 1.01))]) {
      const code = codeOf(price, perUnit, added)
      for (let i = from; i < end; i++) {
        if (low[i] <= price && lows(i >> 4)[i & 15] > code) expect([price, i]).toBe('touched')
        if (high[i] >= price && highs(i >> 4)[i & 15] < code) expect([price, i]).toBe('touched')
      }
    }
    for (let line = from >> 4; line < end >> 4; line++) {
      expect(Math.min(...lows(line))).toBeGreaterThan(codeOf(Number.NEGATIVE_INFINITY, perUnit, added))
      expect(Math.max(...highs(line))).toBeLessThan(codeOf(Number.POSITIVE_INFINITY, perUnit, added))
    }
  }
  // 16 lines of candles for one of nodes, and 16 of these for one of theirs.
  for (let node = 0; node < codes.lines + codes.lines / 16; node++) {
    const isUpper = node >= codes.lines
    const place = isUpper ? node - codes.lines : node
    const line = codes.lines + (isUpper ? codes.lines / 16 : 0) + (place >> 4)
    expect(lows(line)[place & 15]).toBe(Math.min(...lows(node)))
    expect(highs(line)[place & 15]).toBe(Math.max(...highs(node)))
  }
})

it('prepared candles take at most 50 shared bytes per candle', () => {
  const prepared = prepareCandles(walkCandles(createDice(6), 100_000))
  const { openTime, open, high, low, close, dayEnd, dayNumber, pyramid } = prepared
  const { lowest, highest, lowestClose, highestClose } = pyramid
  const columns = [
    openTime,
    open,
    high,
    low,
    close,
    dayEnd,
    dayNumber,
    lowest,
    highest,
    lowestClose,
    highestClose,
    prepared.codes.codes,
  ]
  expect(columns.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true)
  expect(columns.reduce((bytes, { byteLength }) => bytes + byteLength, 0) / prepared.count).toBeLessThanOrEqual(50)
})

it('candles that are written into room for more of them are prepared as their copy is', () => {
  for (const count of [0, 1, 7, 8, 9, 4097, 9000]) {
    const candles = walkCandles(createDice(count), count)
    const { columns, prepare } = createCandleRoom({ intervalMs: candles.intervalMs, most: 9000 })
    for (const name of ['openTime', 'open', 'high', 'low', 'close'] as const) {
      columns[name].fill(77) // months outside the period may have been counted; none of what was there is read
      columns[name].set(candles[name])
    }
    const { memory: _, ...roomy } = prepare(count)
    const { memory: __, ...copied } = prepareCandles(candles)
    expect(roomy).toEqual(copied)
    const behind = new Float64Array(roomy.high.buffer, roomy.high.byteOffset, Math.ceil(count / 8) * 8).subarray(count)
    expect(behind.every((high) => high === Number.NEGATIVE_INFINITY)).toBe(true)
  }
})

it('days end with their last candle', () => {
  fc.assert(
    fc.property(someCandles, (candles) => {
      const { dayEnd, dayNumber, count } = prepareCandles(candles)
      const day = (index: number) => Math.floor(candles.openTime[index] / 86_400_000)
      expect(dayEnd.at(-1)).toBe(count - 1)
      dayEnd.forEach((end, index) => {
        expect(dayNumber[index]).toBe(day(end))
        if (end + 1 < count) expect(day(end + 1)).toBeGreaterThan(day(end))
      })
    }),
  )
})
