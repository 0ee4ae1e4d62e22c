/** A screen as `dcalab screen --save` hands it over. */
import type { Metrics } from '../../../src/contract/metrics.ts'
import type { MarketScreen } from '../../../src/workbench/store/screen-record.ts'
import type { ScreenToSave } from '../../../src/workbench/store/screens.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'

const study = fixtureStudy()

type SomeTop = readonly { readonly fingerprint: string; readonly metrics: Metrics }[]

export function screenOf(top: SomeTop, complete = true): ScreenToSave {
  return { study, engineVersion: 'test-1', markets: [marketScreenOf(top, complete)] }
}

export function marketScreenOf(top: SomeTop, complete = true, market = 'binance/BTC-USDT'): MarketScreen {
  const [{ config }] = fixtureTrials()
  return {
    symbol: { tick: 0.01, lot: null, minNotional: null },
    report: {
      metric: 'netProfit',
      study: study.name,
      configs: 96,
      distinct: 90,
      candles: {
        market,
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
        ...trial,
      })),
      folded: 67,
      comparedOnly: null,
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
