/** A bot from every start: what `runStarts` says of a start is what a backtest of its candles alone says. */
import { describe, expect, it } from 'vitest'
import { backtest } from '../../../src/engine/backtest.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { BacktestInput } from '../../../src/engine/deal.ts'
import { STARTS_BLOCK } from '../../../src/engine/jump/layout.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { runStarts, type Start } from '../../../src/engine/jump/starts.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { candlesOf, inputOf } from '../inputs.ts'
import { createDice, type Dice, seedsFrom, someConventionsOf, someInputOf, someSymbolOf, walkCandles } from './cases.ts'
import { findRowDifferences } from './sweep-cases.ts'

const CASES = share({ usual: 10, long: 1500 })
const STARTS_PER_CASE = 20
const SCARCE_CASES = share({ usual: 8, long: 400 })

/** Of a walk with some of everything: cash that binds in a third of the cases, tick and lot in two fifths. */
function someCase(seed: number): { readonly dice: Dice; readonly input: BacktestInput } {
  const dice = createDice(seed)
  const count = dice.chance(0.15) ? dice.whole(9_000, 20_000) : dice.whole(1, 1500)
  const candles = walkCandles(dice, count)
  const some = { ...someInputOf(dice, candles), conventions: someConventionsOf(dice) }
  const symbol = dice.chance(0.4) ? someSymbolOf(dice, candles.open[0]) : NO_SYMBOL_RULES
  const { config } = some
  const poor = { ...config, investment: config.dcaInitialOrderSize * dice.of([1.002, 2, 5]), dcaTotalBudget: 1e6 }
  return { dice, input: { ...some, symbol, config: dice.chance(0.33) ? poor : config } }
}

/** Few orders, mostly a near stop, and cash for one to three deals that lose; one case in eight crosses from one block into the next. */
function someScarceCase(seed: number) {
  const dice = createDice(seed)
  const count = seed % 8 === 0 ? 34_000 : dice.whole(300, 1500)
  const some = someInputOf(dice, walkCandles(dice, count))
  const config = {
    ...some.config,
    investment: some.config.dcaInitialOrderSize * dice.of([1.4, 2.3, 4.1, 9]),
    dcaTotalBudget: dice.chance(0.8) ? 1e6 : some.config.dcaTotalBudget,
    dcaMaxSafetyOrders: dice.whole(1, 5),
    stopLoss: dice.chance(0.8) ? some.config.dcaPriceScalePercent * dice.between(0.8, 4) : 0,
  }
  const conventions = { ...some.conventions, afterStopLoss: dice.chance(0.9) ? 'restart' : 'stop' } as const
  const first = Math.max(0, count - 1800)
  const starts = Array.from({ length: Math.min(count, 600) }, (_, n) => first + 2 * n).filter((start) => start < count)
  return { prepared: prepareCandles(some.candles), input: { ...some, conventions, config }, starts }
}

function part(candles: Candles, first: number, last: number): Candles {
  return sliceCandles(candles, candles.openTime[first], candles.openTime[last - 1] + 1)
}

/** More starts than the test compares, so that their deals are shared; in time order but for one case in five. */
function someStarts(dice: Dice, count: number): Start[] {
  const isStretch = dice.chance(0.5)
  const length = dice.whole(1, count)
  const step = Math.max(1, Math.floor(count / dice.of([50, 700])))
  const starts: Start[] = []
  for (let first = 0; first < count; first += step)
    starts.push(isStretch ? { first, last: first + dice.of([length, length, 3]) } : first)
  return dice.chance(0.2) ? starts.reverse() : starts
}

