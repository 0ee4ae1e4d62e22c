/** Trials that lose on the same days are one bet: the correlation of their daily returns says so, where it is defined. */
import { expect, it } from 'vitest'
import { correlateEquity } from '../../../src/workbench/analysis/correlation.ts'

const equity = (start: number, values: readonly number[], firstDay = 1) => ({
  investment: start,
  dailyEquity: values.map((value, index) => ({
    date: `2024-01-${String(firstDay + index).padStart(2, '0')}`,
    equity: value,
  })),
})

it('the same returns on another scale move together, opposite ones apart; the first is from the start', () => {
  const up = equity(100, [110, 99, 120])
  expect(correlateEquity(up, equity(1000, [1100, 990, 1200]))).toEqual({ days: 3, correlation: 1 })
  const opposite = equity(100, [90, 99, 99 * (1 - 21 / 99)])
  expect(correlateEquity(up, opposite).correlation).toBeCloseTo(-1, 12)
})

it('only days that both have count', () => {
  const a = equity(100, [101, 103, 102, 105])
  const b = equity(100, [102, 101, 104, 103], 3)
  expect(correlateEquity(a, b).days).toBe(2)
})

it('after a total loss nothing moves', () => {
  const lost = correlateEquity(equity(100, [0, 0, 0]), equity(100, [101, 102, 103]))
  expect(lost.days).toBe(3)
  expect(lost.correlation).toBeLessThan(0)
})

it.each([
  ['one of them never moves', equity(100, [100, 100]), equity(100, [101, 99])],
  ['they have one day in common', equity(100, [101]), equity(100, [102])],
  ['they have none', equity(100, [101, 102]), equity(100, [102, 103], 20)],
  ['there is no equity', equity(100, []), equity(100, [101, 102])],
])('it is undefined where %s', (_, a, b) => {
  expect(correlateEquity(a, b).correlation).toBeNull()
})
