/** Short ways to say candles, configs and runs in engine tests. */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import { backtest } from '../../src/engine/backtest.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, type Conventions, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { BacktestInput, BacktestResult } from '../../src/engine/deal.ts'

export const MINUTE = 60_000
export const DAY = 86_400_000
export const START = Date.UTC(2024, 0, 1)

/** Investment and budget 1000, base order 100, no safety orders, take profit 1 %, no stop. */
export const PLAIN_CONFIG: DcaSpotConfig = {
  ...CONFIG_DEFAULTS,
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 100,
  dcaMaxSafetyOrders: 0,
  dcaPriceScalePercent: 1,
  dcaVolumeScale: 1,
  dcaPriceStepMultiplier: 1,
  takeProfit: 1,
}

export function conventionsOf(overrides: Partial<Conventions> = {}): Conventions {
  return { ...CONVENTION_PRESETS.default, ...overrides }
}

export type Row = readonly [open: number, high: number, low: number, close: number]

export function candlesOf(rows: readonly Row[], options: { intervalMs?: number; start?: number } = {}): Candles {
  const { intervalMs = MINUTE, start = START } = options
  const column = (index: 0 | 1 | 2 | 3) => Float64Array.from(rows, (row) => row[index])
  return {
    intervalMs,
    openTime: Float64Array.from(rows, (_, i) => start + i * intervalMs),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: new Float64Array(rows.length).fill(1),
  }
}

/** Candles that stand still: open = high = low = close. */
export function flatCandles(prices: readonly number[], options: { intervalMs?: number; start?: number } = {}): Candles {
  return candlesOf(
    prices.map((price): Row => [price, price, price, price]),
    options,
  )
}

export interface RunOptions {
  readonly candles: Candles
  readonly config?: Partial<DcaSpotConfig>
  readonly conventions?: Partial<Conventions>
  readonly feePercent?: number
  readonly slippagePercent?: number
  readonly symbol?: Partial<BacktestInput['symbol']>
}

export function inputOf(options: RunOptions): BacktestInput {
  return {
    candles: options.candles,
    config: { ...PLAIN_CONFIG, ...options.config },
    conventions: conventionsOf(options.conventions),
    costs: { feePercent: options.feePercent ?? 0.1, slippagePercent: options.slippagePercent ?? 0 },
    symbol: { ...NO_SYMBOL_RULES, ...options.symbol },
  }
}

export function run(options: RunOptions): BacktestResult {
  return backtest(inputOf(options))
}