describe('profit from every start', () => {
  it(`is that of a backtest from there, every metric, in ${CASES} cases of every rule`, () => {
    for (const seed of seedsFrom(1, CASES)) {
      const { dice, input } = someCase(seed)
      const prepared = prepareCandles(input.candles)
      const starts = someStarts(dice, prepared.count)
      const options = { want: dice.chance(0.8) ? 'full' : 'profit', durations: dice.chance(0.5) } as const
      const columns = runStarts(prepared, input, input.config, starts, options)
      for (let n = 0; n < STARTS_PER_CASE; n++) {
        const row = dice.whole(0, starts.length - 1)
        const start = starts[row]
        const { first, last } = typeof start === 'number' ? { first: start, last: prepared.count } : start
        const candles = part(input.candles, first, Math.min(last, prepared.count))
        const alone = { ...input, candles }
        const result = backtest(alone)
        const { netProfit, volume } = result.metrics
        const differences = findRowDifferences(result, columns, row, { candles, options: { ...alone, ...options } })
        expect({ seed, start, differences }).toEqual({ seed, start, differences: [] })
        const allowed = input.symbol.lot !== null && input.symbol.tick !== null ? 0 : 1e-12 * Math.max(1, volume)
        expect(Math.abs(columns.netProfit[row] - netProfit), `${seed}`).toBeLessThanOrEqual(allowed)
      }
    }
  })

  it('is to the last bit what it is without other starts to share deals with: stops, last orders, scarce cash', () => {
    let stops = 0
    let short = 0
    for (const seed of seedsFrom(9_000, SCARCE_CASES)) {
      const { prepared, input, starts } = someScarceCase(seed)
      const run = (some: readonly number[]) => runStarts(prepared, input, input.config, some, { want: 'full' })
      const { used, returns, risk, durations: _, ...together } = run(starts)
      for (let row = 0; row < starts.length; row += 7) {
        const { used: use, returns: own, risk: falls, durations: _none, ...alone } = run([starts[row]])
        for (const [name, column] of Object.entries(alone))
          expect(together[name as keyof typeof together][row], `${seed} ${starts[row]} ${name}`).toBe(column[0])
        const observed = new Map(Object.entries({ ...used, ...returns, ...risk }))
        for (const [name, column] of Object.entries({ ...use, ...own, ...falls })) {
          const found = observed.get(name)?.[row] ?? Number.NaN
          const most = 1e-9 * Math.max(1, Math.abs(column[0]))
          const isSame = Object.is(found, column[0]) || Math.abs(found - column[0]) <= most
          expect(isSame, `${seed} ${starts[row]} ${name}: ${found}, alone ${column[0]}`).toBe(true)
        }
        stops += alone.stopLosses[0]
        short += alone.unaffordableOrders[0]
      }
    }
    expect(Math.min(stops, short)).toBeGreaterThan(1000)
  })

  it('that ends at a candle is the equity there', () => {
    for (const seed of seedsFrom(5_000, 20)) {
      const { dice, input } = someCase(seed)
      const prepared = prepareCandles(input.candles)
      const first = dice.whole(0, prepared.count - 1)
      const ends = Array.from({ length: Math.min(40, prepared.count - first) }, (_, n) => first + n + 1)
      const starts = ends.map((last) => ({ first, last }))
      const { netProfit } = runStarts(prepared, input, input.config, starts, { want: 'profit' })
      const found = ends.map((last) => backtest({ ...input, candles: part(input.candles, first, last) }).metrics)
      found.forEach((metrics, n) => {
        expect(Math.abs(netProfit[n] - metrics.netProfit)).toBeLessThanOrEqual(1e-12 * Math.max(1, metrics.volume))
      })
    }
  })

  it('needs a candle to start on', () => {
    const { candles } = vectors
    const prepared = prepareCandles(candles)
    const input = inputOf(vectors)
    for (const start of [-1, 8, { first: 3, last: 3 }])
      expect(() => runStarts(prepared, input, input.config, [start], { want: 'profit' })).toThrow('no candle from')
  })
})

const vectors = {
  candles: candlesOf([
    [100, 101, 99, 100],
    [100, 100, 97, 98],
    [98, 100, 98, 99],
    [99, 102, 99, 101],
    [101, 103, 100, 102],
    [102, 102, 96, 97],
    [97, 100, 97, 99],
    [99, 99, 98, 98],
  ]),
  config: { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 2, takeProfit: 1 },
  feePercent: 0,
}

