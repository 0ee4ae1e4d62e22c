/**
 * Made-up trials that look like real ones: 96 configurations over 28 days of a falling market. Deterministic on any machine.
 * The numbers agree with each other (profit, ROI, equity, drawdown), but no engine made them.
 */

import { createHash } from 'node:crypto'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import type { Metrics } from '../../src/contract/metrics.ts'
import { sampleSizeOf } from '../../src/contract/metrics.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../src/engine/conventions.ts'
import type { WholeTrial } from '../../src/workbench/store/records.ts'
import type { Axis, Study } from '../../src/workbench/study/study.ts'
import { idleMetrics } from './metrics.ts'
import { plainStudy } from './plain-study.ts'

const dayMs = 86_400_000
const from = Date.parse('2021-04-21T00:00:00Z')
export const FIXTURE_DAYS = 28
export const FIXTURE_IDENTITY = 'embedded:5f0c2b8e'
export const FIXTURE_HASH = 'c1d2e3f4a5b60718293a4b5c6d7e8f90112233445566778899aabbccddeeff00'
const investment = 1000

export const FIXTURE_AXES: readonly Axis[] = [
  { field: 'dcaMaxSafetyOrders', values: [2, 4, 6, 8] },
  { field: 'dcaPriceScalePercent', values: [0.5, 1, 1.5, 2] },
  { field: 'takeProfit', values: [0.5, 1, 1.5, 2, 2.5, 3] },
]

/** In this order, by which trials are named. */
const { leverage, stopLoss, ...others } = CONFIG_DEFAULTS
const base = {
  investment,
  leverage,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaVolumeScale: 1.3,
  dcaPriceStepMultiplier: 1.1,
  stopLoss,
  ...others,
}

export function fixtureStudy(changes: Partial<Study> = {}): Study {
  return plainStudy({
    name: 'btc-may-2021',
    fingerprint: sha256('btc-may-2021'),
    markets: [{ exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }],
    period: { from, to: from + FIXTURE_DAYS * dayMs },
    interval: '1m',
    base,
    axes: FIXTURE_AXES,
    where: [{ measure: 'ladderCost', bounds: { max: 1000 } }],
    objective: {
      direction: 'maximize',
      metric: 'netProfit',
      where: [
        { metric: 'maxDrawdownPercent', bounds: { max: 20 } },
        { metric: 'closedDeals', bounds: { min: 30 } },
      ],
    },
    source: 'name: btc-may-2021\n',
    ...changes,
  })
}

/** Every point of the study's axes, the last axis fastest. */
export function fixtureConfigs(axes: readonly Axis[] = FIXTURE_AXES): DcaSpotConfig[] {
  const grid = axes.reduce<Partial<DcaSpotConfig>[]>(
    (points, { field, values }) => points.flatMap((point) => values.map((value) => ({ ...point, [field]: value }))),
    [{}],
  )
  return grid.map((point) => ({ ...base, dcaMaxSafetyOrders: 4, dcaPriceScalePercent: 1, takeProfit: 1, ...point }))
}

/** A finished trial with every number in it. */
type FixtureTrial = WholeTrial & { readonly metrics: Metrics }

export function fixtureTrials(study: Study = fixtureStudy()): FixtureTrial[] {
  return fixtureConfigs(study.axes).map((config, index) => fixtureTrial(study, config, index))
}

export function fixtureTrial(study: Study, config: DcaSpotConfig, index: number): FixtureTrial {
  const submittedAt = Date.parse('2026-02-03T09:00:00Z') + index * 400
  return {
    fingerprint: sha256(JSON.stringify([study.period, config])),
    identity: FIXTURE_IDENTITY,
    simulated: true,
    settings: null,
    market: study.markets[0],
    period: study.period,
    config,
    state: 'done',
    jobId: `job-${index + 1}`,
    submittedAt: new Date(submittedAt).toISOString(),
    finishedAt: new Date(submittedAt + 900).toISOString(),
    failure: null,
    metrics: fixtureMetrics(study, config, index),
    metricFlags: {},
    deals: [],
    openDeal: null,
    engineVersion: null,
    prunedAt: null,
    revised: [],
    candles: { interval: '1m', count: 40_315, missing: 5, hash: FIXTURE_HASH, synthetic: false },
    conventions: { ...CONVENTION_PRESETS.default },
    costs: DEFAULT_COSTS,
    symbol: null,
  }
}

