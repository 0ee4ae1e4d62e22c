import { describe, expect, it } from 'vitest'
import { CONFIG_BOUNDS, CONFIG_DEFAULTS } from '../../../src/contract/bot.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { ORDERS_SHIFT } from '../../../src/engine/jump/layout.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { createSweep } from '../../../src/engine/jump/sweep.ts'
import { share } from '../../support/share.ts'
import { createDice, seedsFrom, someSymbolOf, walkCandles } from './cases.ts'
import { findSweepDifferences, rowsOf, someSweep } from './sweep-cases.ts'

const SWEEPS = share({ usual: 5, long: 60 })
const RULED_SWEEPS = share({ usual: 2, long: 8 })
const CUT_SWEEPS = share({ usual: 2, long: 10 })
/** A day that ended with a portion while nothing was held; a fall made by a take profit below the fees. */
const SEEN_WRONG = [2_033, 2_124]
/** At length, of each kind, with seeds of their own. */
const MORE_SWEEPS = share({ usual: 0, long: 500 })

describe('a sweep gives every config the result that the reference gives it alone', () => {
  for (const want of ['profit', 'used', 'returns', 'full'] as const) {
    it(`on grids whose points are relatives and doubles of each other (${want})`, () => {
      for (const seed of [...seedsFrom(1, SWEEPS), ...seedsFrom(1_000_000, MORE_SWEEPS)]) {
        const dice = createDice(seed)
        const { candles, configs, ...some } = someSweep(dice, want)
        const options = { ...some.options, durations: seed % 2 === 0 }
        const columns = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
        expect({ seed, differences: findSweepDifferences({ candles, options, configs }, columns) }).toEqual({
          seed,
          differences: [],
        })
      }
    })

    it(`when candles come in portions (${want})`, () => {
      for (let seed = 1; seed <= CUT_SWEEPS; seed++) {
        const dice = createDice(seed)
        const { candles, options, configs } = someSweep(dice, want)
        const cut = (share: number) =>
          prepareCandles(sliceCandles(candles, 0, candles.openTime[Math.floor(share * (candles.close.length - 1))] + 1))
        const inFlight = createSweep(cut(0.3), options).start(rowsOf(configs))
        inFlight.read()
        inFlight.advance(cut(0.31))
        inFlight.advance(cut(0.8))
        inFlight.read()
        inFlight.advance(prepareCandles(candles))
        const columns = inFlight.read()
        expect({ seed, differences: findSweepDifferences({ candles, options, configs }, columns) }).toEqual({
          seed,
          differences: [],
        })
      }
    })
  }

  it('when portions end in the middle of deals, above and below the peak before them', () => {
    for (const seed of [...seedsFrom(2_000, 8), ...SEEN_WRONG, ...seedsFrom(3_000_000, MORE_SWEEPS)]) {
      const dice = createDice(seed)
      const { options, configs } = someSweep(dice, 'full')
      const candles = walkCandles(dice, 400)
      const until = (count: number) => prepareCandles(sliceCandles(candles, 0, candles.openTime[count - 1] + 1))
      const inFlight = createSweep(until(40), options).start(rowsOf(configs))
      for (let count = 80; count <= 400; count += 40) inFlight.advance(until(count))
      const differences = findSweepDifferences({ candles, options, configs }, inFlight.read())
      expect({ seed, differences }).toEqual({ seed, differences: [] })
    }
  })

  it('on more configs than fly at one time, families cut between two flights', () => {
    for (const want of ['profit', 'returns', 'full'] as const) {
      const dice = createDice(77)
      const grids = Array.from({ length: 30 }, () => someSweep(dice, want))
      const candles = walkCandles(dice, 90)
      const options = grids[0].options
      const configs = grids.flatMap((grid) => grid.configs).slice(0, 1025)
      expect(configs).toHaveLength(1025)
      const columns = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
      expect(findSweepDifferences({ candles, options, configs }, columns)).toEqual([])
    }
  })

  it('where every deal is rounded by itself, and most ladders are dearer than their budget', () => {
    for (const want of ['profit', 'used', 'returns', 'full'] as const) {
      for (const seed of [...seedsFrom(500, RULED_SWEEPS), ...seedsFrom(2_000_000, MORE_SWEEPS)]) {
        const dice = createDice(seed)
        const candles = walkCandles(dice, dice.whole(100, 600))
        const sweep = someSweep(dice, want)
        const drawn = someSymbolOf(dice, candles.open[0])
        const symbol = drawn.tick === null ? { ...drawn, lot: drawn.lot ?? 0.01 } : drawn
        const options = { ...sweep.options, symbol, durations: true }
        const configs = sweep.configs.map((config) => ({
          ...config,
          dcaTotalBudget: config.dcaInitialOrderSize * dice.of([1.5, 4, 9]),
          investment: config.dcaInitialOrderSize * dice.of([2, 5, 20]),
        }))
        const columns = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
        expect({ seed, want, differences: findSweepDifferences({ candles, options, configs }, columns) }).toEqual({
          seed,
          want,
          differences: [],
        })
      }
    }
  })

  it('of prices so small that no power of ten for their tick is an exact double', () => {
    const dice = createDice(81)
    const { configs, options: some } = someSweep(dice, 'profit')
    const whole = walkCandles(dice, 400)
    const scaled = (column: Float64Array) => column.map((price) => price * 1e-11)
    const { open, high, low, close } = whole
    const candles = { ...whole, open: scaled(open), high: scaled(high), low: scaled(low), close: scaled(close) }
    const options = { ...some, symbol: { tick: 2.5e-23, lot: null, minNotional: null } }
    const columns = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
    expect(findSweepDifferences({ candles, options, configs }, columns)).toEqual([])
  })

  it('where rounding alone decides, deal by deal, whether the last rung touches the stop', () => {
    const dice = createDice(83)
    const fall = walkCandles(dice, 400)
    const low = fall.low.map((price) => price * 0.96)
    const candles = { ...fall, low }
    const ulp = 100 * Number.EPSILON
    // The rung is 4 % deep; a price touches a stop that is lower by 1e-12 of it.
    const stops = Array.from({ length: 17 }, (_, n) => 4 + 0.96e-10 + ((n - 8) * ulp) / 4)
    const configs = [4, ...stops].map((stopLoss) => ({
      ...CONFIG_DEFAULTS,
      investment: 1e6,
      dcaTotalBudget: 1e6,
      dcaInitialOrderSize: 25,
      dcaMaxSafetyOrders: 6,
      dcaPriceScalePercent: 0.8,
      dcaPriceStepMultiplier: 1,
      dcaVolumeScale: 1,
      takeProfit: 1,
      stopLoss,
    }))
    for (const symbol of [
      { tick: null, lot: 1e-9, minNotional: null },
      { tick: 1e-13, lot: null, minNotional: null },
    ]) {
      const options = { ...market, symbol, want: 'profit' } as const
      const columns = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
      expect(findSweepDifferences({ candles, options, configs }, columns)).toEqual([])
      expect(columns.stopLosses[0]).toBeGreaterThan(0)
    }
  })

  it('when single backtests use the same prepared candles in between', () => {
    const dice = createDice(78)
    const { candles, options, configs } = someSweep(dice, 'full')
    const half = candles.openTime[Math.floor(candles.close.length / 2)]
    const prepared = prepareCandles(candles)
    const inFlight = createSweep(prepareCandles(sliceCandles(candles, 0, half)), options).start(rowsOf(configs))
    for (const config of configs.slice(0, 5)) runJump({ candles, config, ...options }, prepared)
    inFlight.advance(prepared)
    for (const config of configs.slice(0, 5)) runJump({ candles, config, ...options }, prepared)
    expect(findSweepDifferences({ candles, options, configs }, inFlight.read())).toEqual([])
  })

  it('where the minimum notional leaves equal deals of longer ladders, each with its own count of rungs not placed', () => {
    const dice = createDice(79)
    const candles = walkCandles(dice, 500)
    const options = { ...market, symbol: { tick: null, lot: null, minNotional: 40 }, want: 'profit' } as const
    const halved = { dcaInitialOrderSize: 100, dcaVolumeScale: 0.5, dcaPriceScalePercent: 2, stopLoss: 0 }
    const ladders = [0, 1, 3, 5].map((dcaMaxSafetyOrders) => ({
      ...CONFIG_DEFAULTS,
      ...halved,
      dcaTotalBudget: 1e6,
      investment: 1e6,
      dcaPriceStepMultiplier: 1,
      takeProfit: 1,
      dcaMaxSafetyOrders,
    }))
    const columns = createSweep(prepareCandles(candles), options).run(rowsOf(ladders))
    expect(findSweepDifferences({ candles, options, configs: ladders }, columns)).toEqual([])
    expect(columns.closedDeals[1]).toBeGreaterThan(0)
    const deals = columns.closedDeals[1] + columns.openDeal[1]
    expect([...columns.unplacedOrders]).toEqual([0, 0, 2 * deals, 4 * deals])
  })

  it('without configs or without candles', () => {
    const options = { ...market, want: 'full' } as const
    const nothing = prepareCandles(walkCandles(createDice(1), 0))
    expect(createSweep(nothing, options).run(new Float64Array(0)).netProfit).toHaveLength(0)
    const { configs } = someSweep(createDice(2), 'full')
    const columns = createSweep(nothing, options).run(rowsOf(configs))
    expect(new Set(columns.netProfit)).toEqual(new Set([0]))
    expect(new Set(columns.returns?.sharpe)).toEqual(new Set([Number.NaN]))
  })
})

it('a ladder can have no more orders than the kernel has numbers for', () => {
  expect(CONFIG_BOUNDS.dcaMaxSafetyOrders.max + 1).toBeLessThan(1 << ORDERS_SHIFT)
})

const market = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol: NO_SYMBOL_RULES }
