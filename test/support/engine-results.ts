/** A study run and done, with results of the real engine: what the embedded service would have answered, without its hours. */

import { marketName } from '../../src/contract/market.ts'
import { backtest, ENGINE_VERSION } from '../../src/engine/backtest.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { System } from '../../src/system.ts'
import { openAttempt, settleAttempt } from '../../src/workbench/store/attempts.ts'
import type { Store } from '../../src/workbench/store/store.ts'
import { startStudyRun } from '../../src/workbench/store/studies.ts'
import { planTrials } from '../../src/workbench/study/parse.ts'
import type { Study } from '../../src/workbench/study/study.ts'

interface MarketCandles {
  readonly candles: Candles
  readonly interval: string
  /** SHA-256 hex. */
  readonly hash: string
}

const SPENDER = { identity: 'embedded:engine', account: 'researcher@localhost' }

/** Every trial of a study, computed here and stored as a job of a simulated service. */
export async function storeEngineResults(
  { store, system }: { readonly store: Store; readonly system: System },
  study: Study,
  candlesOf: (market: string) => MarketCandles,
): Promise<void> {
  const { trials } = planTrials(study)
  await startStudyRun(store, {
    study,
    trials,
    service: { identity: SPENDER.identity, simulated: true, origin: 'http://127.0.0.1' },
    settingsOn: null,
  })
  const { conventions, costs } = study
  const found = new Map(study.markets.map(marketName).map((market) => [market, candlesOf(market)]))
  for (const [index, { fingerprint, market, config }] of trials.entries()) {
    const held = found.get(marketName(market))
    if (held === undefined) throw new Error(`a trial on ${marketName(market)}, no market of its study`)
    const { candles, interval, hash } = held
    const now = system.clock.wall() + index
    const attempt = await openAttempt(store, {
      ...SPENDER,
      study: study.name,
      fingerprint,
      now,
      settingsId: null,
      runId: null,
      admit: () => true,
    })
    if (attempt === 'full') throw new Error('the ledger was to admit everything')
    const { metrics, deals, openDeal } = backtest({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES })
    const iso = (ms: number) => new Date(ms).toISOString()
    await settleAttempt(store, {
      attemptId: attempt.id,
      at: now,
      to: 'acked',
      observation: {
        remoteId: `${study.name}-${index}`,
        name: attempt.name,
        state: 'done',
        remoteState: 'completed',
        finishedAt: now,
        failure: null,
        body: '{}',
        receivedAt: now,
        result: {
          metrics,
          flags: {},
          deals: deals.map((deal) => ({ ...deal, openedAt: iso(deal.openedAt), closedAt: iso(deal.closedAt) })),
          openDeal: openDeal === null ? null : { ...openDeal, openedAt: iso(openDeal.openedAt) },
          candles: { interval, count: candles.openTime.length, missing: 0, hash, synthetic: false },
          conventions: { ...conventions },
          costs: { ...costs },
          symbol: { ...NO_SYMBOL_RULES },
          engineVersion: ENGINE_VERSION,
        },
      },
    })
  }
}
