/** What holds of every walk-forward test, and what is said where there is no number. */
import { describe, expect, it } from 'vitest'
import type { Candles } from '../../../src/engine/candles.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { configsOf, DAY, foldedStudy, look, MINUTE, madeUpCandles, marketOf, screened } from './walk-forward-worlds.ts'

const DAYS = 60
const candles = madeUpCandles(7, DAYS)
const from = Date.parse('2024-01-01')
const lengths = { trainMs: 20 * DAY, testMs: 10 * DAY, embargoMs: 0, anchored: false }
const period = { from, to: from + DAYS * DAY }
const study = foldedStudy({ markets: [marketOf('T')], period, walkForward: lengths })

function asks(objective: Partial<Objective>, changes: Partial<typeof study> = {}) {
  return { ...study, ...changes, objective: { ...study.objective, ...objective } }
}

/** The same candles without those of a stretch of days. */
function without(all: Candles, fromDay: number, toDay: number): Candles {
  const isThere = (_: number, row: number) =>
    all.openTime[row] < from + fromDay * DAY || all.openTime[row] >= from + toDay * DAY
  const { intervalMs, openTime, open, high, low, close, volume } = all
  const keep = (column: Float64Array) => column.filter(isThere)
  return {
    intervalMs,
    openTime: keep(openTime),
    open: keep(open),
    high: keep(high),
    low: keep(low),
    close: keep(close),
    volume: keep(volume),
  }
}

describe('the answer', () => {
  it('is the same to the last bit for any order of the configurations, and for some of them twice', async () => {
    const dice = createDice(3)
    const configs = configsOf(study)
    const shuffled = [...configs, ...configs.slice(0, 9)]
      .map((config) => ({ config, at: dice.between(0, 1) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ config }) => config)
    expect(await look(study, screened(study, [candles]), shuffled)).toEqual(
      await look(study, screened(study, [candles]), configs),
    )
  })

  it('of a fold does not change with what comes after it', async () => {
    const first = await look(study, screened(study, [candles]))
    const changed = { ...candles, close: candles.close.map((price, row) => (row * 15 * MINUTE < 50 * DAY ? price : 1)) }
    const second = await look(study, screened(study, [changed]))
    expect(second.folds.slice(0, 3)).toEqual(first.folds.slice(0, 3))
    expect(second.folds[3]).not.toEqual(first.folds[3])
  })

  it('adds the profits of the tests, market by market', async () => {
    const { folds, testNetProfit, markets } = await look(study, screened(study, [candles]))
    const profits = folds.map((fold) => (fold.kind === 'chosen' ? fold.markets[0].testNetProfit : Number.NaN))
    const sum = profits.reduce((total, profit) => total + profit, 0)
    expect(profits).toHaveLength(4)
    expect(testNetProfit).toBe(sum)
    expect(markets).toEqual([{ market: 'binance/T-USDT', testNetProfit: sum }])
  })

  it.each(['mean', 'median', 'worst'] as const)('is one value by the %s of the folds', async (folds) => {
    const asked = asks({ folds })
    const found = await look(asked, screened(asked, [candles]))
    const values = found.folds
      .map((fold) => (fold.kind === 'chosen' ? (fold.testValue ?? Number.NaN) : Number.NaN))
      .toSorted((a, b) => a - b)
    const [lowest, second, third, highest] = values
    const expected = {
      mean: (lowest + second + third + highest) / 4,
      median: (second + third) / 2,
      worst: lowest,
    }
    expect(found.testValue).toBeCloseTo(expected[folds], 9)
    const worst = found.folds[found.worstFold ?? -1]
    expect(worst.kind === 'chosen' && worst.testValue).toBe(lowest)
  })
})

