/** Studies with folds on real and on made-up candles. */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { walkForward } from '../../../src/workbench/evidence/examine/walk-forward.ts'
import type { ScreenedMarket } from '../../../src/workbench/screen/messages.ts'
import { enumerateConfigs } from '../../../src/workbench/study/grid.ts'
import type { Study, WalkForward } from '../../../src/workbench/study/study.ts'
import { createDice } from '../../engine/jump/cases.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { sharedData } from '../../support/shared-data.ts'
import { testSystem } from '../../support/system.ts'

export const DAY = 86_400_000
export const MINUTE = 60_000

export type StudyWithFolds = Study & { readonly walkForward: WalkForward }

export interface RealMarket {
  readonly baseAsset: string
  readonly file: string
  readonly intervalMs: number
}

export const REAL = {
  eth: { baseAsset: 'ETH', file: 'candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz', intervalMs: MINUTE },
  btc: { baseAsset: 'BTC', file: 'candles/binance_BTC-USDT_5m_2022-08_2023-09.csv.gz', intervalMs: 5 * MINUTE },
  sol: { baseAsset: 'SOL', file: 'candles/binance_SOL-USDT_5m_2022-08_2023-09.csv.gz', intervalMs: 5 * MINUTE },
} as const satisfies Readonly<Record<string, RealMarket>>

const read = new Map<string, Candles>()

/** undefined (with a message) where the file is absent. */
export function realCandles({ file, intervalMs }: RealMarket): Candles | undefined {
  const path = sharedData(file)
  if (path === undefined) return undefined
  const candles = read.get(path) ?? readCsvCandles(path, intervalMs)
  read.set(path, candles)
  return candles
}

export function marketOf(baseAsset: string, quoteAsset = 'USDT') {
  return { exchange: 'binance', baseAsset, quoteAsset }
}

const BASE: DcaSpotConfig = {
  investment: 1000,
  ...CONFIG_DEFAULTS,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 4,
  dcaPriceScalePercent: 1,
  dcaVolumeScale: 1.4,
  dcaPriceStepMultiplier: 1.2,
  takeProfit: 1.5,
  stopLoss: 0,
}

/** Ladders of which some differ in nothing that has an effect, and some only in a stop that is hardly ever touched. */
export function foldedStudy(changes: Partial<Study> & { readonly walkForward: WalkForward }): StudyWithFolds {
  const axes = changes.axes ?? [
    { field: 'dcaMaxSafetyOrders', values: [0, 3, 6] },
    { field: 'dcaPriceScalePercent', values: [0.6, 1.5] },
    { field: 'takeProfit', values: [0.5, 1, 2.5] },
    { field: 'stopLoss', values: [0, 80] },
  ]
  const { walkForward: lengths } = changes
  return { ...plainStudy({ base: BASE, axes, ...changes }), walkForward: lengths }
}

export function configsOf(study: Study): DcaSpotConfig[] {
  return [...enumerateConfigs(study)].map(({ config }) => config)
}

export function screened(study: Study, candles: readonly Candles[]): readonly ScreenedMarket[] {
  return study.markets.map((market, at) => ({
    market,
    prepared: prepareCandles(sliceCandles(candles[at], study.period.from, study.period.to)),
    symbol: NO_SYMBOL_RULES,
  }))
}

export function look(
  study: StudyWithFolds,
  markets: readonly ScreenedMarket[],
  configs: readonly DcaSpotConfig[] = configsOf(study),
  {
    signal = new AbortController().signal,
    stated = [],
  }: { readonly signal?: AbortSignal; readonly stated?: string[] } = {},
) {
  const { clock } = testSystem({ sleep: 'jump' })
  const onProgress = (text: string) => void stated.push(text)
  return walkForward({ study, markets, configs, terms: study }, { clock, signal, onProgress })
}

/** A price that walks at random, every quarter of an hour from 2024-01-01. */
export function madeUpCandles(seed: number, days: number): Candles {
  const dice = createDice(seed)
  const intervalMs = 15 * MINUTE
  const count = (days * DAY) / intervalMs
  const column = () => new Float64Array(count)
  const candles = {
    intervalMs,
    openTime: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  let price = 100
  for (let at = 0; at < count; at++) {
    const close = price * Math.exp(0.004 * dice.normal())
    candles.openTime[at] = Date.parse('2024-01-01') + at * intervalMs
    candles.open[at] = price
    candles.close[at] = close
    candles.high[at] = Math.max(price, close) * 1.001
    candles.low[at] = Math.min(price, close) * 0.999
    price = close
  }
  return candles
}
