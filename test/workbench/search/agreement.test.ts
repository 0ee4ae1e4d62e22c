import { describe, expect, it } from 'vitest'
import type { Confirmed } from '../../../src/workbench/search/confirmed.ts'
import { isEnough, testAgreement } from '../../../src/workbench/search/screen-state.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { exampleConfig } from '../study/example.ts'

const maximize = { direction: 'maximize', where: [] } as const
const bounded: Pick<Objective, 'direction' | 'where'> = {
  direction: 'maximize',
  where: [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }],
}

/** On one market with an investment of 1,000; the objective is net profit. `service: null` = failed. */
function confirmed(
  name: string,
  {
    local,
    service,
    bounds = [true, true],
  }: { local: number; service: number | null; bounds?: readonly [boolean, boolean] },
): Confirmed {
  return {
    fingerprint: name,
    name,
    config: exampleConfig,
    value: service,
    isInside: service !== null && bounds[1],
    localValue: local,
    pairs: [
      {
        investment: 1000,
        local: { market: 'binance/BTC-USDT', netProfit: local, value: local, isInside: bounds[0] },
        service: service === null ? null : { netProfit: service, isInside: bounds[1] },
      },
    ],
  }
}

const same = (name: string, value: number) => confirmed(name, { local: value, service: value })
const chosen = [same('c1', 30), same('c2', 20), same('c3', 10)]
const samples = [same('s1', 5), same('s2', 12), same('s3', -8), same('s4', 40)]

describe('the medians', () => {
  it('passes when the chosen are at least as good as the samples', () => {
    expect(testAgreement({ chosen, samples }, maximize)).toMatchObject({ median: 20, samples: 8.5, failed: [] })
    const equal = [same('c1', 8.5)]
    expect(testAgreement({ chosen: equal, samples }, maximize)).toMatchObject({ failed: [], passed: true })
    expect(testAgreement({ chosen: [same('c1', 8.4)], samples }, maximize).failed).toEqual(['median'])
  })

  it('less is better where the objective is minimized', () => {
    const objective = { direction: 'minimize', where: [] } as const
    expect(testAgreement({ chosen, samples }, objective).failed).toEqual(['median'])
    expect(testAgreement({ chosen: samples, samples: chosen }, objective).failed).toEqual([])
  })

  it('a failed trial counts as worst in the direction of the objective', () => {
    const failed = confirmed('c9', { local: 3, service: null })
    for (const direction of ['maximize', 'minimize'] as const) {
      const objective = { direction, where: [] }
      expect(testAgreement({ chosen: [same('c1', 3), failed], samples: [] }, objective).median).toBeNull()
      expect(testAgreement({ chosen: [same('c1', 3), same('c2', 4), failed], samples: [] }, objective).median).toBe(
        direction === 'maximize' ? 3 : 4,
      )
      expect(testAgreement({ chosen: [failed], samples: [failed] }, objective).failed).toContain('median')
      expect(testAgreement({ chosen: [same('c1', 3)], samples: [failed] }, objective).failed).not.toContain('median')
    }
  })
})

