/** Walk-forward against a plain second implementation, on real markets, fold by fold. */
import { describe, expect, it } from 'vitest'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { ChosenFold } from '../../../src/workbench/evidence/examine/walk-forward.ts'
import { share } from '../../support/share.ts'
import { byTurn } from '../../support/turn.ts'
import { plainWalkForward } from './plain-walk-forward.ts'
import {
  configsOf,
  DAY,
  foldedStudy,
  look,
  marketOf,
  REAL,
  type RealMarket,
  realCandles,
  screened,
} from './walk-forward-worlds.ts'

interface Case {
  readonly title: string
  readonly markets: readonly RealMarket[]
  readonly study: Omit<Parameters<typeof foldedStudy>[0], 'search' | 'markets'>
}

const CASES: readonly Case[] = [
  {
    title: 'the minutes of ETH, folds that move on',
    markets: [REAL.eth],
    study: {
      period: { from: Date.parse('2025-05-20'), to: Date.parse('2025-08-18') },
      walkForward: { trainMs: 14 * DAY, testMs: 19 * DAY, embargoMs: 0, anchored: false },
    },
  },
  {
    title: 'SOL with bounds, anchored, an embargo of two days',
    markets: [REAL.sol],
    study: {
      period: { from: Date.parse('2022-08-10T07:00Z'), to: Date.parse('2022-12-01') },
      walkForward: { trainMs: 30 * DAY, testMs: 16 * DAY, embargoMs: 2 * DAY, anchored: true },
      objective: {
        direction: 'maximize',
        metric: 'roiPercent',
        where: [
          { metric: 'maxDrawdownPercent', bounds: { max: 25 } },
          { metric: 'closedDeals', bounds: { min: 20 } },
        ],
      },
    },
  },
  {
    title: 'BTC and SOL at once by the worse of the two, the drawdown made small',
    markets: [REAL.btc, REAL.sol],
    study: {
      period: { from: Date.parse('2022-10-15'), to: Date.parse('2022-12-20') },
      walkForward: { trainMs: 20 * DAY, testMs: 9 * DAY, embargoMs: DAY, anchored: false },
      objective: {
        direction: 'minimize',
        metric: 'maxDrawdownPercent',
        across: 'worst',
        folds: 'median',
        where: [{ metric: 'netProfit', bounds: { min: 0 } }],
      },
    },
  },
]

describe.each(share({ usual: byTurn(CASES), long: CASES }))('$title', ({ markets, study: changes }) => {
  const candles = markets.map(realCandles)
  const found = candles.filter((one) => one !== undefined)
  const isHere = found.length === candles.length

  it.skipIf(!isHere)('is what loops over the reference engine find', async () => {
    const study = foldedStudy({ ...changes, markets: markets.map(({ baseAsset }) => marketOf(baseAsset)) })
    const configs = configsOf(study)
    const plain = plainWalkForward(
      study,
      found.map((one) => ({ candles: one, symbol: NO_SYMBOL_RULES })),
      configs,
    )
    const { folds, ...together } = await look(study, screened(study, found))
    expect(plain.length).toBeGreaterThanOrEqual(3)
    expect(plain.filter(({ chosen }) => chosen !== null).length).toBeGreaterThanOrEqual(2)
    expect(folds.map(({ train, test }) => [train.from, train.to, test.from, test.to])).toEqual(
      plain.map(({ train, test }) => [...train, ...test]),
    )
    for (const [at, fold] of folds.entries()) {
      const { chosen } = plain[at]
      expect(fold.kind).toBe(chosen === null ? 'none' : 'chosen')
      if (fold.kind === 'none' || chosen === null) continue
      expect(fold.fingerprint).toBe(chosen.fingerprint)
      expect(configs).toContainEqual(fold.config)
      expect(numbersOf(fold).map(rounded)).toEqual(
        [chosen.trainValue, chosen.testValue, chosen.testNetProfit, chosen.percentile, ...chosen.markets].map(rounded),
      )
    }
    const chosen = plain.flatMap((fold) => (fold.chosen === null ? [] : [fold.chosen]))
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const middle = (values: readonly number[]) => {
      const sorted = values.toSorted((a, b) => a - b)
      return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2
    }
    const values = chosen.map(({ testValue }) => testValue ?? Number.NaN)
    expect(rounded(together.meanPercentile)).toBe(
      rounded(mean(chosen.map(({ percentile }) => percentile ?? Number.NaN))),
    )
    expect(rounded(together.testValue)).toBe(
      rounded(study.objective.folds === 'median' ? middle(values) : mean(values)),
    )
    expect(rounded(together.testNetProfit)).toBe(
      rounded(chosen.reduce((sum, { testNetProfit }) => sum + (testNetProfit ?? Number.NaN), 0)),
    )
    const worst = plain[together.worstFold ?? -1].chosen?.testValue ?? null
    expect(rounded(worst)).toBe(
      rounded(study.objective.direction === 'maximize' ? Math.min(...values) : Math.max(...values)),
    )
  })
})

function numbersOf({ trainValue, testValue, testNetProfit, percentile, markets }: ChosenFold) {
  return [trainValue, testValue, testNetProfit, percentile, ...markets.map((on) => on.testNetProfit)]
}

/** The engines add money in another order, which is known to change its last bits. */
function rounded(value: number | null): string | null {
  return value === null ? null : (value + 0).toFixed(7)
}
