/** What a reader may change of a trial, what is said of the change, and how it is taken to the terminal. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_FIELDS, findBoundProblem } from '../../../src/contract/bot.ts'
import type { MetricName } from '../../../src/contract/metrics.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { shownDifference } from '../../../src/workbench/report/format.ts'
import { backtestFile, triedStudy } from '../../../src/workbench/report/model/backtest-file.ts'
import { monthsOfDays } from '../../../src/workbench/report/model/equity-panels.ts'
import { stepTo } from '../../../src/workbench/report/model/filter.ts'
import { compareHere, computedFrom } from '../../../src/workbench/report/model/local-gate.ts'
import {
  beyondSlider,
  changeOf,
  findConfigProblems,
  readTyped,
  sliderRange,
} from '../../../src/workbench/report/model/what-if.ts'
import { parseConfigFile } from '../../../src/workbench/study/config-file.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { someConfig, someInput } from '../../engine/arbitraries.ts'
import { PLAIN_CONFIG } from '../../engine/inputs.ts'

const terms = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol: NO_SYMBOL_RULES }
const tableOf = (values: readonly number[]) => ({ values: () => Float64Array.from(values) })

describe('a slider', () => {
  it('goes half as far again as the study, in steps a hand can mean', () => {
    expect(sliderRange(tableOf([0.8, 1.5, 3]), 'takeProfit', 3)).toEqual({ min: 0.02, max: 4.1, step: 0.02 })
    expect(sliderRange(tableOf([4, 6, 8]), 'dcaMaxSafetyOrders', 6)).toEqual({ min: 2, max: 10, step: 1 })
    expect(sliderRange(tableOf([0, 0]), 'stopLoss', 0)).toEqual({ min: 0, max: 50, step: 0.5 })
    expect(sliderRange(tableOf([1, 1]), 'leverage', 1)).toBeNull()
  })

  it('reaches the value of every trial and never one that is refused', () => {
    fc.assert(
      fc.property(fc.array(someConfig, { minLength: 1, maxLength: 8 }), (configs) => {
        for (const field of CONFIG_FIELDS) {
          const values = configs.map((config) => config[field])
          const range = sliderRange(tableOf(values), field, values[0])
          if (range === null) continue
          expect(range.min).toBeLessThanOrEqual(Math.min(...values))
          expect(range.max).toBeGreaterThanOrEqual(Math.max(...values))
          expect(findBoundProblem(field, range.min)).toBeUndefined()
          expect(findBoundProblem(field, range.max)).toBeUndefined()
        }
      }),
    )
  })
})

describe('a typed number', () => {
  it('may have a decimal comma', () => {
    for (const [typed, value] of [
      ['2,5', 2.5],
      ['2.5', 2.5],
      ['2,', 2],
      ['0,500', 0.5],
      ['−3', -3],
      ['1500', 1500],
    ] as const) {
      expect([typed, readTyped(typed).value]).toEqual([typed, value])
    }
  })

  it('is refused with a word where it can be read in two ways or in none', () => {
    expect(readTyped('1,500').problem).toBe('1,500 is ambiguous: 1500 or 1.500?')
    expect(readTyped('1,5,2').problem).toBe('expected a number, found 1,5,2')
    expect(readTyped('').problem).toBe('expected a number, found nothing')
  })

  it('beyond the slider is said to be', () => {
    const range = { min: 0.02, max: 4.1, step: 0.02 }
    expect(beyondSlider(range, 25)).toBe('25 is far from what the study tried: the slider goes from 0.02 to 4.1')
    expect([beyondSlider(range, 4.1), beyondSlider(range, Number.NaN)]).toEqual(['', ''])
  })
})

describe('a change', () => {
  it('is refused with the sentence of the bound it breaks', () => {
    const { refused, warnings } = findConfigProblems({ ...PLAIN_CONFIG, takeProfit: 0, dcaMaxSafetyOrders: 2.5 }, terms)
    expect([...refused]).toEqual([
      ['dcaMaxSafetyOrders', 'expected a whole number, found 2.5'],
      ['takeProfit', 'expected more than 0, found 0'],
    ])
    expect(warnings).toEqual([])
  })

  it('that can be run is warned of in the words that a study file would be', () => {
    const { refused, warnings } = findConfigProblems({ ...PLAIN_CONFIG, dcaInitialOrderSize: 2000 }, terms)
    expect(refused.size).toBe(0)
    expect(warnings).toEqual([
      'not even the base order with its fee fits dcaTotalBudget and investment; the bot never trades',
    ])
  })

  it('is only what differs from the trial', () => {
    expect(changeOf(PLAIN_CONFIG, { ...PLAIN_CONFIG, takeProfit: 2 })).toEqual({ takeProfit: 2 })
    expect(changeOf(PLAIN_CONFIG, { ...PLAIN_CONFIG })).toEqual({})
  })

  it('is read by dcalab backtest from the file shown, to the bit: config, conventions, costs, rules and period', () => {
    fc.assert(
      fc.property(someInput, ({ config, conventions, costs, symbol }) => {
        const period = { from: Date.parse('2025-05-20'), to: Date.parse('2025-08-18T00:01:00Z') }
        const on = {
          market: 'binance/1000-USDT',
          period,
          candles: { kind: 'full', block: '', interval: '1h', hash: '', missing: 0 } as const,
        }
        const file = backtestFile(config, on, { conventions, costs, symbol })
        expect(parseConfigFile(file, { file: 'config.yaml' })).toEqual({
          config,
          conventions,
          costs,
          symbol,
          period,
          interval: '1h',
          market: 'binance/1000-USDT',
        })
      }),
    )
  })
})

it('what was tried by hand becomes a study of its combinations, which says how many were', () => {
  const stored = { ...PLAIN_CONFIG, dcaMaxSafetyOrders: 3, takeProfit: 1, dcaVolumeScale: 1.2 }
  const kept = [
    { ...stored, takeProfit: 2.5 },
    { ...stored, takeProfit: 2.5, dcaVolumeScale: 1.4 },
  ]
  const where = [{ metric: 'maxDrawdownPercent', bounds: { max: 25 } }] as const
  const section = {
    study: 'eth-2025@3',
    market: 'binance/1000-USDT',
    period: { from: Date.parse('2025-05-20'), to: Date.parse('2025-08-18T00:01:00Z') },
    objective: { direction: 'maximize', metric: 'netProfit', where } as const,
    candles: { kind: 'absent', reason: '' } as const,
  }
  const { name, text, backtests } = triedStudy({ stored, kept, tried: 17 }, section, terms)
  const study = parseStudy(text, { file: `${name}.yaml` })
  expect([study.name, study.tried, backtests]).toEqual(['eth-2025-tried', 17, 4])
  expect(study).toMatchObject({
    markets: [{ exchange: 'binance', baseAsset: '1000', quoteAsset: 'USDT' }],
    period: section.period,
    objective: section.objective,
    costs: terms.costs,
    conventions: terms.conventions,
    axes: [
      { field: 'dcaVolumeScale', values: [1.2, 1.4] },
      { field: 'takeProfit', values: [1, 2.5] },
    ],
  })
  expect(planTrials(study).trials.map(({ config }) => config)).toContainEqual(kept[1])
})

const plain = (text: string) => text.replace(/\u00a0/g, ' ')

describe('the twin gate', () => {
  const of = { quote: { asset: 'USDT', decimals: 2 }, investment: 1000 }
  const stored = { netProfit: 222.69654896352426, closedDeals: 41 }

  it('opens for the last bits of a sum, and for nothing more', () => {
    const exact = compareHere(stored, { netProfit: 222.69654896352526, closedDeals: 41, volume: 20_000 }, of)
    expect(exact.isExact).toBe(true)
    expect(plain(exact.words)).toBe('Recomputed here: +222.70 USDT = +222.70 USDT (exact to 1e-9 of the turnover).')
    expect(compareHere(stored, { netProfit: 222.6966, closedDeals: 41, volume: 20_000 }, of).isExact).toBe(false)
  })

  it('says how far apart the two are, however little it is', () => {
    const apart = compareHere(stored, { netProfit: 199.5, closedDeals: 40, volume: 20_000 }, of)
    expect(plain(apart.words)).toBe(
      'Recomputed here: +199.50 USDT, stored: +222.70 USDT. 23.20 USDT less here (2.32 % of the investment); 40 closed deals here, 41 stored.',
    )
    expect(compareHere(stored, { ...stored, netProfit: stored.netProfit + 0.00041, volume: 1 }, of).words).toContain(
      '0.00041\u00a0USDT more here',
    )
    expect(compareHere({ ...stored, netProfit: null }, { ...stored, volume: 1 }, of).isExact).toBe(false)
  })

  it('names the terms and the candles', () => {
    const candles = { kind: 'full', block: '', interval: '1m', hash: 'aabbccddeeff00', missing: 0 } as const
    expect(computedFrom({ ...terms, from: 'study', candlesHash: '112233445566' }, candles)).toBe(
      'It was computed by the conventions and costs of the study, because the result states none, on 1m candles aabbccddeeff; the service used others (112233445566).',
    )
    expect(computedFrom({ ...terms, from: 'result', candlesHash: 'aabbccddeeff00' }, candles)).toContain(
      'on the same 1m candles',
    )
  })
})

it('the next trial is the next one that is selected', () => {
  const mask = Uint8Array.from([1, 0, 0, 1, 1])
  expect([stepTo({ mask }, 0, 1), stepTo({ mask }, 3, -1), stepTo({ mask }, 4, 1), stepTo({ mask }, 0, -1)]).toEqual([
    3,
    0,
    null,
    null,
  ])
  expect(stepTo({ mask }, 1, 1)).toBe(3)
})

it('months are those of stored days, the longest bar for the largest', () => {
  const days = { firstDay: Date.parse('2025-05-30') / 86_400_000, values: [1000, 1010, 1010, 989.8] }
  expect(monthsOfDays(days, 1000)).toEqual([
    { month: '2025-05', returnPercent: expect.closeTo(1, 9), share: expect.closeTo(0.5, 9) },
    { month: '2025-06', returnPercent: expect.closeTo(-2, 9), share: 1 },
  ])
  expect(monthsOfDays({ firstDay: 0, values: [] }, 1000)).toEqual([])
})

it('a difference is that of the numbers beside it', () => {
  const quote = { asset: 'USDT', decimals: 2 }
  const difference = (name: MetricName, before: number | null, after: number | null) =>
    shownDifference(name, [before, after], quote)
  expect(difference('netProfit', 12.305, 12.104)).toBe('−0.21') // 12.31 and 12.10
  expect(difference('maxDrawdownPercent', 12.0049, 12.0051)).toBe('+0.01')
  expect(difference('closedDeals', 41, 73)).toBe('+32')
  expect(difference('dealDuration.max', 4530, 4530.2)).toBe('the same')
  expect(difference('dealDuration.max', 4530, 4465)).toBe('−1 h 5 min')
  expect(difference('netProfit', null, 1)).toBe('–')
})

it('of several changes the one that was made last stands last', () => {
  const stored = { ...PLAIN_CONFIG, takeProfit: 1, dcaVolumeScale: 1.2 }
  const change = changeOf(stored, { ...stored, takeProfit: 2, stopLoss: 5 }, 'takeProfit')
  expect(Object.entries(change)).toEqual([
    ['stopLoss', 5],
    ['takeProfit', 2],
  ])
})