describe('a fold without a winner', () => {
  it('says that nobody is inside the bounds, and what the price did', async () => {
    const asked = asks({ where: [{ metric: 'closedDeals', bounds: { min: 100_000 } }] })
    const { folds, ...together } = await look(asked, screened(asked, [candles]))
    expect(folds[0]).toMatchObject({
      kind: 'none',
      why: 'none of 30 configurations is inside the bounds of the objective in sample',
      markets: [{ market: 'binance/T-USDT', train: { direction: expect.stringMatching(/^(rose|fell)$/) } }],
    })
    expect(together).toMatchObject({
      meanPercentile: null,
      worstFold: null,
      testValue: null,
      testValueMissing: 'no window had a configuration to choose',
      testNetProfit: null,
    })
  })

  it('says that nobody has a value', async () => {
    const asked = asks({ metric: 'sharpe' })
    const { folds } = await look(asked, screened(asked, [candles]))
    expect(folds[0]).toMatchObject({ why: 'none of 30 configurations has a value of sharpe in sample' })
  })

  it('says that there are no candles, and others go on', async () => {
    const { folds, meanPercentile } = await look(study, screened(study, [without(candles, 20, 30)]))
    expect(folds.map((fold) => (fold.kind === 'none' ? fold.why : 'chosen'))).toEqual([
      'binance/T-USDT has no candles on test',
      ...Array.from({ length: 3 }, () => 'chosen'),
    ])
    expect(folds[0].markets).toMatchObject([{ test: null }])
    expect(meanPercentile).not.toBeNull()
  })

  it('says so of a study without configurations', async () => {
    const { folds, configs } = await look(study, screened(study, [candles]), [])
    expect(configs).toBe(0)
    expect(folds[0]).toMatchObject({ why: 'there are no configurations to choose from' })
  })
})

describe('a number that would mislead is left out with its reason', () => {
  it('a yearly growth of tests that are shorter', async () => {
    const asked = asks({ metric: 'cagrPercent' }, { walkForward: { ...lengths, trainMs: 30 * DAY, testMs: 30 * DAY } })
    const { testValue, testValueMissing, meanPercentile } = await look(asked, screened(asked, [candles]))
    expect([testValue, testValueMissing]).toEqual([
      null,
      'cagrPercent is a yearly growth, and each test is shorter than 365 days',
    ])
    expect(meanPercentile).not.toBeNull()
  })

  it('a metric that no test defines', async () => {
    const asked = asks({ metric: 'sharpe' }, { walkForward: { ...lengths, trainMs: 40 * DAY } })
    const found = await look(asked, screened(asked, [candles]))
    expect(found).toMatchObject({
      meanPercentile: null,
      testValue: null,
      testValueMissing: 'the chosen configurations have no value of sharpe on any test',
      folds: [{ kind: 'chosen', testValue: null, percentile: null }, { kind: 'chosen' }],
    })
  })

  it('money of unlike currencies in one sum', async () => {
    const markets = [marketOf('T'), marketOf('T', 'EUR')]
    const asked = asks({ metric: 'roiPercent' }, { markets })
    const found = await look(asked, screened(asked, [candles, madeUpCandles(8, DAYS)]))
    expect(found.testNetProfit).toBeNull()
    expect(found.folds[0]).toMatchObject({ kind: 'chosen', testNetProfit: null, testValue: expect.any(Number) })
    expect(found.markets.map(({ market }) => market)).toEqual(['binance/T-USDT', 'binance/T-EUR'])
    for (const { testNetProfit } of found.markets) expect(testNetProfit).not.toBe(0)
  })
})

it('a price that ends where it began is flat', async () => {
  const still = candles.close.map(() => 100)
  const flat = { ...candles, open: still, high: still, low: still, close: still }
  const { folds } = await look(study, screened(study, [flat]))
  expect(folds[0].markets).toMatchObject([{ train: { direction: 'flat', percent: 0 }, test: { direction: 'flat' } }])
  expect(folds[0]).toMatchObject({ kind: 'chosen', percentile: 50 }) // all did the same
})

it('says which fold it is at, and ends when it is interrupted', async () => {
  const told: string[] = []
  await look(study, screened(study, [candles]), configsOf(study), { stated: told })
  expect(told).toEqual([1, 2, 3, 4].map((fold) => `fold ${fold} of 4`))
  const interrupted = new AbortController()
  interrupted.abort(new Error('enough'))
  await expect(
    look(study, screened(study, [candles]), configsOf(study), { signal: interrupted.signal }),
  ).rejects.toThrow('enough')
})
