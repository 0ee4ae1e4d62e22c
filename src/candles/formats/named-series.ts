/** The rows of a file with their market, and with their interval where the options, the content or the name give one. */
import { findMarket, type Interval, isInterval, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { type FileContent, readFileContent } from './file-bytes.ts'
import { readRawFile } from './read-file.ts'
import type { LayoutName, ProblemList, RawSeries, RowRules } from './row-collector.ts'
import type { Spelling } from './sniff/read-spelled.ts'

// Guesses market and interval from the name of a candle file, only where the name is unambiguous.

/** Quote assets of Binance spot at which a joined symbol such as BTCUSDT can be cut. */
const binanceQuotes = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'BTC', 'ETH', 'BNB', 'EUR', 'GBP', 'TRY', 'BRL', 'JPY']
/** Other exchanges trade USD itself, so TUSD is not in this list: DOTUSD must not become DO-TUSD. */
const otherQuotes = ['USDT', 'USDC', 'USD', 'EUR', 'GBP', 'BTC', 'ETH', 'JPY']

const exchanges = [
  'binance',
  'binanceus',
  'bitfinex',
  'bitget',
  'bitstamp',
  'bybit',
  'coinbase',
  'cryptocom',
  'ftx',
  'gateio',
  'gdax',
  'gemini',
  'huobi',
  'kraken',
  'kucoin',
  'mexc',
  'okx',
  'poloniex',
] as const

/** `binance_BTC-USDT_1m_….csv`: exchange, pair and interval, as we name files ourselves. */
const ownName = /^([a-z0-9][a-z0-9_]*)_([A-Z0-9]+-[A-Z0-9]+)_(\d+[a-z]+)(?:[_.]|$)/
/** `BTCUSDT-1h-2024-12.csv` or `…-2024-12-31`: as Binance Vision names its klines. */
const klineName = /(?:^|_)([A-Z0-9]+)-(\d+[a-zA-Z]+)-\d{4}-\d{2}(?:-\d{2})?(?:\.|$)/

/** Intervals that sources write as a word. */
const spelled: Readonly<Record<string, Interval>> = {
  minute: '1m',
  '1min': '1m',
  hour: '1h',
  '1hr': '1h',
  hourly: '1h',
  day: '1d',
  daily: '1d',
  d: '1d',
}

interface NameGuess {
  readonly market: string | null
  /** As the name writes it. It may be an interval that we do not store. */
  readonly interval: string | null
}

interface GuessedName {
  readonly path: string
  /** Its name inside an archive, or null. */
  readonly innerName: string | null
  readonly layout: LayoutName
  /** The content is known to be of a spot market of Binance. */
  readonly showsSpot: boolean
  /** The pair that the content names (`BTC/USDT`), or null. */
  readonly symbol: string | null
}

function guessFromName({ path, innerName, layout, showsSpot, symbol }: GuessedName): NameGuess {
  const folders = path.split(/[\\/]/)
  const name = folders.pop() ?? ''
  const own = ownName.exec(name)
  if (own !== null) {
    const market = `${own[1]}/${own[2]}`
    return { market: findMarket(market) === undefined ? null : market, interval: own[3] }
  }
  // Futures and their mark prices are another market, under the name of the same pair; of Binance's klines the folder says which.
  const isDerived = /(?:^|[\\/_.-])(?:futures|perp|swap|mark|funding_rate)(?=[\\/_.-]|$)/i.test(path)
  const words = [...wordsOf(name), ...wordsOf(innerName ?? '')]
  const interval = (klineName.exec(name) ?? klineName.exec(innerName ?? ''))?.at(2) ?? intervalAmong(words, layout)
  const exchange = layout === 'binance-vision' ? binanceOf(path, showsSpot) : exchangeOf(words, folders)
  if (exchange === undefined || (isDerived && layout !== 'binance-vision')) return { market: null, interval }
  const quotes = exchange.startsWith('binance') ? binanceQuotes : otherQuotes
  // Lean keeps the symbol in the folder's name: crypto/coinbase/minute/btcusd/20180404_trade.zip
  const joined = isLean(layout) ? [...words, ...folders.slice(-1)] : words
  const pair = symbol === null ? pairAmong(name, joined, quotes) : cutSymbol(symbol, quotes)
  const market = pair === undefined ? undefined : findMarket(`${exchange}/${pair}`)
  return { market: market === undefined ? null : marketName(market), interval }
}

/** The interval in a name, if it is one that we store. */
function intervalOf(guess: NameGuess): Interval | null {
  return guess.interval !== null && isInterval(guess.interval) ? guess.interval : null
}

/** The kline layout is Binance's. Klines of futures have the same columns and file names but belong to another market. */
function binanceOf(path: string, showsSpot: boolean): string | undefined {
  if (/usdm|futures[\\/_-]um/i.test(path)) return 'binance_usdm'
  return showsSpot || /(?<![a-z])spot(?![a-z])/i.test(path) ? 'binance' : undefined
}

/** The exchange in the file's name, else in the name of a folder above it, as freqtrade and Lean have it. */
function exchangeOf(words: readonly string[], folders: readonly string[]): string | undefined {
  const near = folders.slice(-4).reverse()
  return exchanges.find((known) => words.includes(known)) ?? exchanges.find((known) => near.includes(known))
}

