/** A ladder in a steady fall, by the engine, against sums over its orders and the closed formula of `engine/ladder.ts`. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DcaSpotConfig } from '../../../../src/contract/bot.ts'
import { NO_SYMBOL_RULES } from '../../../../src/engine/conventions.ts'
import { ladderShape } from '../../../../src/engine/ladder.ts'
import { fallAfterBaseOrder } from '../../../../src/workbench/analysis/certainty/equity.ts'
import { conventionsOf, PLAIN_CONFIG } from '../../../engine/inputs.ts'

const costs = { feePercent: 0.1, slippagePercent: 0 }
const terms = { conventions: conventionsOf(), costs, symbol: NO_SYMBOL_RULES, startPrice: 2500 }

const someLadder = fc.record({
  dcaMaxSafetyOrders: fc.integer({ min: 0, max: 12 }),
  dcaPriceScalePercent: fc.double({ min: 0.3, max: 9, noNaN: true }),
  dcaVolumeScale: fc.double({ min: 0.8, max: 1.5, noNaN: true }),
  dcaPriceStepMultiplier: fc.double({ min: 0.9, max: 1.4, noNaN: true }),
  dcaInitialOrderSize: fc.double({ min: 5, max: 60, noNaN: true }),
})

/** The orders of a ladder with steps added up below the base order, each `dcaVolumeScale` larger than the one before, while they fit the budget. */
function ordersOf(config: DcaSpotConfig, startPrice: number) {
  const orders = [{ price: startPrice, quote: config.dcaInitialOrderSize }]
  let [depth, spent] = [0, config.dcaInitialOrderSize]
  for (let k = 1; k <= config.dcaMaxSafetyOrders; k++) {
    depth += config.dcaPriceScalePercent * config.dcaPriceStepMultiplier ** (k - 1)
    const quote = config.dcaInitialOrderSize * config.dcaVolumeScale ** k
    spent += quote
    if (depth >= 100 || spent * 1.001 > config.dcaTotalBudget) break
    orders.push({ price: startPrice * (1 - depth / 100), quote })
  }
  return orders
}

it('without a stop, ties what the orders above the price have cost and loses what they have lost', () => {
  fc.assert(
    fc.property(someLadder, fc.double({ min: 0.01, max: 90_000, noNaN: true }), (ladder, startPrice) => {
      const config = { ...PLAIN_CONFIG, ...ladder }
      for (const fall of fallAfterBaseOrder({ ...terms, config, startPrice })) {
        const price = startPrice * (1 - fall.dropPercent / 100)
        const filled = ordersOf(config, startPrice).filter((order) => order.price >= price * (1 - 1e-12))
        const cost = 1.001 * filled.reduce((sum, { quote }) => sum + quote, 0)
        const quantity = filled.reduce((sum, order) => sum + order.quote / order.price, 0)
        expect(fall).toMatchObject({ rungsFilled: filled.length - 1, stopped: false })
        expect(fall.tied).toBeCloseTo(cost, 8)
        expect(fall.loss).toBeCloseTo(cost - quantity * price * 0.999, 8)
        // After the rise, a sale of everything pays the cost with fees.
        const risen = price * (1 + (fall.breakEvenRisePercent ?? Number.NaN) / 100)
        expect(quantity * risen * 0.999).toBeCloseTo(cost, 8)
      }
    }),
  )
})

it('below its last rung a ladder has cost what the closed formula says', () => {
  fc.assert(
    fc.property(someLadder, (ladder) => {
      const config = { ...PLAIN_CONFIG, ...ladder, investment: 1e9, dcaTotalBudget: 1e9 }
      const { cost, rungs, depthPercent } = ladderShape(config, terms.conventions, costs)
      for (const { dropPercent, tied, rungsFilled } of fallAfterBaseOrder({ ...terms, config })) {
        if (dropPercent <= depthPercent) continue
        expect(rungsFilled).toBe(rungs)
        expect(tied).toBeCloseTo(cost, 7)
      }
    }),
  )
})

it('three drops of one order of 100: a fifth, two fifths and three fifths, with the fee of buying and of selling', () => {
  const falls = fallAfterBaseOrder({ ...terms, config: PLAIN_CONFIG })
  expect(falls.map(({ dropPercent }) => dropPercent)).toEqual([20, 40, 60])
  falls.forEach(({ tied, loss, breakEvenRisePercent }, index) => {
    const left = [0.8, 0.6, 0.4][index]
    expect(tied).toBeCloseTo(100.1, 12)
    expect(loss).toBeCloseTo(100.1 - 100 * left * 0.999, 10)
    expect(breakEvenRisePercent).toBeCloseTo(100 * (1.001 / (left * 0.999) - 1), 10)
  })
})

it.each(['pessimistic', 'low-first', 'high-first', 'candle-colour'] as const)(
  'a stop sells at its own price, once, whatever is assumed inside a candle (%s)',
  (intrabar) => {
    const conventions = conventionsOf({ intrabar, afterStopLoss: 'restart' })
    const config = { ...PLAIN_CONFIG, stopLoss: 33.3 }
    const [before, ...after] = fallAfterBaseOrder({ ...terms, conventions, config })
    expect(before).toMatchObject({ dropPercent: 20, stopped: false })
    for (const fall of after) {
      expect(fall).toMatchObject({ stopped: true, breakEvenRisePercent: null, rungsFilled: 0 })
      expect(fall.tied).toBeCloseTo(100.1, 12)
      expect(fall.loss).toBeCloseTo(100.1 - 100 * 0.667 * 0.999, 10)
    }
  },
)

it('the slippage of the base order is part of the loss', () => {
  const slipped = { ...terms, costs: { feePercent: 0, slippagePercent: 1 }, config: PLAIN_CONFIG }
  expect(fallAfterBaseOrder(slipped)[0].loss).toBeCloseTo(100 - (100 / 1.01) * 0.8, 10)
})

it('a base order that does not fit ties nothing and loses nothing', () => {
  const config = { ...PLAIN_CONFIG, dcaInitialOrderSize: 2000 }
  for (const fall of fallAfterBaseOrder({ ...terms, config })) {
    expect(fall).toMatchObject({ tied: 0, loss: 0, breakEvenRisePercent: null, rungsFilled: 0, stopped: false })
  }
})