/** Closes of the made-up market at day ends, relative to its first open: flat, a slow slide, then a crash. */
export function fixturePrices(days = FIXTURE_DAYS): number[] {
  const random = seeded(7)
  let price = 1
  return Array.from({ length: days }, (_, day) => {
    const drift = day < days * 0.55 ? 0.003 : day < days * 0.9 ? -0.018 : -0.06
    price *= 1 + drift + 0.045 * (random() - 0.5)
    return price
  })
}

function fixtureMetrics(study: Study, config: DcaSpotConfig, index: number): Metrics {
  const random = seeded(index + 101)
  const days = Math.round((study.period.to - study.period.from) / dayMs)
  const prices = fixturePrices(days)
  const { dcaMaxSafetyOrders: orders, dcaPriceScalePercent: spacing, takeProfit } = config
  const deals = Math.max(3, Math.round((270 / (takeProfit + 0.3)) * (1 + 0.4 / spacing) * (0.85 + 0.3 * random())))
  const exposure = Math.min(0.95, (0.04 + 0.03 * orders ** 1.3) * (0.7 + takeProfit / 4) * (1.3 - spacing / 3.5))
  const perDay = (investment * 0.17 * Math.sqrt(exposure) * (0.82 + 0.36 * random())) / days
  const peaks = runningMax([1, ...prices])
  const equity = prices.map((price, day) => {
    const fall = Math.min(0, price / peaks[day + 1] - 1 + 0.015)
    return investment + perDay * (day + 1) + investment * exposure * fall
  })
  const realizedProfit = perDay * days
  const netProfit = equity[equity.length - 1] - investment
  const drawdown = 100 * deepestFall([investment, ...equity])
  const returns = equity.map((value, day) => value / (day === 0 ? investment : equity[day - 1]) - 1)
  const hold = prices[prices.length - 1] * 0.998 - 1
  return {
    ...idleMetrics(),
    realizedProfit,
    unrealizedProfit: netProfit - realizedProfit,
    netProfit,
    roiPercent: (100 * netProfit) / investment,
    roiOnMaxUsedPercent: (100 * netProfit) / (investment * exposure),
    maxDrawdownPercent: drawdown,
    maxDrawdownLowPercent: drawdown * 1.18,
    maxFloatingLoss: -drawdown * 11,
    closedDeals: deals,
    winRatePercent: 100,
    openDeal: true,
    dealDuration: { average: 190, median: 64, p95: 1190, max: Math.round(3200 + 900 * orders * random()) },
    safetyOrdersFilled: { average: 1.1, max: orders, histogram: [60, 25, 10, 5] },
    timeInDealPercent: 97.4,
    timeFullyInvestedPercent: 12.5,
    usedCapital: { max: investment * exposure, average: 0.4 * investment * exposure },
    netProfitPerUsedPercent: (100 * netProfit) / (0.4 * investment * exposure),
    exposedHoldPercent: 100 * hold * 0.4 * exposure,
    stressedPerUsed: (90 * netProfit) / (0.4 * investment * exposure),
    netProfitPessimistic: netProfit - 1.5,
    netProfitOptimistic: netProfit + 2.5,
    sharpe: days < 30 ? null : annualSharpe(returns),
    feesPaid: deals * 0.09,
    orders: deals * 3,
    volume: deals * 90,
    buyAndHoldPercent: 100 * hold,
    buyAndHoldMaxDrawdownPercent: 100 * deepestFall([1, ...prices]),
    ambiguousCandles: Math.round(14 * random() + 22 / takeProfit),
    missingInDeals: takeProfit < 1 ? 3 : 5,
    unaffordableOrders: orders >= 8 ? Math.round(deals / 3) : 0,
    unplacedOrders: 0,
    dailyEquity: equity.map((value, day) => ({
      date: new Date(study.period.from + day * dayMs).toISOString().slice(0, 10),
      equity: value,
    })),
    sampleSize: sampleSizeOf(deals),
  }
}

function annualSharpe(returns: readonly number[]): number {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1)
  return (mean / Math.sqrt(variance)) * Math.sqrt(365)
}

function runningMax(values: readonly number[]): number[] {
  let peak = Number.NEGATIVE_INFINITY
  return values.map((value) => {
    peak = Math.max(peak, value)
    return peak
  })
}

function deepestFall(values: readonly number[]): number {
  const peaks = runningMax(values)
  return Math.max(...values.map((value, index) => 1 - value / peaks[index]))
}

/** mulberry32: enough for made-up numbers, equal everywhere. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
