/** The bound that pruning rests on: no run makes more than it says. `LONG=1`: a million configs. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backtest } from '../../src/engine/backtest.ts'
import { createProfitBound } from '../../src/engine/bound/profit-bound.ts'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { share } from '../support/share.ts'
import { someCandles, someConfig, someConventions, someCosts, someSymbol } from './arbitraries.ts'

const CONFIGS = 25

describe('the bound of the net profit', () => {
  it('is never below what a run makes, under any convention, cost, cap, tick, lot and minimum notional', () => {
    let positive = 0
    let compared = 0
    const most = new Float64Array(101)
    fc.assert(
      fc.property(
        someCandles,
        someConventions,
        someCosts,
        fc.oneof(fc.constant(NO_SYMBOL_RULES), someSymbol),
        fc.array(someConfig, { minLength: CONFIGS, maxLength: CONFIGS }),
        (candles, conventions, costs, symbol, configs) => {
          const bound = createProfitBound(candles, { conventions, costs, symbol })
          for (const config of configs) {
            const { netProfit } = backtest({ candles, config, conventions, costs, symbol }).metrics
            bound.write(bound.layersOf(config), config.takeProfit, most)
            const deepest = bound.deepest(config)
            const atMost = deepest === -1 ? 0 : most[deepest]
            compared++
            if (netProfit > 0) positive++
            if (atMost < netProfit) expect({ atMost, netProfit, config, conventions, costs, symbol }).toEqual('a bound')
          }
        },
      ),
      { numRuns: share({ usual: 200, long: 40_000 }) },
    )
    expect(positive / compared).toBeGreaterThan(0.1)
  })
})
