/** The market that the tests of the candle folder store and load. */

import { loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { findInterval } from '../../src/contract/market.ts'
import type { Candles } from '../../src/engine/candles.ts'
import type { Market } from './arbitrary-candles.ts'

export const market = 'binance/BTC-USDT'
export const minute = 60_000
export const may = Date.UTC(2021, 4, 1)

export function store(folder: string, candles: Candles, conflict: 'keep' | 'replace' | 'refuse' = 'keep') {
  const interval = findInterval(candles.intervalMs) ?? '1m'
  return storeCandles(folder, { market, interval, candles, synthetic: false, conflict })
}

export function load(folder: string, { interval }: Pick<Market, 'interval'>): Candles {
  return loadCandles(folder, { market, interval }).candles
}
