/** What a study says of costs and conventions against what its results state: both values, and unknown where nothing is stated. */
import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../../../src/engine/conventions.ts'
import { compareSettings } from '../../../../src/workbench/analysis/warnings/find-in-settings.ts'
import { askedSettings } from '../../../../src/workbench/study/parse.ts'
import type { StatedByResult } from '../../../../src/workbench/study/settings.ts'
import { type Data, exampleStudy, parseData } from '../../study/example.ts'

const grid = { takeProfit: [1, 2] }
const asked = (more: { readonly [key: string]: Data } = {}) => askedSettings(parseData(exampleStudy(grid, more)))
const stated = (changes: Partial<StatedByResult> = {}): StatedByResult => ({
  costs: DEFAULT_COSTS,
  conventions: CONVENTION_PRESETS.default,
  candles: { interval: '1m' },
  ...changes,
})
const service = { costs: DEFAULT_COSTS, conventions: CONVENTION_PRESETS.default, interval: '1m' }
const silent: StatedByResult = { costs: null, conventions: null, candles: null }
const silentService = { costs: null, conventions: null, interval: null }

describe('a study’s settings and those of its results', () => {
  it('that agree leave nothing to say', () => {
    const same = { costs: { ...DEFAULT_COSTS }, conventions: 'default' }
    expect(compareSettings(asked(same), { results: [stated()], service })).toEqual([])
  })

  it('that differ are named with both values, however many results state which', () => {
    const settings = asked({ costs: { feePercent: 0.5 }, conventions: { preset: 'three-commas', safetyOrderSize: 15 } })
    const half = stated({ costs: { feePercent: 0.5, slippagePercent: 0 } })
    const warnings = compareSettings(settings, { results: [stated(), stated(), half], service })
    expect(warnings).toMatchObject([
      {
        code: 'termsDiffer',
        path: 'costs',
        isUnknown: false,
        message: 'the study says feePercent 0.5; 2 of 3 results: feePercent 0.1; the service: feePercent 0.1',
      },
      {
        code: 'termsDiffer',
        path: 'conventions',
        isUnknown: false,
        message: expect.stringMatching(
          /^the study says safetyOrderSizing explicit, .*safetyOrderSize 15; all 3 results: safetyOrderSizing scaled-from-base, .*safetyOrderSize none; the service: /,
        ),
      },
    ])
  })

  it('that nobody states are unknown, which is said of a study that has the block', () => {
    const [warning, ...rest] = compareSettings(asked({ costs: { ...DEFAULT_COSTS } }), {
      results: [silent],
      service: silentService,
    })
    expect(rest).toEqual([])
    expect(warning).toMatchObject({
      code: 'termsDiffer',
      isUnknown: true,
      message:
        'the study says feePercent 0.1, slippagePercent 0; the result: unknown: not stated; the service: unknown until a result states it',
    })
    expect(compareSettings(asked(), { results: [silent], service: silentService })).toEqual([])
  })

  it('are compared where a service states a part of its conventions, in words of its own beside ours', () => {
    const results = [stated({ conventions: { takeProfitBasis: 'net', colour: 'blue' } })]
    expect(compareSettings(asked({ conventions: 'default' }), { results })).toMatchObject([
      { message: 'the study says takeProfitBasis gross; the result: takeProfitBasis net' },
    ])
  })
  it('of candles are compared where the study asks for an interval', () => {
    const results = [stated(), stated({ candles: { interval: '15m' } })]
    expect(
      compareSettings(asked({ interval: '1m' }), { results, service: { ...service, interval: '5m' } }),
    ).toMatchObject([
      {
        code: 'termsDiffer',
        path: 'interval',
        isUnknown: false,
        message: 'the study says interval 1m; 1 of 2 results: interval 15m; the service: interval 5m',
      },
    ])
    expect(compareSettings(asked(), { results, service })).toEqual([])
    expect(compareSettings(asked({ interval: '1m' }), { results: [silent] })).toMatchObject([
      { code: 'termsDiffer', isUnknown: true },
    ])
  })
})

it('results on candles longer than an hour are said to be, whatever was asked', () => {
  const of = (interval: string) => stated({ candles: { interval } })
  expect(compareSettings(asked(), { results: [of('1h'), of('of its own')] })).toEqual([])
  expect(compareSettings(asked({ interval: '4h' }), { results: [of('4h'), of('4h')] })).toMatchObject([
    {
      code: 'coarseCandles',
      path: 'interval',
      message: 'all 2 results: 4h candles: the fill order inside them is unknown; import minutes',
    },
  ])
})
