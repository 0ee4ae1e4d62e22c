/** Random but plausible candles, configs and conventions for the engine's laws. */
import fc from 'fast-check'
import { type DcaSpotConfig, forEachField } from '../../src/contract/bot.ts'
import type { Candles } from '../../src/engine/candles.ts'
import {
  type ChoiceName,
  CONVENTION_VALUES,
  type Conventions,
  forEachChoice,
  type SymbolRules,
} from '../../src/engine/conventions.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { candlesOf, type Row } from './inputs.ts'

const HOUR = 3_600_000

/** A walk around 100 in whole cents: bodies up to ±3 %, wicks up to 3 %, now and then a gap. */
export const someCandles: fc.Arbitrary<Candles> = fc
  .array(
    fc.record({
      gap: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -60, max: 60 }) },
      ),
      body: fc.integer({ min: -30, max: 30 }),
      up: fc.integer({ min: 0, max: 30 }),
      down: fc.integer({ min: 0, max: 30 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((moves) => {
    let price = 100
    const rows = moves.map(({ gap, body, up, down }): Row => {
      const open = cents(price * (1 + gap / 1000))
      const close = cents(open * (1 + body / 1000))
      price = close
      return [
        open,
        cents(Math.max(open, close) * (1 + up / 1000)),
        cents(Math.min(open, close) * (1 - down / 1000)),
        close,
      ]
    })
    return candlesOf(rows, { intervalMs: HOUR })
  })

function cents(value: number): number {
  return Math.max(1, Math.round(value * 100)) / 100
}

const tenths = (min: number, max: number) => fc.integer({ min: min * 10, max: max * 10 }).map((value) => value / 10)

/** A field that is not named here is drawn from its tries. */
export const someConfig: fc.Arbitrary<DcaSpotConfig> = fc.record({
  ...forEachField((_, { tries }) => fc.constantFrom<number[]>(...tries)),
  investment: fc.constantFrom(300, 1000, 5000),
  dcaTotalBudget: fc.constantFrom(250, 1000, 10_000),
  dcaInitialOrderSize: fc.constantFrom(20, 100, 200),
  dcaMaxSafetyOrders: fc.integer({ min: 0, max: 6 }),
  dcaPriceScalePercent: tenths(0.1, 4),
  dcaVolumeScale: tenths(0.5, 2),
  dcaPriceStepMultiplier: tenths(0.5, 2),
  takeProfit: tenths(0.1, 4),
  stopLoss: fc.oneof(fc.constant(0), tenths(0.5, 12)),
})

export const someConventions: fc.Arbitrary<Conventions> = fc
  .record({
    choices: fc.record(forEachChoice((name) => fc.constantFrom<string>(...CONVENTION_VALUES[name]))),
    size: fc.constantFrom(15, 50, 110),
  })
  .map(({ choices, size }) => withSize(choices, size))

/** A size where the sizing needs one. */
function withSize(choices: Readonly<Record<ChoiceName, string>>, size: number): Conventions {
  const safetyOrderSize = choices.safetyOrderSizing === 'explicit' ? size : null
  return { ...choices, safetyOrderSize } as Conventions // values of each choice's own row
}

export const someCosts = fc.record({
  feePercent: fc.constantFrom(0, 0.075, 0.1, 0.5),
  slippagePercent: fc.constantFrom(0, 0, 0.05, 0.3),
})

export const someSymbol: fc.Arbitrary<SymbolRules> = fc.record({
  tick: fc.constantFrom(null, 0.01, 0.05, 0.5),
  lot: fc.constantFrom(null, 0.0001, 0.01, 0.1),
  minNotional: fc.constantFrom(null, 5, 40),
})

export const someInput: fc.Arbitrary<BacktestInput> = fc.record({
  candles: someCandles,
  config: someConfig,
  conventions: someConventions,
  costs: someCosts,
  symbol: fc.oneof(fc.constant({ tick: null, lot: null, minNotional: null }), someSymbol),
})
