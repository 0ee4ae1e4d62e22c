import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { type Conventions, NO_SYMBOL_RULES, type SymbolRules } from '../../src/engine/conventions.ts'
import {
  affordableOrders,
  createLevels,
  createLevelWriter,
  createUnitLevels,
  type Levels,
  ladderTerms,
  orderRules,
  writeLevels,
} from '../../src/engine/levels.ts'
import { someConfig, someConventions, someCosts, someSymbol } from './arbitraries.ts'
import { conventionsOf, PLAIN_CONFIG } from './inputs.ts'

interface Setup {
  readonly config: Partial<DcaSpotConfig>
  readonly conventions?: Partial<Conventions>
  readonly feePercent?: number
  readonly symbol?: Partial<SymbolRules>
}

function levelsAt(startPrice: number, { config, conventions, feePercent = 0, symbol }: Setup): Levels {
  const full = { ...PLAIN_CONFIG, dcaTotalBudget: 1e9, investment: 1e9, ...config }
  const chosen = conventionsOf(conventions)
  const terms = ladderTerms(full, chosen, { feePercent, slippagePercent: 0 })
  const levels = createLevels(full.dcaMaxSafetyOrders)
  writeLevels(terms, orderRules({ ...NO_SYMBOL_RULES, ...symbol }, chosen.lotRounding), startPrice, levels)
  return levels
}

const depths = ({ price, orders }: Levels) =>
  Array.from(price.subarray(1, orders), (value) => 100 * (1 - value / price[0]))
const sizes = ({ quote, orders }: Levels) =>
  Array.from(quote.subarray(0, orders), (sum, k) => (k === 0 ? sum : sum - quote[k - 1]))
const averageOf = ({ quote, quantity }: Levels, row: number) => quote[row] / quantity[row]

describe('laws of the ladder', () => {
  test('every rung lies below the one above it and above the stop in force before it', () => {
    fc.assert(
      fc.property(someConfig, someConventions, someCosts, someSymbol, (config, conventions, costs, symbol) => {
        const levels = createLevels(config.dcaMaxSafetyOrders)
        writeLevels(ladderTerms(config, conventions, costs), orderRules(symbol, conventions.lotRounding), 97.31, levels)
        for (let k = 1; k < levels.orders; k++) {
          expect(levels.price[k]).toBeGreaterThan(levels.stop[k - 1])
          if (k > 1) expect(levels.price[k]).toBeLessThanOrEqual(levels.price[k - 1])
          expect(levels.quantity[k]).toBeGreaterThan(levels.quantity[k - 1])
        }
      }),
    )
  })

  test('without tick and lot the table at price 1 says the same as the levels at any price', () => {
    const prices = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(someConfig, someConventions, someCosts, prices, (config, conventions, costs, price) => {
        const terms = ladderTerms(config, conventions, costs)
        const rules = orderRules(NO_SYMBOL_RULES, 'down')
        const direct = createLevels(config.dcaMaxSafetyOrders)
        const scaled = createLevels(config.dcaMaxSafetyOrders)
        writeLevels(terms, rules, price, direct)
        createLevelWriter(terms, rules)(price, scaled)
        expect(scaled.orders).toBe(direct.orders)
        for (const column of ['price', 'quote', 'quantity', 'cost', 'takeProfit', 'stop'] as const) {
          for (let k = 0; k < direct.orders; k++) {
            expect(Math.abs(scaled[column][k] / direct[column][k] - 1) || 0).toBeLessThan(1e-13)
          }
        }
      }),
    )
  })

  test('of relatives after one another, what they share is what each has alone, to the bit', () => {
    const ownOnes = fc.record({
      takeProfit: fc.double({ min: 0.1, max: 20, noNaN: true }),
      stopLoss: fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 60, noNaN: true })),
      dcaMaxSafetyOrders: fc.integer({ min: 0, max: 20 }),
      dcaVolumeScale: fc.constantFrom(0.4, 1, 1.5),
    })
    const some = fc.array(ownOnes, { minLength: 2, maxLength: 6 })
    const notionals = fc.constantFrom(0, 30)
    fc.assert(
      fc.property(someConfig, someConventions, someCosts, some, notionals, (config, conventions, costs, own, least) => {
        const rules = orderRules({ ...NO_SYMBOL_RULES, minNotional: least }, 'down')
        const unitLevels = createUnitLevels(rules, 20)
        for (const each of own) {
          const terms = ladderTerms({ ...config, ...each }, conventions, costs)
          const alone = createLevels(20)
          writeLevels(terms, rules, 1, alone)
          const { orders, unplaced, ...columns } = unitLevels(terms)
          expect([orders, unplaced]).toEqual([alone.orders, alone.unplaced])
          for (const name of ['price', 'quote', 'quantity', 'cost', 'takeProfit', 'stop'] as const)
            expect(columns[name].subarray(0, orders), name).toEqual(alone[name].subarray(0, orders))
        }
      }),
    )
  })

  test('what is affordable costs no more than the cap, and one order more would', () => {
    fc.assert(
      fc.property(
        someConfig,
        someConventions,
        fc.double({ min: 1, max: 5000, noNaN: true }),
        (config, conventions, cap) => {
          const levels = createLevels(config.dcaMaxSafetyOrders)
          const terms = ladderTerms(config, conventions, { feePercent: 0.1, slippagePercent: 0 })
          writeLevels(terms, orderRules(NO_SYMBOL_RULES, 'down'), 100, levels)
          const orders = affordableOrders(levels, cap)
          if (orders > 0) expect(levels.cost[orders - 1]).toBeLessThanOrEqual(cap * (1 + 1e-9))
          if (orders < levels.orders) expect(levels.cost[orders]).toBeGreaterThan(cap)
        },
      ),
    )
  })
})

