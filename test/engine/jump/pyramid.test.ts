import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCandleRoom, prepareCandles } from '../../../src/engine/jump/prepared.ts'
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

it('prepared candles take at most 48 shared bytes per candle', () => {
  const prepared = prepareCandles(walkCandles(createDice(6), 100_000))
  const { openTime, open, high, low, close, dayEnd, dayNumber, pyramid } = prepared
  const { lowest, highest, lowestClose, highestClose } = pyramid
  const columns = [openTime, open, high, low, close, dayEnd, dayNumber, lowest, highest, lowestClose, highestClose]
  expect(columns.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true)
  expect(columns.reduce((bytes, { byteLength }) => bytes + byteLength, 0) / prepared.count).toBeLessThanOrEqual(48)
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
