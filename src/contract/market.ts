/** A market as we write it everywhere: `exchange/BASE-QUOTE`. */
export interface Market {
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
}

export function marketName(market: Market): string {
  return `${market.exchange}/${market.baseAsset}-${market.quoteAsset}`
}

const TICKER = '[A-Z0-9]{1,20}'
/** Of an asset, whole: for a JSON Schema, too. */
export const TICKER_PATTERN = `^${TICKER}$`

/** An exchange is the name of a folder, and some systems do not allow folders with the names of their devices (`con`, `nul` …). */
const marketPattern = new RegExp(
  `^(?!(?:con|prn|aux|nul|com\\d|lpt\\d)/)([a-z0-9][a-z0-9_]{0,31})/(${TICKER})-(${TICKER})$`,
)

/** Reads `binance/BTC-USDT`; undefined when it is not of that form (exchange lower case, assets upper case). */
export function findMarket(name: string): Market | undefined {
  const match = marketPattern.exec(name)
  if (match === null) return undefined
  const [, exchange = '', baseAsset = '', quoteAsset = ''] = match
  return { exchange, baseAsset, quoteAsset }
}

/** Candle intervals by the name the field uses, in milliseconds, finest first. */
export const INTERVALS = {
  '1s': 1_000,
  '10s': 10_000,
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '2h': 7_200_000,
  '4h': 14_400_000,
  '6h': 21_600_000,
  '8h': 28_800_000,
  '12h': 43_200_000,
  '1d': 86_400_000,
} as const

export type Interval = keyof typeof INTERVALS

export const INTERVAL_NAMES = Object.keys(INTERVALS) as readonly Interval[] // keys of a const literal

export function isInterval(name: string): name is Interval {
  return Object.hasOwn(INTERVALS, name)
}

/** The interval that lasts `ms`, or undefined. */
export function findInterval(ms: number): Interval | undefined {
  return INTERVAL_NAMES.find((name) => INTERVALS[name] === ms)
}