describe('published ladders', () => {
  test('the dcamarcal table, rows 4 and 8', () => {
    const levels = levelsAt(1, {
      config: {
        dcaInitialOrderSize: 20,
        dcaMaxSafetyOrders: 8,
        dcaPriceScalePercent: 1.2,
        dcaPriceStepMultiplier: 1.2,
        dcaVolumeScale: 1.5,
        takeProfit: 1.2,
      },
      conventions: { safetyOrderSizing: 'first-equals-base' },
    })
    expect(depths(levels)[3]).toBeCloseTo(6.4416, 10)
    expect(levels.price[4]).toBeCloseTo(0.935584, 10)
    expect(averageOf(levels, 4)).toBeCloseTo(0.95921764, 8)
    expect(levels.quote[4]).toBeCloseTo(182.5, 10)
    expect(depths(levels)[7]).toBeCloseTo(19.79890176, 8)
    expect(levels.price[8]).toBeCloseTo(0.80201098, 8)
    expect(averageOf(levels, 8)).toBeCloseTo(0.85945106, 8)
    expect(levels.takeProfit[8]).toBeGreaterThan(0.8697)
    expect(levels.takeProfit[8]).toBeLessThan(0.8698)
    expect(levels.quote[8]).toBeCloseTo(1005.15625, 8)
  })

  test('OKX: explicit safety orders of 50 under a base of 100', () => {
    const levels = levelsAt(1000, {
      config: { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 3, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.5 },
      conventions: { safetyOrderSizing: 'explicit', safetyOrderSize: 50 },
    })
    expect(depths(levels).map((value) => Number(value.toFixed(9)))).toEqual([3, 6.6, 10.92])
    expect(sizes(levels)).toEqual([100, 50, 75, 112.5])
    expect(levels.quote[3]).toBe(337.5)
  })

  test('the average is the quote-weighted harmonic mean', () => {
    const levels = levelsAt(1000, {
      config: {
        dcaMaxSafetyOrders: 5,
        dcaPriceStepMultiplier: 2,
        dcaVolumeScale: 2,
      },
    })
    expect(depths(levels).map((value) => Number(value.toFixed(9)))).toEqual([1, 3, 7, 15, 31])
    expect(sizes(levels)).toEqual([100, 200, 400, 800, 1600, 3200])
    expect(averageOf(levels, 5)).toBeCloseTo(778.2927, 4) // 793.33 would be the arithmetic mistake
  })

  test('scaled-from-base multiplies the first safety order too, first-equals-base does not', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaVolumeScale: 1.5 }
    const scaled = levelsAt(1, { config })
    expect(sizes(scaled).slice(1)).toEqual([150, 225, 337.5, 506.25, 759.375])
    expect(scaled.quote[5]).toBe(2078.125)
    expect(levelsAt(1, { config, conventions: { safetyOrderSizing: 'first-equals-base' } }).quote[5]).toBe(1418.75)
  })

  test('from-previous steps down from the last order, from-base from the first', () => {
    const config = { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 10 }
    expect(Array.from(levelsAt(100, { config }).price)).toEqual([100, 90, 80, 70])
    const previous = levelsAt(100, { config, conventions: { spacing: 'from-previous' } })
    expect(Array.from(previous.price, (value) => Number(value.toFixed(9)))).toEqual([100, 90, 81, 72.9])
  })
})

