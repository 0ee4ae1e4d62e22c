/** Numbers of a result that contradict each other are named with both figures, and honest ones never. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DealBody } from '../../../../src/contract/bodies.ts'
import type { MetricsAsRead } from '../../../../src/contract/metrics.ts'
import { backtest } from '../../../../src/engine/backtest.ts'
import {
  findInconsistencies,
  findOtherRoiBase,
  type ResultNumbers,
} from '../../../../src/workbench/analysis/warnings/find-inconsistencies.ts'
import { warning } from '../../../../src/workbench/analysis/warnings/warnings.ts'
import { someInput } from '../../../engine/arbitraries.ts'
import { idleMetrics } from '../../../support/metrics.ts'

type Told = Partial<MetricsAsRead> & Partial<Pick<ResultNumbers, 'deals' | 'costs' | 'config'>>

function resultOf({ deals = null, costs = null, ...stated }: Told): ResultNumbers {
  const { config = { investment: 10_000, dcaInitialOrderSize: 100 }, ...metrics } = stated
  const unknown = { netProfit: null, realizedProfit: null, unrealizedProfit: null, roiPercent: null, feesPaid: null }
  return {
    config,
    metrics: { ...idleMetrics(), ...unknown, volume: null, closedDeals: null, winRatePercent: null, ...metrics },
    metricFlags: {},
    deals,
    costs,
  }
}

const messagesOf = (told: Told): string[] =>
  findInconsistencies(resultOf(told)).map((found) => warning('inconsistentNumbers', found).message)

const dealOf = (profit: number): DealBody => ({
  ...{ openedAt: '2025-01-01T00:00:00.000Z', closedAt: '2025-01-02T00:00:00.000Z', exit: 'takeProfit' },
  ...{ safetyOrders: 0, quantity: 1, cost: 1, proceeds: 1, price: 1, profit, lowestValue: null },
})

it.each<[string, Told, string]>([
  [
    'a profit that was cut at its first mark',
    { netProfit: 1, roiPercent: 18.53 },
    'net profit 1 is 18.53 % of 5.397; this job invests 10,000: one of the two is misread',
  ],
  [
    'a profit a thousandfold too large',
    { netProfit: 1_853_340, roiPercent: 18.53 },
    'net profit 1,853,340 is 18.53 % of 10,001,835; this job invests 10,000: one of the two is misread',
  ],
  [
    'an ROI that was read as a fraction of a percent',
    { netProfit: 1853.34, roiPercent: 0.1853 },
    'net profit 1853 is 0.1853 % of 1,000,183; this job invests 10,000: one of the two is misread',
  ],
  [
    'a profit without a return',
    { netProfit: 1853.34, roiPercent: 0 },
    'net profit 1853 with an ROI of 0 %; this job invests 10,000: one of the two is misread',
  ],
  [
    'a loss with a return',
    { netProfit: -120, roiPercent: 1.25 },
    'net profit −120 with an ROI of 1.25 %; this job invests 10,000: one of the two is misread',
  ],
  [
    'deals that do not make the profit',
    { realizedProfit: 1853.34, closedDeals: 2, deals: [dealOf(1), dealOf(0.85)] },
    'its 2 deals sum to 1.85, realized profit is 1853: one of the two is misread',
  ],
  [
    'fees beyond all exchanges',
    { feesPaid: 150, volume: 1000 },
    'fees of 150 are more than 1 % of the volume 1000: one of the two is misread',
  ],
  [
    'parts that do not add up',
    { realizedProfit: 5, unrealizedProfit: -2, netProfit: 3000 },
    'realized 5 and unrealized −2 do not make net profit 3000: one of the three is misread',
  ],
  [
    'a win rate read as a fraction of a percent',
    { winRatePercent: 0.585, closedDeals: 41 },
    'a win rate of 0.585 % is no whole number of 41 deals: one of the two is misread',
  ],
])('%s is named with both figures', (_what, told, message) => {
  expect(messagesOf(told)).toEqual([message])
})

it.each<[string, Told]>([
  ['rounded to cents and hundredths', { netProfit: 1853.34, roiPercent: 18.53 }],
  ['of the capital that was used', { netProfit: 12, roiPercent: 20 }],
  ['tiny, and rounded away', { netProfit: 0.2, roiPercent: 0 }],
  ['a loss', { netProfit: -120, roiPercent: -1.2 }],
  ['deals rounded one by one', { realizedProfit: 10.013, closedDeals: 2, deals: [dealOf(5), dealOf(5)] }],
  ['a page of deals only', { realizedProfit: 100, closedDeals: 40, deals: [dealOf(5)] }],
  ['a fee of 2 % that the result states', { feesPaid: 20, volume: 1000, costs: { feePercent: 2, slippagePercent: 0 } }],
  ['a win rate of one digit', { winRatePercent: 58.5, closedDeals: 41 }],
  ['a win rate that was cut', { winRatePercent: 66.6, closedDeals: 3 }],
  ['no deal at all', { winRatePercent: 0, closedDeals: 0 }],
  ['nothing that is known', {}],
])('%s is no contradiction', (_what, told) => {
  expect(messagesOf(told)).toEqual([])
})

it('no result of our own engine contradicts itself', () => {
  fc.assert(
    fc.property(someInput, (input) => {
      const { metrics, deals } = backtest(input)
      const { config, costs } = input
      expect(findInconsistencies({ config, metrics, metricFlags: {}, deals, costs })).toEqual([])
    }),
    { numRuns: 300 },
  )
})

it('an ROI of something else than that of the other jobs is named, of 5 jobs or more that agree', () => {
  const own = resultOf({ netProfit: 12.34, roiPercent: 1.234 })
  const ofBase = (base: number) => resultOf({ netProfit: Number((base * 123.4).toFixed(2)), roiPercent: 1.234 })
  const others = [1, 1.01, 0.98, 1].map(ofBase)
  const found = findOtherRoiBase(own, others)
  expect(found === null ? null : warning('inconsistentNumbers', found)).toMatchObject({
    message:
      'net profit 12.34 is 1.234 % of 1000; of 4 other jobs it would be of about 10,000: one of the two is misread',
  })
  expect(findOtherRoiBase(own, others.slice(1))).toBeNull()
  expect(findOtherRoiBase(own, [0.1, 0.4, 1, 0.7, 0.2].map(ofBase))).toBeNull()
  expect(findOtherRoiBase(resultOf({ netProfit: 123.4, roiPercent: 1.234 }), others)).toBeNull()
})