function isLean(layout: LayoutName): boolean {
  return layout === 'lean-minute' || layout === 'lean-hour'
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function intervalAmong(words: readonly string[], layout: LayoutName): string | null {
  const spells = isLean(layout) || layout === 'cryptodatadownload'
  for (const word of words) {
    if (isInterval(word)) return word
    if (spells && Object.hasOwn(spelled, word)) return spelled[word]
  }
  return null
}

/** `BTC_USDT-5m.feather` and `BTC-USDT.csv` first, then a joined symbol among the words. */
function pairAmong(name: string, words: readonly string[], quotes: readonly string[]): string | undefined {
  const separate = /(?:^|_)([A-Z0-9]{2,12})[_-]([A-Z]{3,5})(?:[-_.]|$)/.exec(name)
  if (separate !== null && quotes.includes(separate[2])) return `${separate[1]}-${separate[2]}`
  return words.map((word) => cutSymbol(word, quotes)).find((pair) => pair !== undefined)
}

/** `BTC/USDT`, `BTC-USDT` or `btcusdt` as `BTC-USDT`; undefined when it cannot be cut unambiguously. */
function cutSymbol(symbol: string, quotes: readonly string[]): string | undefined {
  const upper = symbol.toUpperCase()
  const separate = /^([A-Z0-9]{1,20})[/_-]([A-Z0-9]{1,20})$/.exec(upper)
  if (separate !== null) return `${separate[1]}-${separate[2]}`
  const quote = quotes.find((known) => upper.length > known.length + 1 && upper.endsWith(known))
  return quote === undefined ? undefined : `${upper.slice(0, -quote.length)}-${quote}`
}

export interface ReadOptions {
  /** `exchange/BASE-QUOTE`; default: the market in the content or in the file name. */
  readonly market?: string
  /** Default: the interval in the content or the file name, or the spacing of the rows. */
  readonly interval?: Interval | undefined
  /** Most bytes to unpack; default 1 GiB. */
  readonly limit?: number
  /** What the user says about a text file that no known layout fits; it is found out else. */
  readonly spelling?: Spelling
}

export interface NamedSeries extends Omit<RawSeries, 'market' | 'interval' | 'symbol'> {
  /** null when it is not known. */
  readonly market: string | null
  readonly statedInterval: Interval | null
}

export interface NamedFile {
  readonly layout: LayoutName
  readonly holdsConflicts: boolean
  readonly problems: ProblemList
  /** How it was read, where nothing in it says so; null else. */
  readonly assumed: string | null
  readonly series: readonly NamedSeries[]
}

/**
 * Reads every row of a file; what is wrong with single rows is added to `problems`.
 * @throws Failure candlesInvalid when the file as a whole cannot be read; usage when a market is given for a file that holds
 * several
 */
export async function readSeries(path: string, options: ReadOptions, rules: RowRules = {}): Promise<NamedFile> {
  return nameSeries(path, readFileContent(path, options.limit), options, rules)
}

/** The same for a file whose content has been read. */
export async function nameSeries(
  path: string,
  content: FileContent,
  options: ReadOptions,
  rules: RowRules = {},
): Promise<NamedFile> {
  const read = await readRawFile(path, content, rules, options.spelling)
  const { layout, holdsConflicts, showsSpot = false, problems, series, assumed = null } = read
  const markets = new Set(series.map(({ market, symbol }) => market ?? symbol))
  if (options.market !== undefined && markets.size > 1) {
    throw new Failure(
      'usage',
      `${path} holds ${markets.size} markets (${[...markets].join(', ')}); --market is for files of one`,
      { hint: 'import it without --market' },
    )
  }
  if (options.market !== undefined && findMarket(options.market) === undefined) {
    throw new Failure('usage', `expected a market such as binance/BTC-USDT, found ${options.market}`)
  }
  const others = new Set<string>()
  const named = series.map(({ market, interval, symbol, ...rows }) => {
    const guess = guessFromName({ path, innerName: content.innerName, layout, showsSpot, symbol })
    const statedBefore = interval === null ? intervalOf(guess) : knownInterval(path, interval)
    const stated = market ?? guess.market
    const pair = symbol === null ? undefined : cutSymbol(symbol, [...binanceQuotes, ...otherQuotes])
    const other = otherMarket(options.market, { stated, pair })
    if (other !== null) others.add(other)
    return { ...rows, market: options.market ?? stated, statedInterval: options.interval ?? statedBefore }
  })
  const overridden = [...others].map((other) => `names ${other} as its market, which --market overrides`)
  const said = [...(assumed === null ? [] : [assumed]), ...overridden]
  return { layout, holdsConflicts, problems, assumed: said.length === 0 ? null : said.join('; '), series: named }
}

/** The market or pair that a file names, where another is asked for; null where it names none, or the same. */
function otherMarket(
  asked: string | undefined,
  { stated, pair }: { readonly stated: string | null; readonly pair: string | undefined },
): string | null {
  if (asked === undefined || stated === asked) return null
  if (stated !== null) return stated
  return pair === undefined || asked.endsWith(`/${pair}`) ? null : pair
}

function knownInterval(path: string, interval: string): Interval {
  if (isInterval(interval)) return interval
  throw new Failure('candlesInvalid', `${path} holds candles of ${interval}, which is no interval we store`)
}
