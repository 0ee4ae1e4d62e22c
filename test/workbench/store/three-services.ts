/** A store that a hasty sum would mix up: one study on two markets, in two revisions and a rerun, on three services, beside a study that uses its results. */
import { keepCosts, keepMarketDays } from '../../../src/workbench/store/observe-job.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { type Store, write } from '../../../src/workbench/store/store.ts'
import { beginVerdict } from '../../../src/workbench/store/verdicts.ts'
import { AXES, BTC, ETH, knownStudy, LATER_AXES, type Place, runToTheEnd } from './known-results.ts'
import { openTemporary } from './setup.ts'

/** Has most trials done, and is not the last. */
export const MOST: Place = { identity: 'https://bots.example#12340000', simulated: false, less: 0 }
export const SOME: Place = { identity: 'https://bots.example#12990000', simulated: false, less: 100 }
export const OWN: Place = { identity: 'embedded:0000-1111', simulated: true, less: 1000 }

/** A current revision has 12 trials: 3 take profits with 2 numbers of safety orders, on 2 markets. */
const FIRST = knownStudy('both', [BTC, ETH], AXES)
export const CURRENT = knownStudy('both', [BTC, ETH], LATER_AXES)
const LATER = { from: Date.UTC(2024, 1, 10), to: Date.UTC(2024, 1, 14) }
const RERUN = knownStudy('both', [BTC, ETH], LATER_AXES, LATER)
const USER = knownStudy('user', BTC, LATER_AXES)

export async function openThreeServices(): Promise<Store> {
  const { store } = openTemporary()
  await runToTheEnd(store, FIRST, { on: MOST })
  await runToTheEnd(store, CURRENT, { on: MOST })
  await runToTheEnd(store, USER, { on: MOST })
  await runToTheEnd(store, RERUN, { on: MOST, rerun: { of: CURRENT, replaced: { period: LATER } } })
  await runToTheEnd(store, CURRENT, { on: SOME, most: 5 })
  await runToTheEnd(store, CURRENT, { on: OWN, most: 7 })
  await keepDays(store)
  await keepOtherCosts(store)
  fail(store)
  const [trial] = listTrials(store, { study: 'both', identity: MOST.identity })
  const judged = { rules: 'verdict-1', grade: 'ahead', excess: { mean: 3, error: 1 } } as const
  await beginVerdict(store, { trial, study: 'both' })({ basis: [], verdict: judged, stretches: [] })
  await makeBot(store, trial.fingerprint)
  return store
}

/** January fell, February rose. */
async function keepDays(store: Store): Promise<void> {
  const days = [
    ['2024-01-30', 100, 90],
    ['2024-01-31', 90, 80],
    ['2024-02-01', 80, 88],
    ['2024-02-02', 88, 99],
  ] as const
  for (const market of ['binance/BTC-USDT', 'binance/ETH-USDT']) {
    const about = { market, candle_interval: '1h', candles_hash: market }
    const rows = days.map(([date, open, close]) => {
      return { ...about, date, open, close, high: Math.max(open, close), low: Math.min(open, close) }
    })
    await write(store, () => keepMarketDays(store.db, rows, () => true))
  }
}

/** Without fees each result earns 7 more, at 0.4 % it loses 100. */
async function keepOtherCosts(store: Store): Promise<void> {
  const paid = store.db
    .prepare<[], { identity: string; jobId: string; netProfit: number }>(
      'select identity, job_id as jobId, net_profit as netProfit from results',
    )
    .all()
  const rest = { slippagePercent: 0, netProfitPerUsedPercent: null, maxDrawdownPercent: 1, closedDeals: 1 }
  await write(store, () =>
    keepCosts(
      store.db,
      paid.map(({ identity, jobId, netProfit }) => ({
        ...{ identity, jobId },
        cells: [
          { ...rest, feePercent: 0, netProfit: netProfit + 7 },
          { ...rest, feePercent: 0.4, netProfit: -100 },
        ],
      })),
    ),
  )
}

/** A trial is rejected by the second service. */
function fail({ db }: Store): void {
  db.exec(`insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, study_run_id)
      select q.identity, '', 'both', m.fingerprint, 1, 'failed-' || m.position, 'intent', '2026-01-02T00:00:00.000Z', q.id
      from study_run q join study_trial m on m.study = q.study and m.study_fingerprint = q.study_fingerprint
      where q.identity = '${SOME.identity}' and m.position = 11;
    update attempt set state = 'rejected', settled_at = opened_at, counted_at = opened_at, reason = 'no data' where name = 'failed-11'`)
}

async function makeBot(store: Store, fingerprint: string): Promise<void> {
  const ledger = promotionLedger(store, {
    identity: MOST.identity,
    account: '',
    fingerprint,
    name: 'my-bot',
    planHash: 'h',
  })
  const { row } = await ledger.open(undefined)
  await ledger.settle({ id: row.id, to: 'created', botId: 'bot-1' })
  store.db.exec(`insert into drift_check (identity, bot_id, market, checked_at, span_from, span_to, candle_interval, candles_hash, engine_version,
      terms_source, conventions_json, fee_percent, slippage_percent, profit_bot, profit_backtest, gap, gap_price, gap_fee, gap_timing,
      gap_convention, gap_candles, gap_unexplained, drift, causes_json, sentence, alternatives_json, unknown_json)
    select '${MOST.identity}', 'bot-1', 'binance/BTC-USDT', '2026-01-0' || d || 'T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z',
      '1m', 'h', 'test-1', 'trial', '{}', 0.1, 0, 5, 6, -1, -0.5, -0.25, 0, 0, 0, -0.25, 'small', '["price"]', 's', '[]', '[]'
    from (select 3 as d union all select 4)`)
}