describe('which rungs exist', () => {
  test('a rung 100 % deep does not, nor any below it', () => {
    expect(levelsAt(100, { config: { dcaMaxSafetyOrders: 6, dcaPriceScalePercent: 25 } }).orders).toBe(1 + 3)
    const doubling = { dcaMaxSafetyOrders: 6, dcaPriceScalePercent: 30, dcaPriceStepMultiplier: 2 }
    const previous = levelsAt(100, { config: doubling, conventions: { spacing: 'from-previous' } })
    expect(previous.orders).toBe(1 + 2) // steps of 30, 60, then 120 %
  })

  test('a rung exactly at the stop does not', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 2, stopLoss: 6 }
    expect(levelsAt(100, { config }).orders).toBe(1 + 2)
    expect(levelsAt(100, { config: { ...config, stopLoss: 6.001 } }).orders).toBe(1 + 3)
  })

  test('a stop below the average moves down with each fill and lets more rungs live', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 2, stopLoss: 4 }
    expect(levelsAt(100, { config }).orders).toBe(1 + 1)
    const following = levelsAt(100, { config, conventions: { stopLossBasis: 'average' } })
    expect(following.orders).toBe(1 + 2)
    expect(following.stop[0]).toBe(96)
    expect(following.stop[1]).toBeCloseTo(averageOf(following, 1) * 0.96, 12)
  })

  test('an order below the minimum notional ends the ladder; a base order below it ends everything', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaVolumeScale: 0.5 }
    expect(levelsAt(100, { config, symbol: { minNotional: 25 } }).orders).toBe(1 + 2)
    expect(levelsAt(100, { config, symbol: { minNotional: 101 } }).orders).toBe(0)
  })

  test('a quantity that rounds to nothing is no order', () => {
    const config = { dcaMaxSafetyOrders: 3, dcaVolumeScale: 0.1 }
    expect(levelsAt(100, { config, symbol: { lot: 0.05 } }).orders).toBe(1 + 1)
    const up = levelsAt(100, { config, symbol: { lot: 0.05 }, conventions: { lotRounding: 'up' } })
    expect(up.orders).toBe(1 + 3)
  })

  test('a price that rounds to nothing is no order', () => {
    const config = { dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 40 }
    expect(levelsAt(1.5, { config, symbol: { tick: 1 } }).orders).toBe(1)
  })
})

describe('fees, ticks and lots', () => {
  test('a net take profit earns its percentage after all fees', () => {
    const levels = levelsAt(100, { config: {}, feePercent: 0.1, conventions: { takeProfitBasis: 'net' } })
    const proceeds = levels.quantity[0] * levels.takeProfit[0] * 0.999
    expect(proceeds / levels.cost[0]).toBeCloseTo(1.01, 12)
  })

  test('fill-with-fee hangs ladder and stop from the price with its fee, the take profit from the fills', () => {
    const config = { dcaMaxSafetyOrders: 1, stopLoss: 10 }
    const levels = levelsAt(100, { config, feePercent: 0.1, conventions: { basePrice: 'fill-with-fee' } })
    expect(levels.price[1]).toBeCloseTo(100.1 * 0.99, 12)
    expect(levels.stop[0]).toBeCloseTo(100.1 * 0.9, 12)
    expect(levels.takeProfit[0]).toBeCloseTo(101, 12)
  })

  test('buys round down to the tick, take profits up; stops are left as they are', () => {
    const config = { dcaMaxSafetyOrders: 1, dcaPriceScalePercent: 1.23, takeProfit: 1.23, stopLoss: 10.123 }
    const levels = levelsAt(100, { config, symbol: { tick: 0.5 } })
    expect(levels.price[1]).toBe(98.5)
    expect(levels.takeProfit[0]).toBe(101.5)
    expect(levels.stop[0]).toBeCloseTo(89.877, 12)
  })

  test('a lot turns the quote into quantity times price', () => {
    const down = levelsAt(3, { config: {}, symbol: { lot: 1 } })
    expect([down.quantity[0], down.quote[0]]).toEqual([33, 99])
    const up = levelsAt(3, { config: {}, symbol: { lot: 1 }, conventions: { lotRounding: 'up' } })
    expect([up.quantity[0], up.quote[0]]).toEqual([34, 102])
  })
})
