import { expect, it } from 'vitest'
import { checkCandles, type FindingCode } from '../../src/candles/check.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { pickRows, plainCandles } from './arbitrary-candles.ts'

const minute = 60_000
const start = Date.UTC(2021, 4, 1)
const plain = plainCandles(start, 1000, minute)

function change(
  candles: Candles,
  row: number,
  values: Partial<Record<keyof Omit<Candles, 'intervalMs'>, number>>,
): Candles {
  const set = (name: keyof Omit<Candles, 'intervalMs'>) =>
    candles[name].map((value, i) => (i === row ? (values[name] ?? value) : value))
  return {
    intervalMs: candles.intervalMs,
    openTime: set('openTime'),
    open: set('open'),
    high: set('high'),
    low: set('low'),
    close: set('close'),
    volume: set('volume'),
  }
}

it('finds nothing in a plain market', () => {
  expect(checkCandles(plain)).toEqual({ count: 1000, missing: 0, longestGap: 0, gaps: [], findings: [] })
})

it('lists every gap by its first missing time', () => {
  const holed = pickRows(plain, (row) => !(row >= 10 && row < 15) && row !== 20)
  const report = checkCandles(holed)
  expect(report).toMatchObject({ count: 994, missing: 6, longestGap: 5 })
  expect(report.gaps).toEqual([
    { from: start + 10 * minute, count: 5 },
    { from: start + 20 * minute, count: 1 },
  ])
  expect(report.findings).toEqual([{ code: 'gap', severity: 'note', count: 2, first: start + 10 * minute }])
})

it.each<[FindingCode, 'fine' | 'note' | 'refuse', Candles]>([
  ['order', 'refuse', change(plain, 5, { openTime: start + 3.5 * minute })],
  ['duplicate', 'refuse', change(plain, 5, { openTime: start + 4 * minute })],
  ['misaligned', 'refuse', change(plain, 5, { openTime: start + 5 * minute + 1 })],
  ['time', 'refuse', change(plain, 0, { openTime: 0 })],
  ['notFinite', 'refuse', change(plain, 5, { volume: Number.POSITIVE_INFINITY })],
  ['price', 'refuse', change(plain, 5, { low: -1 })],
  ['highLow', 'refuse', change(plain, 5, { low: 105.9, close: 105.5, open: 106 })],
  ['volume', 'refuse', change(plain, 5, { volume: -0 })],
  ['zeroVolume', 'fine', change(plain, 5, { volume: 0 })],
  ['zeroVolume', 'note', { ...plain, volume: plain.volume.map(() => 0) }],
  ['flat', 'fine', change(plain, 5, { open: 100, high: 100, low: 100, close: 100 })],
  ['flatRun', 'note', { ...plain, high: plain.low, open: plain.low, close: plain.low }],
  ['jump', 'note', change(plain, 5, { close: 130, high: 130 })],
])('reports %s as %s', (code, severity, candles) => {
  const finding = checkCandles(candles).findings.find((found) => found.code === code)
  expect(finding).toMatchObject({ code, severity })
  expect(finding?.count).toBeGreaterThan(0)
})

it('a move across a gap is no jump', () => {
  const holed = pickRows(
    change(plain, 5, { open: 200, close: 200, high: 210, low: 199 }),
    (row) => row <= 2 || row === 5,
  )
  expect(checkCandles(holed).findings.map(({ code }) => code)).toEqual(['gap'])
})
