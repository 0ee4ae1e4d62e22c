import fc from 'fast-check'
import { expect, it } from 'vitest'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
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
