/** Candles of the benchmark: one synthetic year, and the real ones beside the project where they are. */
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import type { Candles } from '../../src/engine/candles.ts'
import type { SymbolRules } from '../../src/engine/conventions.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { HEADLINE_MARKETS, type HeadlineMarket } from './headline.ts'

export interface BenchCandles {
  readonly name: string
  readonly market: HeadlineMarket
  readonly candles: Candles
  /** The rules of its exchange. */
  readonly symbol: SymbolRules
}

const REAL = [
  ['eth', 'ETH-USDT_1m_2025-05-20_2025-08-18', { tick: 0.01, lot: 0.0001, minNotional: 5 }],
  ['btc', 'BTC-USDT_1m_2021-04_2021-05', { tick: 0.01, lot: 0.000001, minNotional: 10 }],
  ['doge', 'DOGE-USDT_1m_2021-04_2021-05', { tick: 0.00001, lot: 1, minNotional: 10 }],
] as const

export function benchCandles(): BenchCandles[] {
  const synthetic = generateCandles({ seed: 1, interval: '1m', from: Date.UTC(2024, 0, 1), days: 365 })
  const sets: BenchCandles[] = [
    { ...named('synthetic'), candles: synthetic, symbol: { tick: 0.01, lot: 0.00001, minNotional: 5 } },
  ]
  for (const [market, file, symbol] of REAL) {
    const path = sharedData(`candles/binance_${file}.csv.gz`)
    if (path !== undefined) sets.push({ ...named(market), candles: readCsvCandles(path, 60_000), symbol })
  }
  return sets
}

const named = (market: HeadlineMarket) => ({ market, name: HEADLINE_MARKETS[market] })

/** The same price path in candles that each cover `width` of the given ones. */
export function coarser(candles: Candles, width: number): Candles {
  const count = Math.floor(candles.close.length / width)
  const column = () => new Float64Array(count)
  const merged = {
    openTime: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  for (let i = 0; i < count; i++) {
    const from = i * width
    merged.openTime[i] = candles.openTime[from]
    merged.open[i] = candles.open[from]
    merged.close[i] = candles.close[from + width - 1]
    merged.high[i] = candles.high.subarray(from, from + width).reduce((max, value) => Math.max(max, value))
    merged.low[i] = candles.low.subarray(from, from + width).reduce((min, value) => Math.min(min, value))
  }
  return { intervalMs: candles.intervalMs * width, ...merged }
}
