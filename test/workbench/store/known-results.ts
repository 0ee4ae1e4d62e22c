/** A small store whose answers are known: two studies on two markets, one of them in two revisions, every result told in full. */
import type { DealBody } from '../../../src/contract/bodies.ts'
import type { Market } from '../../../src/contract/market.ts'
import { METRICS, type MetricName } from '../../../src/contract/metrics.ts'
import type { ResultReading } from '../../../src/contract/result-reading.ts'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { type Rerun, startStudyRun } from '../../../src/workbench/store/studies.ts'
import { studyFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { planTrials } from '../../../src/workbench/study/parse.ts'
import type { Axis, Study, Trial } from '../../../src/workbench/study/study.ts'
import { metricsWith } from '../../support/metrics.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { identity, observation, openTemporary, start } from './setup.ts'

const day = 86_400_000
const period = { from: Date.UTC(2024, 0, 30), to: Date.UTC(2024, 1, 3) }
export const BTC: Market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
export const ETH: Market = { ...BTC, baseAsset: 'ETH' }

/** Take profits 1, 2 and 3 with safety orders 1 and 2; the second revision asks for a take profit of 4 instead of 1. */
export const AXES: readonly Axis[] = [
  { field: 'takeProfit', values: [1, 2, 3] },
  { field: 'dcaMaxSafetyOrders', values: [2, 1] },
]
export const LATER_AXES: readonly Axis[] = [{ field: 'takeProfit', values: [2, 3, 4] }, AXES[1]]

export function knownStudy(
  name: string,
  market: Market | readonly [Market, Market],
  axes: readonly Axis[],
  span = period,
): Study {
  const study = plainStudy({
    name,
    markets: 'exchange' in market ? [market] : market,
    period: span,
    axes,
    base: { ...STUDY_BASE, leverage: 1, dcaPriceScalePercent: 1 },
    source: `name: ${name}\n`,
  })
  return { ...study, fingerprint: studyFingerprint(study) }
}

export const LADDER = knownStudy('ladder', BTC, AXES)
export const LATER_LADDER = knownStudy('ladder', BTC, LATER_AXES)
export const ETHER = knownStudy('ether', ETH, AXES)

/** Runs three revisions to their end. */
export async function openKnown(): Promise<Store> {
  const { store } = openTemporary()
  for (const study of [LADDER, LATER_LADDER, ETHER]) await runToTheEnd(store, study)
  return store
}

/** Where a study is run; `less`: how much lower each of its profits is there. */
export interface Place {
  readonly identity: string
  readonly simulated: boolean
  readonly less: number
}

const HERE: Place = { identity, simulated: true, less: 0 }

/** A run of a study that pays for what has no result yet; of `most` trials. */
export async function runToTheEnd(
  store: Store,
  study: Study,
  {
    on = HERE,
    most = Number.POSITIVE_INFINITY,
    rerun = null,
  }: { on?: Place; most?: number; rerun?: Rerun | null } = {},
): Promise<void> {
  const service = { identity: on.identity, simulated: on.simulated, origin: 'http://127.0.0.1' }
  const { trials } = planTrials(study)
  const costs = { feePercent: 0.1, slippagePercent: 0 }
  const settings = { interval: '1h', conventions: null, costs, symbol: null }
  const run = await startStudyRun(store, { study, trials, service, settingsOn: () => settings, rerun })
  const known = store.db
    .prepare<[string, string], number>('select 1 from job where fingerprint = ? and identity = ?')
    .pluck()
  const unpaid = trials.filter(({ fingerprint }) => known.get(fingerprint, on.identity) === undefined)
  for (const trial of unpaid.slice(0, most)) {
    await pay(store, { study, trial, on, settingsId: [...run.settings.values()][0].id, runId: run.id })
  }
}

let jobs = 0

interface Paid {
  readonly study: Study
  readonly trial: Trial
  readonly on: Place
  readonly settingsId: number | null
  readonly runId: number
}

async function pay(store: Store, { study, trial, on, settingsId, runId }: Paid): Promise<void> {
  const { fingerprint } = trial
  const now = store.clock.wall()
  const more = { study: study.name, fingerprint, now, settingsId, runId, admit: () => true }
  const attempt = await openAttempt(store, { identity: on.identity, account: '', ...more })
  if (attempt === 'full') throw new Error('The ledger is full')
  const remoteId = `job-${++jobs}`
  const result = resultOf(trial, on.less)
  const seen = observation(remoteId, { state: 'done', finishedAt: start + day, body: `{"id":"${remoteId}"}`, result })
  await settleAttempt(store, { attemptId: attempt.id, at: now, to: 'acked', observation: seen })
}

/** On BTC: equity grows by the take profit on the last of January, falls by 1 on the first of February, then grows again. ETH: nothing but falls. */
export function equityOf({ market, config: { takeProfit } }: Trial): readonly number[] {
  const steps = market.baseAsset === 'BTC' ? [takeProfit, 0, -1, 3 * takeProfit] : [-1, -1, -1, -takeProfit]
  let equity = STUDY_BASE.investment
  return steps.map((step) => {
    equity += step
    return equity
  })
}

function dealOf(opened: string, hours: number, profit: number): DealBody {
  const openedAt = `2024-01-${opened}:00.000Z`
  const cost = 100.1
  return {
    openedAt,
    closedAt: new Date(Date.parse(openedAt) + hours * 3_600_000).toISOString(),
    exit: profit < 0 ? 'stopLoss' : 'takeProfit',
    safetyOrders: 1,
    quantity: 1,
    cost,
    proceeds: cost + profit,
    profit,
    price: (cost + profit) / 0.999,
    lowestValue: Math.min(profit, 0),
  }
}

function resultOf(trial: Trial, less: number): ResultReading {
  const { market, period } = trial
  const equity = equityOf(trial).map((value, at, { length }) => (at === length - 1 ? value - less : value))
  const last = equity[equity.length - 1]
  const profit = last - STUDY_BASE.investment
  const told: Partial<Record<MetricName, number>> = {
    netProfit: profit,
    roiPercent: profit / 10,
    maxDrawdownPercent: market.baseAsset === 'BTC' ? 0.1 : 5,
    feesPaid: 0.4,
    closedDeals: 2,
    'usedCapital.average': 50,
    'usedCapital.max': 200,
  }
  return {
    metrics: {
      ...metricsWith((name) => told[name] ?? (METRICS[name].nullWhen === null ? 0 : null)),
      monthlyReturns: [
        { month: '2024-01', returnPercent: 100 * (equity[1] / STUDY_BASE.investment - 1) },
        { month: '2024-02', returnPercent: 100 * (last / equity[1] - 1) },
      ],
      dailyEquity: equity.map((value, at) => ({
        date: new Date(period.from + at * day).toISOString().slice(0, 10),
        equity: value,
      })),
    },
    flags: {},
    deals: [dealOf('30T05:00', 0, profit - 1), dealOf('31T05:00', 2, 1)],
    openDeal: null,
    candles: { interval: '1h', count: 96, missing: 2, hash: market.baseAsset.repeat(8), synthetic: false },
    conventions: null,
    costs: { feePercent: 0.1, slippagePercent: 0 },
    symbol: null,
    engineVersion: 'test-1',
  }
}