const MARKETS = [
  ['SOL', 'candles/binance_SOL-USDT_5m_2022-08_2023-09.csv.gz', 300_000, { tick: 0.01, lot: 0.01, minNotional: 5 }],
  [
    'ETH',
    'candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz',
    60_000,
    { tick: 0.01, lot: 1e-4, minNotional: 5 },
  ],
  ['BTC', 'candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz', 60_000, { tick: 0.01, lot: 1e-6, minNotional: 10 }],
  ['DOGE', 'candles/binance_DOGE-USDT_1m_2021-04_2021-05.csv.gz', 60_000, { tick: 1e-5, lot: 1, minNotional: 10 }],
] as const
const LADDER = { investment: 10_000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaMaxSafetyOrders: 6 }
const STEPS = { dcaPriceScalePercent: 0.8, dcaVolumeScale: 1.4, dcaPriceStepMultiplier: 1.1, takeProfit: 1.2 }
const POOR = { investment: 200, dcaTotalBudget: 1e6 }
const RULES: readonly Omit<Parameters<typeof inputOf>[0], 'candles'>[] = [
  {},
  { config: { stopLoss: 4 } },
  { config: { stopLoss: 4 }, conventions: { afterStopLoss: 'stop', intrabar: 'optimistic' } },
  { config: POOR },
  { config: { ...POOR, stopLoss: 9 }, slippagePercent: 0.05 },
  { conventions: { intrabar: 'candle-colour', takeProfitBasis: 'net', spacing: 'from-previous' } },
  { config: { dcaTotalBudget: 150 }, symbol: { tick: null, lot: 0.01, minNotional: 20 } },
  { config: { takeProfit: 0.5 }, conventions: { intrabar: 'high-first', stopLossBasis: 'average' } },
]
const STARTS_PER_RULE = share({ usual: 3, long: 640 })

for (const [name, file, intervalMs, symbol] of MARKETS.slice(0, share({ usual: 1, long: 4 }))) {
  const path = sharedData(file)
  it.skipIf(path === undefined)(`on ${name}, by ${2 * RULES.length} sets of rules`, () => {
    const candles = readCsvCandles(path ?? '', intervalMs)
    const prepared = prepareCandles(candles)
    const dice = createDice(7)
    for (const rounding of [{}, symbol])
      for (const rules of RULES) {
        const config = { ...LADDER, ...STEPS, ...rules.config }
        const input = inputOf({ candles, ...rules, config, symbol: { ...rules.symbol, ...rounding } })
        const options = { want: 'full', durations: true } as const
        const day = dice.whole(0, prepared.count - 1500)
        const starts = Array.from({ length: 1440 }, (_, n) => day + n)
        const columns = runStarts(prepared, input, input.config, starts, options)
        for (let n = 0; n < STARTS_PER_RULE / 2; n++) {
          const row = dice.whole(0, starts.length - 1)
          const alone = { ...input, candles: part(candles, starts[row], prepared.count) }
          const result = backtest(alone)
          const found = { candles: alone.candles, options: { ...alone, ...options } }
          const differences = findRowDifferences(result, columns, row, found)
          expect({ rules, start: starts[row], differences }).toEqual({ rules, start: starts[row], differences: [] })
          const off = Math.abs(columns.netProfit[row] - result.metrics.netProfit)
          expect(off).toBeLessThanOrEqual(rounding === symbol ? 0 : 1e-12 * Math.max(1, result.metrics.volume))
        }
      }
  })
}

describe('profit from each of eight candles, worked out by hand', () => {
  const profits = (options: Parameters<typeof inputOf>[0]) => {
    const input = inputOf(options)
    const starts = Array.from({ length: 8 }, (_, first) => first)
    return [...runStarts(prepareCandles(input.candles), input, input.config, starts, { want: 'full' }).netProfit].map(
      (profit) => profit.toFixed(9),
    )
  }

  it('without a fee', () => {
    expect(profits(vectors)).toEqual([
      '-0.882352941',
      '-1.882352941',
      '-2.882352941',
      '-3.882352941',
      '-4.882352941',
      '-5.882352941',
      '-0.010101010',
      '-1.010101010',
    ])
  })

  it('with a fee of 0.1 %', () => {
    const found = profits({ ...vectors, feePercent: 0.1 })
    expect([found[0], found[5]]).toEqual(['-2.281470588', '-6.276470588'])
  })

  it('where the cash binds', () => {
    const found = profits({ ...vectors, config: { ...vectors.config, investment: 199.5 } })
    expect([found[1], found[5]]).toEqual(['-3.882352941', '-3.921568627'])
  })
})

it('a block has fewer deals than sixteen bits count', () => {
  expect(STARTS_BLOCK).toBeLessThan(2 ** 16)
})
