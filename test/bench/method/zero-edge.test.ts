/** Luck alone is never called good: winners of a hundred on markets without an edge, examined with every check. At length, all that the guide quotes. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeExamination } from '../../../src/cli/commands/examine/describe-examination.ts'
import { textOfLine } from '../../../src/cli/output.ts'
import { CONFIG_DEFAULTS } from '../../../src/contract/bot.ts'
import { backtest } from '../../../src/engine/backtest.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { createRandom } from '../../../src/engine/random.ts'
import { drawConfigs } from '../../../src/workbench/search/draw-configs.ts'
import { isLong, share } from '../../support/share.ts'
import type { AllFigures } from './all-figures.ts'
import { martingaleCandles } from './martingale.ts'
import { praiseIn } from './praise.ts'
import { shareOf } from './share-estimate.ts'
import { BASE } from './space.ts'
import { examineWinner, PACE, type WinnerRecord } from './zero-edge.ts'
import { summarizeZeroEdge, ZERO_EDGE_MARKETS } from './zero-edge-figures.ts'
import { drawMarket, findWinner, TERMS, TRIED } from './zero-edge-winner.ts'

const FIGURES = new URL('../../../src/guide/method-figures.json', import.meta.url)
const { zeroEdge } = JSON.parse(readFileSync(FIGURES, 'utf8')) as AllFigures // written by `npm run bench:method -- --write`

const all = Array.from({ length: ZERO_EDGE_MARKETS }, (_, number) => number)
/** Usually ten of those in five minutes, which take a third of the time. */
const numbers = share({ usual: all.filter((number) => number % 2 === 1).slice(0, 10), long: all })

describe('winners on markets without an edge', () => {
  const records: WinnerRecord[] = []
  beforeAll(async () => {
    for (const number of numbers) records.push(await examineWinner(zeroEdge.seed, number))
  }, 600_000)

  it(`none of ${numbers.length} is called good, by a sentence or for want of doubts`, () => {
    expect(records.flatMap(({ praise }) => praise)).toEqual([])
    expect(records.filter(({ doubts }) => doubts.length === 0)).toEqual([])
  })

  it('each is said to be the best of many looks at days of which nothing was held back, and has doubts of its own', () => {
    for (const { doubts, ownDoubts } of records) {
      expect(doubts.map(({ code }) => code)).toEqual(expect.arrayContaining(['manyLooks', 'noHoldout']))
      expect(ownDoubts).not.toHaveLength(0)
    }
  })

  it('their markets do not give themselves away, and every check but the veto has an answer', () => {
    for (const { shown } of records) {
      expect(shown.doubts.map(({ code }) => code)).not.toContain('syntheticCandles')
      expect(Object.keys(shown.reasons)).toEqual(['veto'])
      expect(shown.checks.shift?.left).toEqual([])
      expect(shown.checks.twin?.difference).toBe(0)
    }
  })

  it('without its doubts the same examination would be called good', () => {
    const [{ shown }] = records
    expect(praiseIn(describeExamination({ ...shown, doubts: [] }, String).map(textOfLine))).toHaveLength(1)
  })

  it.skipIf(!isLong)('all of them make the figures that the guide quotes', () => {
    expect(JSON.parse(JSON.stringify(summarizeZeroEdge(records, zeroEdge)))).toEqual(zeroEdge)
  })
})

it('a winner and its rival are the best of the hundred configurations that the study draws, by whole backtests', async () => {
  const market = drawMarket('winner', 1)
  const { study, candles } = market
  const own = sliceCandles(candles, study.period.from, study.period.to)
  const { configs } = drawConfigs(study, { by: 'random', count: TRIED, seed: 1 })
  const profits = configs.map(({ config }) => backtest({ ...TERMS, candles: own, config }).metrics.netProfit)
  const [best, next] = profits.toSorted((a, b) => b - a)
  const { trial, rival } = await findWinner(market, PACE)
  expect(profits).toHaveLength(TRIED)
  expect([trial.metrics.netProfit, rival.metrics.netProfit]).toEqual([best, next])
})

describe('a martingale', () => {
  const spans = { from: Date.UTC(2024, 0, 1), days: 4, intervalMs: 300_000, annualVolatility: 1.2 }
  const random = createRandom(20_240_101)
  const markets = Array.from({ length: 150 }, () => martingaleCandles(spans, random))
  const meanAndError = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
  }

  it('ends where it began, on average, after moving as far as its volatility says', () => {
    const ends = markets.map(({ open, close }) => close[close.length - 1] / open[0])
    const { mean, error } = meanAndError(ends)
    expect(Math.abs(mean - 1)).toBeLessThan(3 * error)
    expect(error * Math.sqrt(markets.length)).toBeCloseTo(1.2 * Math.sqrt(4 / 365), 1)
  })

  it('opens every candle where the last one closed, inside its high and low', () => {
    for (const { open, high, low, close } of markets.slice(0, 5)) {
      expect([...open.slice(1)]).toEqual([...close.slice(0, -1)])
      expect(
        open.every((price, at) => low[at] <= Math.min(price, close[at]) && high[at] >= Math.max(price, close[at])),
      ).toBe(true)
    }
  })

  it('leaves a bot nothing to earn, even without costs', () => {
    const costs = { feePercent: 0, slippagePercent: 0 }
    const config = {
      ...CONFIG_DEFAULTS,
      ...BASE,
      dcaMaxSafetyOrders: 4,
      dcaPriceScalePercent: 1,
      dcaPriceStepMultiplier: 1.2,
      dcaVolumeScale: 1.5,
      takeProfit: 1,
      stopLoss: 8,
    }
    const profits = markets.map((candles) => backtest({ ...TERMS, costs, candles, config }).metrics.netProfit)
    const { mean, error } = meanAndError(profits)
    expect(error).toBeGreaterThan(0)
    expect(Math.abs(mean)).toBeLessThan(3 * error)
  })
})

describe('a sentence that calls a winner good', () => {
  it('is found by its words', () => {
    const lines = [
      'this configuration is robust',
      'it will earn 3 % a month',
      'a safety order was sold',
      'high values prove nothing',
    ]
    expect(praiseIn(lines)).toEqual(lines.slice(0, 2))
  })
})

describe('a share', () => {
  it('has the interval of Wilson: of 0 in 200 up to z²/(n + z²), and even around a half', () => {
    const z2 = 1.6448536269514722 ** 2
    expect(shareOf(0, 200).interval).toEqual([0, Number((z2 / (200 + z2)).toPrecision(4))])
    const { value, interval } = shareOf(50, 100)
    expect(value).toBe(0.5)
    expect((interval?.[0] ?? 0) + (interval?.[1] ?? 0)).toBeCloseTo(1, 9)
    expect(shareOf(0, 0)).toEqual({ value: null, interval: null, count: 0, of: 0 })
  })
})
