/** What the page computes of how much is chance is what the program does, however it is cut into steps. */
import { describe, expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { backtest } from '../../../src/engine/backtest.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import {
  factOfStarts,
  factOfTakeProfits,
  type TakeProfitFact,
} from '../../../src/workbench/analysis/certainty/arbitrariness.ts'
import {
  findStarts,
  findTakeProfits,
  findValues,
  type StartsFound,
} from '../../../src/workbench/report/model/every-start.ts'
import { PLAIN_CONFIG } from '../../engine/inputs.ts'

const candles = generateCandles({ seed: 5, interval: '5m', from: Date.UTC(2025, 0, 1), days: 30 })
const market = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol: NO_SYMBOL_RULES }
const asked = { prepared: prepareCandles(candles), market, config: PLAIN_CONFIG }

/** All steps, and what they end with. */
function whole<T>(steps: (done: (found: T) => void) => Iterable<void>): T {
  const found: T[] = []
  for (const _ of steps((one) => found.push(one)));
  expect(found).toHaveLength(1)
  return found[0]
}

describe('what the page computes in steps', () => {
  it('of every start of the first day is what dcalab backtest --starts says', () => {
    const { profits, percentile, q1, q3 } = whole<StartsFound>((done) => findStarts(asked, done))
    const fact = factOfStarts(asked.prepared, market, PLAIN_CONFIG)
    expect(profits).toHaveLength(fact.of)
    expect([profits[0], percentile, q1, q3]).toEqual(
      [fact.reported, fact.percentile, fact.q1, fact.q3].map((value) => expect.closeTo(value, 9)),
    )
  })

  it('of every take profit is what dcalab backtest --take-profits says', () => {
    const slider = { min: 0.02, max: 4.5, step: 0.02 }
    const found = whole<TakeProfitFact>((done) => findTakeProfits(asked, slider, done))
    const { from, to } = found
    expect([from, to]).toEqual([0.5, 4.5])
    const { best, basin, band, envelope, certified } = factOfTakeProfits(asked.prepared, market, PLAIN_CONFIG, {
      from,
      to,
    })
    expect(found.certified).toEqual(certified)
    expect(found.best.to).toBe(best.to)
    expect([found.best.netProfit, found.basin.from, found.basin.to]).toEqual(
      [best.netProfit, basin.from, basin.to].map((value) => expect.closeTo(value, 9)),
    )
    expect(found.band?.percentile).toBeCloseTo(band?.percentile ?? Number.NaN, 6)
    const apart = found.envelope.map(
      ([, low, high], n) => Math.abs(low - envelope[n][1]) + Math.abs(high - envelope[n][2]),
    )
    expect(Math.max(...apart)).toBeLessThan(1e-8)
  })

  it('of every value of a field is a backtest of it, the value that is set among them', () => {
    const config = { ...PLAIN_CONFIG, dcaVolumeScale: 1.234 }
    const found = whole<readonly (readonly [number, number])[]>((done) =>
      findValues({ ...asked, config }, 'dcaVolumeScale', { min: 0.9, max: 1.9, step: 0.01 }, done),
    )
    expect(found).toHaveLength(102)
    for (const [value, netProfit] of found.filter(([each], n) => each === 1.234 || n % 20 === 0)) {
      const { metrics } = backtest({ candles, config: { ...config, dcaVolumeScale: value }, ...market })
      expect([value, netProfit]).toEqual([value, expect.closeTo(metrics.netProfit, 9)])
    }
  })
})
