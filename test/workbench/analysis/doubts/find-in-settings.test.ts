/** What a study says of costs and conventions against what its results state: both values, and unknown where nothing is stated. */
import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../../../src/engine/conventions.ts'
import { compareSettings } from '../../../../src/workbench/analysis/doubts/find-in-settings.ts'
import { askedSettings, type StatedSettings } from '../../../../src/workbench/study/settings.ts'
import { type Data, exampleStudy, parseData } from '../../study/example.ts'

const grid = { takeProfit: [1, 2] }
const asked = (more: { readonly [key: string]: Data } = {}) => askedSettings(parseData(exampleStudy(grid, more)))
const stated = (changes: Partial<StatedSettings> = {}): StatedSettings => ({
  costs: DEFAULT_COSTS,
  conventions: CONVENTION_PRESETS.default,
  ...changes,
})
const silent: StatedSettings = { costs: null, conventions: null }

describe('a study’s settings and those of its results', () => {
  it('that agree leave nothing to say', () => {
    const same = { costs: { ...DEFAULT_COSTS }, conventions: 'default' }
    expect(compareSettings(asked(same), { results: [stated()], service: stated() })).toEqual([])
  })

  it('that differ are named with both values, however many results state which', () => {
    const settings = asked({ costs: { feePercent: 0.5 }, conventions: { preset: 'three-commas', safetyOrderSize: 15 } })
    const half = stated({ costs: { feePercent: 0.5, slippagePercent: 0 } })
    const doubts = compareSettings(settings, { results: [stated(), stated(), half], service: stated() })
    expect(doubts).toMatchObject([
      {
        code: 'costsDiffer',
        path: 'costs',
        isUnknown: false,
        message: 'the study says feePercent 0.5; 2 of 3 results: feePercent 0.1; the service: feePercent 0.1',
      },
      {
        code: 'conventionsDiffer',
        path: 'conventions',
        isUnknown: false,
        message: expect.stringMatching(
          /^the study says safetyOrderSizing explicit, .*safetyOrderSize 15; all 3 results: safetyOrderSizing scaled-from-base, .*safetyOrderSize none; the service: /,
        ),
      },
    ])
  })

  it('that nobody states are unknown, which is said of a study that has the block', () => {
    const [doubt, ...rest] = compareSettings(asked({ costs: { ...DEFAULT_COSTS } }), {
      results: [silent],
      service: silent,
    })
    expect(rest).toEqual([])
    expect(doubt).toMatchObject({
      code: 'costsDiffer',
      isUnknown: true,
      message:
        'the study says feePercent 0.1, slippagePercent 0; the result: unknown: not stated; the service: unknown until a result states it',
    })
    expect(compareSettings(asked(), { results: [silent], service: silent })).toEqual([])
  })

  it('are compared where a service states a part of its conventions, in words of its own beside ours', () => {
    const results = [stated({ conventions: { takeProfitBasis: 'net', colour: 'blue' } })]
    expect(compareSettings(asked({ conventions: 'default' }), { results })).toMatchObject([
      { message: 'the study says takeProfitBasis gross; the result: takeProfitBasis net' },
    ])
  })
})
