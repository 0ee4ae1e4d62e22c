/** What the name of a candle file tells: a guess, and only where nothing else could be meant. */
import { findMarket, type Interval, isInterval, marketName } from '../contract/market.ts'
import type { CsvLayout } from './layouts.ts'

/** Quote assets of Binance spot by which a joined symbol can be cut without doubt. */
const quoteAssets = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'BTC', 'ETH', 'BNB', 'EUR', 'GBP', 'TRY', 'BRL', 'JPY']

/** `binance_BTC-USDT_1m_….csv`: exchange, pair and interval, as we name files ourselves. */
const ownName = /^([a-z0-9][a-z0-9_]*)_([A-Z0-9]+-[A-Z0-9]+)_(\d+[a-z]+)(?:[_.]|$)/
/** `BTCUSDT-1h-2024-12.csv` or `…-2024-12-31`: as Binance Vision names its klines. */
const klineName = /(?:^|_)([A-Z0-9]+)-(\d+[a-zA-Z]+)-\d{4}-\d{2}(?:-\d{2})?(?:\.|$)/

export interface NameGuess {
  readonly market: string | null
  /** As written; may be none that we store. */
  readonly interval: string | null
}

/** `name` is the last part of a path. */
export function guessFromName(name: string, layout: CsvLayout['name']): NameGuess {
  const own = ownName.exec(name)
  if (own !== null) {
    const [, exchange = '', pair = '', interval = ''] = own
    const market = `${exchange}/${pair}`
    return { market: findMarket(market) === undefined ? null : market, interval }
  }
  const kline = klineName.exec(name)
  if (kline === null) return { market: null, interval: null }
  const [, symbol = '', interval = ''] = kline
  return { market: layout === 'binance-vision' ? splitSymbol(symbol) : null, interval }
}

function splitSymbol(symbol: string): string | null {
  const quoteAsset = quoteAssets.find((quote) => symbol.length > quote.length && symbol.endsWith(quote))
  if (quoteAsset === undefined) return null
  return marketName({ exchange: 'binance', baseAsset: symbol.slice(0, -quoteAsset.length), quoteAsset })
}

/** The interval a name tells when it is one we store. */
export function intervalOf(guess: NameGuess): Interval | null {
  return guess.interval !== null && isInterval(guess.interval) ? guess.interval : null
}
