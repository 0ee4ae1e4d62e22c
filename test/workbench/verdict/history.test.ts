/** On which candles a verdict is formed, and that the plain ladder can trade on them. */
import { expect, it } from 'vitest'
import type { StoredCandles } from '../../../src/candles/folder/folder.ts'
import type { Interval } from '../../../src/contract/market.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runReferenceOnce } from '../../../src/engine/reference.ts'
import { plainLadder } from '../../../src/workbench/verdict/plain-ladder.ts'
import { chooseHistory, startsOf } from '../../../src/workbench/verdict/stretches.ts'

const day = 86_400_000
const stored = (interval: Interval, ...parts: readonly (readonly [from: number, to: number])[]) =>
  ({ interval, stretches: parts.map(([from, to]) => ({ from: from * day, to: to * day })) }) as unknown as StoredCandles
const asked = { horizonMs: 30 * day, period: { from: 400 * day, to: 461 * day }, before: 500 * day }
const choose = (...all: readonly StoredCandles[]) => chooseHistory(all, { ...asked, heldOut: [] })?.interval

it('is the finest that holds ten whole stretches, not the finest that reaches far', () => {
  const hours = stored('1h', [0, 461])
  expect(choose(stored('1m', [0, 461]), hours)).toBe('1m')
  expect(choose(stored('1m', [0, 28], [400, 461]), hours)).toBe('1h')
})

it('is not one that lacks ten where another study holds days out, as long as longer candles have them', () => {
  const all = [stored('5m', [100, 461]), stored('1h', [0, 461])]
  const holding = (from: number, to: number) =>
    chooseHistory(all, { ...asked, heldOut: [{ from: from * day, to: to * day }] })
  expect(chooseHistory(all, { ...asked, heldOut: [] })?.interval).toBe('5m')
  const history = holding(300, 340)
  expect(history?.interval).toBe('1h')
  const starts = history === undefined ? [] : startsOf(history, [{ from: 300 * day, to: 340 * day }])
  expect(starts.length).toBeGreaterThan(30)
  expect(starts.filter((from) => from + 30 * day > 300 * day && from < 340 * day)).toEqual([])
})

it('the plain ladder trades also where its base order is the least that the market takes', () => {
  const terms = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }
  const symbol = { ...NO_SYMBOL_RULES, tick: 0.01, lot: 0.0001, minNotional: 5 }
  const close = Float64Array.from({ length: 2_000 }, (_, at) => 30_000 * (1 + 0.03 * Math.sin(at / 40)))
  const open = Float64Array.from(close, (price, at) => close[at - 1] ?? price)
  const candles = {
    intervalMs: 60_000,
    openTime: Float64Array.from(close, (_, at) => at * 60_000),
    open,
    high: Float64Array.from(close, (price, at) => Math.max(price, open[at])),
    low: Float64Array.from(close, (price, at) => Math.min(price, open[at])),
    close,
    volume: new Float64Array(close.length).fill(1),
  }
  const { config, terms: own } = plainLadder(150, { ...terms, symbol })
  expect(config.dcaInitialOrderSize).toBe(5)
  expect(runReferenceOnce({ candles, config, ...own }).metrics.closedDeals).toBeGreaterThan(0)
})
