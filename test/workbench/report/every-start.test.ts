/** What the page computes with the kernel, of chance and under other costs, is what the program does, however it is cut into steps. */
import { describe, expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { metricValue } from '../../../src/contract/metrics.ts'
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
import { type Repriced, reprice } from '../../../src/workbench/report/model/other-costs.ts'
import type { TrialTable } from '../../../src/workbench/report/model/trial-table.ts'
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

describe('visible trials under another fee', () => {
  const configs = [1, 1.5, 2, 3].map((takeProfit) => ({ ...PLAIN_CONFIG, takeProfit }))
  const table = { config: (trial: number) => configs[trial], terms: () => market } as unknown as TrialTable // what is asked of it
  const of = { prepared: asked.prepared, table, trials: [0, 1, 3] }
  const costs = { feePercent: 0.45, slippagePercent: 0.1 }

  it.each(['netProfit', 'netProfitPerUsedPercent', 'stressedPerUsed'] as const)(
    'are placed by %s as backtests of them are, and only among themselves',
    (metric) => {
      const objective = { direction: 'maximize', metric, where: [] } as const
      const found = whole<readonly Repriced[]>((done) => reprice({ ...of, objective }, costs, done))
      const placed = (under: typeof costs) => {
        const values = of.trials.map((trial) => {
          const run = backtest({ candles, config: configs[trial], ...market, costs: under })
          return { trial, value: metricValue(run.metrics, metric) ?? Number.NEGATIVE_INFINITY, ...run.metrics }
        })
        return values.sort((a, b) => b.value - a.value)
      }
      expect(found.map(({ trial }) => trial)).toEqual(placed(costs).map(({ trial }) => trial))
      expect(found.toSorted((a, b) => a.placeBefore - b.placeBefore).map(({ trial }) => trial)).toEqual(
        placed(market.costs).map(({ trial }) => trial),
      )
      expect(found.map(({ netProfit }) => netProfit)).toEqual(
        placed(costs).map(({ netProfit }) => expect.closeTo(netProfit, 9)),
      )
      expect(found.map(({ value }) => value)).toEqual(placed(costs).map(({ value }) => expect.closeTo(value, 9)))
    },
  )
})
