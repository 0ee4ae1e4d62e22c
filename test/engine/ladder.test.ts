import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import { backtest } from '../../src/engine/backtest.ts'
import type { Conventions } from '../../src/engine/conventions.ts'
import { ladderShape } from '../../src/engine/ladder.ts'
import { createLadderShapes } from '../../src/engine/ladder-shapes.ts'
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

  test('configs measured one after the other have the shape that each has by itself, to the last bit', () => {
    const wide = fc.record({
      dcaInitialOrderSize: fc.constantFrom(0.01, 20, 20.1, 1e12),
      dcaMaxSafetyOrders: fc.constantFrom(0, 1, 2, 7, 100),
      dcaPriceScalePercent: fc.constantFrom(0.05, 0.3, 7, 99.99, 100),
      dcaVolumeScale: fc.constantFrom(1e-300, 0.3, 1, 1.1, 100),
      dcaPriceStepMultiplier: fc.constantFrom(0.01, 1, 1.3, 100),
      stopLoss: fc.constantFrom(0, 0.01, 3, 8.3, 99, 100),
      dcaTotalBudget: fc.constantFrom(10, 100, 300.3, 1e12),
      investment: fc.constantFrom(20.02, 250, 1e12),
    })
    const changes = fc.array(fc.tuple(wide, fc.subarray(CONFIG_FIELDS.slice())), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(changes, someConventions, fc.constantFrom(0, 0.1, 50), (list, conventions, feePercent) => {
        const terms = { ...costs, feePercent }
        const { shapeOf } = createLadderShapes(conventions, terms, 100)
        let config: DcaSpotConfig = PLAIN_CONFIG
        for (const [to, fields] of list) {
          const changed = Object.fromEntries(
            Object.entries(to).filter(([field]) => fields.some((one) => one === field)),
          )
          config = { ...config, ...changed }
          expect(shapeOf(config)).toEqual(ladderShape(config, conventions, terms))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('is what it is alone also where the same sizes come again rail after rail, more of them than are kept', () => {
    const conventions = conventionsOf({})
    const { shapeOf } = createLadderShapes(conventions, costs, 6)
    const wrong: DcaSpotConfig[] = []
    for (const dcaPriceScalePercent of [1, 2, 3])
      for (let base = 0; base < 90; base++)
        for (let scale = 0; scale < 50; scale++) {
          const config: DcaSpotConfig = {
            ...PLAIN_CONFIG,
            dcaPriceScalePercent,
            dcaInitialOrderSize: 10 + base,
            dcaVolumeScale: 1 + scale / 50,
            dcaMaxSafetyOrders: 6,
            stopLoss: 8 + (scale % 3),
          }
          const { cost, rungs, cutByStop, cutByBudget, lastToFirstSize } = ladderShape(config, conventions, costs)
          const shape = shapeOf(config)
          if (shape.cost !== cost || shape.rungs !== rungs || shape.lastToFirstSize !== lastToFirstSize)
            wrong.push(config)
          if (shape.cutByStop !== cutByStop || shape.cutByBudget !== cutByBudget) wrong.push(config)
        }
    expect(wrong).toEqual([])
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
