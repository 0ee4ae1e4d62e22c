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
  it('is never below what a run makes, in all and after a cut, under any convention, cost, cap, tick, lot and minimum notional', () => {
    let positive = 0
    let compared = 0
    const [most, rest] = [new Float64Array(101), new Float64Array(101)]
    fc.assert(
      fc.property(
        someCandles,
        someConventions,
        someCosts,
        fc.oneof(fc.constant(NO_SYMBOL_RULES), someSymbol),
        fc.array(someConfig, { minLength: CONFIGS, maxLength: CONFIGS }),
        (candles, conventions, costs, symbol, configs) => {
          const cut = Math.floor(candles.openTime.length / 3)
          const bound = createProfitBound(candles, { conventions, costs, symbol }, [cut])
          for (const config of configs) {
            const { metrics, deals } = backtest({ candles, config, conventions, costs, symbol })
            const { netProfit } = metrics
            const earned = deals
              .filter(({ closedAt }) => closedAt < candles.openTime[cut])
              .reduce((sum, { profit }) => sum + profit, 0)
            const layers = bound.layersOf(config)
            bound.write(layers, config.takeProfit, most)
            bound.writeAfter(layers, config.takeProfit, 0, rest)
            const deepest = bound.deepest(config)
            const [atMost, later] = deepest === -1 ? [0, 0] : [most[deepest], rest[deepest]]
            compared++
            if (netProfit > 0) positive++
            const rounding = 1e-9 * Math.max(1, metrics.volume)
            if (atMost < netProfit || later + rounding < netProfit - earned)
              expect({ atMost, netProfit, later, earned, config, conventions, costs, symbol }).toEqual('a bound')
          }
        },
      ),
      { numRuns: share({ usual: 200, long: 40_000 }) },
    )
    expect(positive / compared).toBeGreaterThan(0.1)
  })
})
