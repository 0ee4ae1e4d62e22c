/** What is held out is cut off where a study is read: its period is what may be measured on. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planTrials } from '../../../src/workbench/study/parse.ts'
import { exampleStudy, parseData } from './example.ts'

const day = 86_400_000
const at = (text: string) => Date.parse(text)
const period = { from: '2025-01-01', to: '2025-04-11' } // 100 days
const grid = { takeProfit: [1, 2] }

function spansWith(validate?: { readonly [key: string]: string }) {
  const study = parseData(exampleStudy(grid, { period, ...(validate === undefined ? {} : { validate }) }))
  return { period: study.period, holdout: study.holdout }
}

it.each([
  [{ holdout: '25%' }, '2025-03-17', '2025-03-17'],
  [{ holdout: '25.3%' }, '2025-03-16', '2025-03-16'],
  [{ holdout: '30d' }, '2025-03-12', '2025-03-12'],
  [{ holdout: '2025-04-01' }, '2025-04-01', '2025-04-01'],
  [{ holdout: '2025-04-01T06:30:00Z' }, '2025-04-01T06:30:00Z', '2025-04-01T06:30:00Z'],
  [{ holdout: '25%', embargo: '3d' }, '2025-03-14', '2025-03-17'],
])('%o is cut off', (validate, trainTo, holdoutFrom) => {
  expect(spansWith(validate)).toEqual({
    period: { from: at(period.from), to: at(trainTo) },
    holdout: { from: at(holdoutFrom), to: at(period.to) },
  })
})

it('without a hold-out, everything may be measured on', () => {
  const whole = { period: { from: at(period.from), to: at(period.to) }, holdout: null }
  expect(spansWith()).toEqual(whole)
  expect(spansWith({ embargo: '3d' })).toEqual(whole)
})

it('no trial of a study reaches into what is held out, whatever its share', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 95 }), fc.integer({ min: 0, max: 3 }), (share, embargo) => {
      const validate = { holdout: `${share}%`, embargo: `${embargo}d` }
      const study = parseData(exampleStudy(grid, { period, validate }))
      const start = study.holdout?.from ?? Number.NaN
      expect(start % day).toBe(0)
      expect(start).toBeLessThanOrEqual(at(period.to) - share * day)
      for (const trial of planTrials(study).trials) expect(trial.period.to).toBe(start - embargo * day)
    }),
    { numRuns: 60 },
  )
})

it('every configuration is a trial on every market, and one market is a study as it always was', () => {
  const [btc, eth] = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
  const one = parseData(exampleStudy(grid, { market: btc }))
  const { market: _, ...rest } = exampleStudy(grid) as { market: unknown }
  expect(parseData({ ...rest, markets: [btc] }).fingerprint).toBe(one.fingerprint)
  const both = parseData({ ...rest, markets: [eth, btc] })
  expect(parseData({ ...rest, markets: [btc, eth] }).fingerprint).toBe(both.fingerprint)
  const { configs, trials } = planTrials(both)
  expect(configs).toBe(2)
  expect(trials.map(({ market, config }) => [market.baseAsset, config.takeProfit])).toEqual([
    ['ETH', 1],
    ['BTC', 1],
    ['ETH', 2],
    ['BTC', 2],
  ])
  expect(planTrials(one).trials).toEqual(trials.filter(({ market }) => market.baseAsset === 'BTC'))
})
