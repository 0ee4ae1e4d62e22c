import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { backtest } from '../../src/engine/backtest.ts'
import type { Conventions } from '../../src/engine/conventions.ts'
import { ladderShape } from '../../src/engine/ladder.ts'
import { someConfig, someConventions } from './arbitraries.ts'
import { conventionsOf, flatCandles, inputOf, PLAIN_CONFIG } from './inputs.ts'

const costs = { feePercent: 0.1, slippagePercent: 0 }

function shapeOf(config: Partial<DcaSpotConfig>, conventions: Partial<Conventions> = {}, feePercent = 0.1) {
  return ladderShape({ ...PLAIN_CONFIG, ...config }, conventionsOf(conventions), { ...costs, feePercent })
}

describe('the shape of a ladder', () => {
  test('the rungs counted are those that the first deal can fill', () => {
    fc.assert(
      fc.property(someConfig, someConventions, (config, conventions) => {
        const shape = ladderShape(config, conventions, costs)
        // A gap through everything: the rungs above the stop fill first, then the stop.
        const { deals, openDeal, metrics } = backtest({
          ...inputOf({ candles: flatCandles([100, 1e-6]) }),
          config,
          conventions,
          costs,
        })
        expect(metrics.outOfCash).toBe(!shape.baseOrderFits)
        if (shape.baseOrderFits) expect(deals.at(-1)?.safetyOrders ?? openDeal?.safetyOrders).toBe(shape.rungs)
      }),
    )
  })

  test('rungs cut by depth, stop and budget add up to what was asked for', () => {
    fc.assert(
      fc.property(someConfig, someConventions, (config, conventions) => {
        const shape = ladderShape(config, conventions, costs)
        const configured = shape.rungs + shape.cutByBudget + shape.cutByStop
        expect(configured).toBeLessThanOrEqual(config.dcaMaxSafetyOrders)
        expect(shape.depthOver100).toBe(configured < config.dcaMaxSafetyOrders)
        expect(shape.depthPercent).toBeLessThan(100)
      }),
    )
  })

  test('cost includes fees and every configured rung, also those beyond the budget or below the stop', () => {
    const config = { dcaMaxSafetyOrders: 5, dcaVolumeScale: 1.5, dcaPriceScalePercent: 2 }
    expect(shapeOf(config)).toEqual({
      rungs: 3,
      baseOrderFits: true,
      depthPercent: 10,
      cost: expect.closeTo(2078.125 * 1.001, 9),
      lastToFirstSize: 1.5 ** 5,
      stopLossToDepth: null,
      depthOver100: false,
      cutByStop: 0,
      cutByBudget: 2,
    })
    const stopped = shapeOf({ ...config, stopLoss: 5 })
    expect(stopped).toMatchObject({ rungs: 2, cutByStop: 3, cutByBudget: 0, depthPercent: 10, stopLossToDepth: 0.5 })
    expect(stopped.cost).toBeCloseTo(2078.125 * 1.001, 9)
  })

  test('a ladder that costs exactly the budget with fees is placed whole', () => {
    const config = { dcaMaxSafetyOrders: 2, dcaInitialOrderSize: 100 }
    expect(shapeOf({ ...config, dcaTotalBudget: 300 * 1.001 })).toMatchObject({ rungs: 2, cutByBudget: 0 })
    expect(shapeOf({ ...config, dcaTotalBudget: 300 })).toMatchObject({ rungs: 1, cutByBudget: 1 })
    expect(shapeOf({ ...config, dcaTotalBudget: 100 })).toMatchObject({ rungs: 0, baseOrderFits: false })
    expect(shapeOf({ ...config, investment: 250 })).toMatchObject({ rungs: 1, cutByBudget: 1 })
  })

  test('without safety orders there is no depth, and first is last', () => {
    expect(shapeOf({ stopLoss: 5 })).toMatchObject({
      rungs: 0,
      depthPercent: 0,
      lastToFirstSize: 1,
      stopLossToDepth: null,
      depthOver100: false,
    })
  })

  test('rungs 100 % deep or deeper leave shape and cost', () => {
    const shape = shapeOf({ dcaMaxSafetyOrders: 6, dcaPriceScalePercent: 25, dcaTotalBudget: 1000 }, {}, 0)
    expect(shape).toMatchObject({ rungs: 3, depthPercent: 75, cost: 400, depthOver100: true })
  })
})
