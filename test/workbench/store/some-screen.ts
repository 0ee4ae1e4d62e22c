/** A screen as `dcalab screen --save` hands it over. */
import type { Metrics } from '../../../src/contract/metrics.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'

const study = fixtureStudy()

export function screenOf(top: readonly { fingerprint: string; metrics: Metrics }[], complete = true) {
  const [{ config }] = fixtureTrials()
  return {
    study,
    symbol: { tick: 0.01, lot: null, minNotional: null },
    engineVersion: 'test-1',
    report: {
      configs: 96,
      distinct: 90,
      candles: {
        market: 'binance/BTC-USDT',
        interval: '1m',
        from: '2021-04-21T00:00:00.000Z',
        to: '2021-05-19T00:00:00.000Z',
        count: 40_036,
        missing: 284,
        hash: 'a'.repeat(64),
        synthetic: false,
      },
      workers: 2,
      elapsedMs: 1650,
      complete,
      configYearsPerMinute: 1_000_000,
      top: top.map((trial, at) => ({
        rank: at + 1,
        config,
        behaviourHash: String(at).repeat(64),
        score: 12 - at,
        ...trial,
      })),
      folded: 67,
      comparedOnly: null,
      score: 'plateau' as const,
    },
    parameters: [
      {
        field: 'takeProfit',
        value: 1.5,
        trials: 16,
        profitable: 7,
        netProfit: { average: 1.25, best: 80 },
        objective: null,
      },
    ],
  }
}