describe('the signs', () => {
  it('pass at 80 % of the pairs with a clear profit of the twin, and not below', () => {
    const alike = Array.from({ length: 8 }, (_, at) => same(`c${at}`, 10))
    const unlike = ['u1', 'u2'].map((name) => confirmed(name, { local: 10, service: -10 }))
    const at80 = testAgreement({ chosen: [...alike, ...unlike], samples: [] }, maximize)
    expect(at80).toMatchObject({ signs: 0.8, signPairs: 10, failed: [] })
    const below = testAgreement({ chosen: [...alike.slice(1), ...unlike], samples: [] }, maximize)
    expect(below.failed).toEqual(['signs'])
  })

  it('leave out what the twin makes of 0.2 % of the investment or less', () => {
    const tiny = confirmed('t1', { local: 2, service: -2 })
    expect(testAgreement({ chosen: [...chosen, tiny], samples: [] }, maximize)).toMatchObject({
      signs: 1,
      signPairs: 3,
    })
    const clear = confirmed('t1', { local: -2.01, service: 2 })
    expect(testAgreement({ chosen: [...chosen, clear], samples: [] }, maximize)).toMatchObject({
      signs: 0.75,
      signPairs: 4,
    })
  })

  it('fail where no profit is clear, and count a failed trial, none and 0 as another sign', () => {
    expect(testAgreement({ chosen: [same('c1', 1)], samples: [] }, maximize)).toMatchObject({
      signs: null,
      failed: ['profits'],
    })
    const others = [confirmed('a', { local: 9, service: null }), confirmed('b', { local: 9, service: 0 })]
    expect(testAgreement({ chosen: others, samples: [] }, maximize).signs).toBe(0)
  })

  it('count a configuration once that is a sample and among the chosen', () => {
    expect(testAgreement({ chosen, samples: [...samples, chosen[0]] }, maximize).signPairs).toBe(7)
  })
})

describe('the bounds', () => {
  it('pass without bounds, and where 80 % of the trials are alike', () => {
    expect(testAgreement({ chosen, samples }, maximize)).toMatchObject({ bounds: null, failed: [] })
    const broken = confirmed('c4', { local: 30, service: 30, bounds: [false, false] })
    const unlike = confirmed('c5', { local: 30, service: 30, bounds: [true, false] })
    expect(testAgreement({ chosen: [...chosen, broken, unlike], samples: [] }, bounded)).toMatchObject({
      bounds: 0.8,
      failed: [],
    })
    const fewer = testAgreement({ chosen: [...chosen, unlike], samples: [] }, bounded)
    expect(fewer).toMatchObject({ bounds: 0.75, failed: ['bounds'] })
  })

  it('a sample that breaks them is no better than the chosen, which meet them, however much it earns', () => {
    const broken = ['s8', 's9'].map((name) => confirmed(name, { local: 90, service: 90, bounds: [false, false] }))
    const found = testAgreement({ chosen, samples: [same('s1', 5), ...broken] }, bounded)
    expect(found).toMatchObject({ median: 20, samples: null, failed: [] })
  })

  it('a failed trial meets them unlike', () => {
    const failed = confirmed('c4', { local: 30, service: null })
    expect(testAgreement({ chosen: [...chosen, failed], samples: [] }, bounded).bounds).toBe(0.75)
  })
})

it('the rank correlation is over the samples that both have a value of, and decides nothing', () => {
  const turned = [
    confirmed('s1', { local: 10, service: 4 }),
    confirmed('s2', { local: 20, service: 3 }),
    confirmed('s3', { local: 30, service: 2 }),
    confirmed('s4', { local: 40, service: 2.5 }),
    confirmed('s5', { local: 50, service: null }),
  ]
  const agreement = testAgreement({ chosen, samples: turned }, maximize)
  expect(agreement).toMatchObject({ n: 4, rho: -0.8, reason: null, passed: true })
})

describe('the early stop', () => {
  it('comes after two batches, when the first of them holds the best that is inside the bounds', () => {
    const outside = confirmed('x', { local: 90, service: 90, bounds: [true, false] })
    expect(isEnough([chosen], maximize)).toBe(false)
    expect(isEnough([chosen, [same('d1', 29)]], maximize)).toBe(true)
    expect(isEnough([chosen, [same('d1', 31)]], maximize)).toBe(false)
    expect(isEnough([chosen, [outside]], maximize)).toBe(true)
    expect(isEnough([chosen, [same('d1', 29)], [same('e1', 28)]], maximize)).toBe(false)
  })

  it('does not come where nothing is ranked', () => {
    const failed = confirmed('f', { local: 1, service: null })
    expect(isEnough([[failed], [failed]], maximize)).toBe(false)
  })
})
