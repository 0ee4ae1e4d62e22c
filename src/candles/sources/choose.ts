import type { Market } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { createBinance } from './binance.ts'
import { createBinanceVision } from './binance-vision.ts'
import { createCoinbase } from './coinbase.ts'
import { createKraken } from './kraken.ts'
import { type CandleSource, SOURCE_NAMES, type SourceName, usualSource } from './source.ts'

const SOURCES = {
  'binance-vision': createBinanceVision,
  binance: createBinance,
  coinbase: createCoinbase,
  kraken: createKraken,
} as const satisfies Record<SourceName, (baseUrl?: string) => CandleSource>

/** The source with this name, or else the source that has most candles of the market. @throws Failure usage */
export function chooseSource(name: string | undefined, market: Market): CandleSource {
  const found = name === undefined ? usualSource(market.exchange) : SOURCE_NAMES.find((known) => known === name)
  if (found !== undefined) return SOURCES[found]()
  const asked = name === undefined ? `no source has the markets of ${market.exchange}` : `there is no source "${name}"`
  throw new Failure('usage', `${asked}; known are ${SOURCE_NAMES.join(', ')}`)
}
