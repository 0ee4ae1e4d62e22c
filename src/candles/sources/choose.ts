/** The public sources of candles, and which of them has a market. */
import { createHash } from 'node:crypto'
import { INTERVALS, type Interval, type Market, marketName } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { alignRows, orderRows } from '../assemble.ts'
import { parseDecimal } from '../formats/decimal.ts'
import { unpack } from '../formats/file-bytes.ts'
import { createProblemList, createRowCollector } from '../formats/row-collector.ts'
import { readDownloaded } from '../import.ts'
import { isoTime, monthEnd, monthOf } from '../months.ts'
import {
  type Answer,
  type CandleSource,
  type FetchRequest,
  type Get,
  type Piece,
  SOURCE_NAMES,
  type SourceName,
  usualSource,
} from './source.ts'

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

const dayMs = 86_400_000

/** For up to so many days, single days are the smaller download. */
const fewDays = 5

const folders: Readonly<Record<string, string>> = { binance: 'spot', binance_usdm: 'futures/um' }

/**
 * Binance's public archive, https://data.binance.vision: a zip of klines per month and per day, each with a file that holds its
 * SHA-256. Layout: https://github.com/binance/binance-public-data. Months appear on the first days of the next one, days on the
 * next day.
 */
export function createBinanceVision(baseUrl = 'https://data.binance.vision'): CandleSource {
  return { name: 'binance-vision', baseUrl, atOnce: 4, pauseMs: 100, plan: planArchive }
}

function planArchive(request: FetchRequest, now: number): Piece[] {
  const { exchange } = request.market
  if (!Object.hasOwn(folders, exchange) || request.interval === '10s') {
    throw new Failure('usage', `binance-vision has no ${request.interval} candles of ${marketName(request.market)}`, {
      hint: 'it has the markets binance/… (spot) and binance_usdm/… (USD-M futures), from 1s or 1m on',
    })
  }
  const pieces: Piece[] = []
  for (let from = request.from; from < request.to; from = monthEnd(from)) {
    const part = { ...request, from, to: Math.min(monthEnd(from), request.to) }
    const days = planDays(part, now)
    const isOver = monthEnd(from) <= now
    if (isOver && days.length > fewDays) pieces.push(createPiece('monthly', monthOf(from), part, days))
    else pieces.push(...days)
  }
  return pieces
}

/** One piece per day that has ended. */
function planDays(request: FetchRequest, now: number): Piece[] {
  const pieces: Piece[] = []
  for (let from = request.from; from < request.to; ) {
    const end = Math.floor(from / dayMs) * dayMs + dayMs
    if (end > now) break
    const day = new Date(from).toISOString().slice(0, 10)
    pieces.push(createPiece('daily', day, { ...request, from, to: Math.min(end, request.to) }, []))
    from = end
  }
  return pieces
}

function createPiece(kind: 'monthly' | 'daily', date: string, request: FetchRequest, instead: readonly Piece[]): Piece {
  const { market, interval, from, to } = request
  const symbol = `${market.baseAsset}${market.quoteAsset}`
  const name = `${symbol}-${interval}-${date}.zip`
  const path = `/data/${folders[market.exchange]}/${kind}/klines/${symbol}/${interval}/${name}`
  return {
    name,
    from,
    to,
    instead,
    async download(get) {
      const archive = await downloadChecked(get, path, name)
      if (archive === undefined) return undefined
      const files = await readDownloaded(name, unpack(name, archive), { market: marketName(market), interval })
      return onlyCandles(name, files, request)
    },
  }
}

/** A download with a wrong hash is tried once more before it is an error. */
async function downloadChecked(get: Get, path: string, name: string): Promise<Uint8Array | undefined> {
  for (let attempt = 1; ; attempt++) {
    const checksum = await get(`${path}.CHECKSUM`)
    if (checksum.status === 404) return undefined
    const archive = await get(path)
    if (archive.status === 404) return undefined
    const expected = /^[0-9a-f]{64}\b/i.exec(Buffer.from(checksum.bytes).toString('latin1'))?.at(0)?.toLowerCase()
    const found = createHash('sha256').update(archive.bytes).digest('hex')
    if (expected === found) return archive.bytes
    if (attempt === 1) continue
    throw new Failure(
      'candlesInvalid',
      `${name} does not match its checksum: ${found}, expected ${expected ?? 'one'}`,
      { hint: 'try again later; what was fetched so far is stored' },
    )
  }
}

function onlyCandles(name: string, files: readonly { readonly candles: Candles }[], request: FetchRequest): Candles {
  const { candles } = files[0] // a CSV holds one market
  if (candles.intervalMs === INTERVALS[request.interval]) return sliceCandles(candles, request.from, request.to)
  throw new Failure('candlesInvalid', `${name} holds candles of ${candles.intervalMs / 1000} s`)
}

const binancePage = 1000

/** Binance's public klines, GET /api/v3/klines, from its address for market data alone. https://developers.binance.com/docs/binance-spot-api-docs */
export function createBinance(baseUrl = 'https://data-api.binance.vision'): CandleSource {
  return { name: 'binance', baseUrl, atOnce: 2, pauseMs: 100, plan: planBinance }
}

function planBinance(request: FetchRequest): Piece[] {
  refuseUnlessServed('binance', request, request.interval !== '10s')
  return pagesOf(request, binancePage).map((page): Piece => {
    const { market, interval, from, to } = page
    const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
    const symbol = `${market.baseAsset}${market.quoteAsset}`
    const query = new URLSearchParams({
      symbol,
      interval,
      startTime: String(from),
      endTime: String(to - 1),
      limit: String(binancePage),
    })
    return {
      name,
      from,
      to,
      instead: [],
      async download(get) {
        const answer = await get(`/api/v3/klines?${query}`)
        if (answer.status === 404) throw unreadable(name, 'that there is no such address')
        return candlesOfRows(name, parseAnswer(name, answer), { columns: [0, 1, 2, 3, 4, 5], request: page })
      },
    }
  })
}

const coinbaseIntervals: readonly Interval[] = ['1m', '5m', '15m', '1h', '6h', '1d']

/** Coinbase Exchange's public candles, GET /products/{id}/candles: newest first, low before high, minutes without trades absent. https://docs.cdp.coinbase.com/exchange */
export function createCoinbase(baseUrl = 'https://api.exchange.coinbase.com'): CandleSource {
  return { name: 'coinbase', baseUrl, atOnce: 2, pauseMs: 200, plan: planCoinbase }
}

function planCoinbase(request: FetchRequest): Piece[] {
  refuseUnlessServed('coinbase', request, coinbaseIntervals.includes(request.interval))
  return pagesOf(request, 300).map((page): Piece => {
    const { market, interval, from, to } = page
    const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
    const product = `${market.baseAsset}-${market.quoteAsset}`
    const intervalMs = INTERVALS[interval]
    // Coinbase includes both ends.
    const query = new URLSearchParams({
      granularity: String(intervalMs / 1000),
      start: isoTime(from),
      end: isoTime(to - intervalMs),
    })
    return {
      name,
      from,
      to,
      instead: [],
      async download(get) {
        const answer = await get(`/products/${product}/candles?${query}`)
        if (answer.status === 404) throw new Failure('usage', `Coinbase has no market ${product}`)
        return candlesOfRows(name, parseAnswer(name, answer), { columns: [0, 3, 2, 1, 4, 5], request: page })
      },
    }
  })
}

const krakenReach = 720
const krakenIntervals: readonly Interval[] = ['1m', '5m', '15m', '30m', '1h', '4h', '1d']

/** Kraken's own names of two assets. */
const assets: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' }

/** Kraken's public candles, GET /0/public/OHLC: the latest 720 and nothing before them. https://docs.kraken.com/api/docs/rest-api/get-ohlc-data */
export function createKraken(baseUrl = 'https://api.kraken.com'): CandleSource {
  return { name: 'kraken', baseUrl, atOnce: 1, pauseMs: 1100, plan: planKraken }
}

function planKraken(request: FetchRequest, now: number): Piece[] {
  const { market, interval, from, to } = request
  refuseUnlessServed('kraken', request, krakenIntervals.includes(interval))
  const intervalMs = INTERVALS[interval]
  // The last of the 720 is not complete yet.
  const earliest = Math.floor(now / intervalMs) * intervalMs - (krakenReach - 1) * intervalMs
  if (from < earliest) {
    throw new Failure(
      'candlesMissing',
      `Kraken answers the latest ${krakenReach} candles only, ${interval} ones from ${isoTime(earliest)} on`,
      { hint: 'choose a later --from or a coarser interval, or import its downloadable history files' },
    )
  }
  const name = `${marketName(market)} ${interval} from ${isoTime(from)}`
  const pair = `${nameOf(market.baseAsset)}${nameOf(market.quoteAsset)}`
  const query = new URLSearchParams({ pair, interval: String(intervalMs / 60_000), since: String(from / 1000 - 1) })
  const download: Piece['download'] = async (get) => {
    const answer = await get(`/0/public/OHLC?${query}`)
    // 5 is the average price
    return candlesOfRows(name, rowsOf(name, pair, parseAnswer(name, answer)), { columns: [0, 1, 2, 3, 4, 6], request })
  }
  return [{ name, from, to, instead: [], download }]
}

/** `{ error: [], result: { <its own name of the pair>: rows, last } }` */
function rowsOf(name: string, pair: string, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) throw unreadable(name, 'something else than an object')
  const errors = 'error' in answer && Array.isArray(answer.error) ? answer.error : []
  if (errors.length > 0)
    throw new Failure('serviceRefused', `Kraken refused ${pair}: ${errors.join(', ').slice(0, 200)}`)
  const result: unknown = 'result' in answer ? answer.result : undefined
  if (typeof result !== 'object' || result === null) throw unreadable(name, 'no result')
  return Object.entries(result).find(([key]) => key !== 'last')?.[1]
}

function nameOf(asset: string): string {
  return Object.hasOwn(assets, asset) ? assets[asset] : asset
}

/** @throws Failure serviceUnreadable when an answer is no JSON */
function parseAnswer(name: string, { bytes }: Answer): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(name, `no JSON, it begins with ${JSON.stringify(text.slice(0, 60))}`, cause)
  }
}

/**
 * `columns` are the positions of time, open, high, low, close and volume in a row. Returns only the candles of the request:
 * exchanges also send neighbours and the candle that is not complete yet.
 * @throws Failure serviceUnreadable when it is no array of rows; candlesInvalid when a row is no candle
 */
function candlesOfRows(
  name: string,
  rows: unknown,
  { columns, request }: { readonly columns: readonly number[]; readonly request: FetchRequest },
): Candles {
  if (!Array.isArray(rows)) throw unreadable(name, 'something else than rows of candles')
  const problems = createProblemList(name)
  const collector = createRowCollector(rows.length, {}, problems)
  for (const [i, row] of rows.entries()) {
    const cells = Array.isArray(row) ? columns.map((column) => numberOf(row[column])) : []
    if (cells.length === 6 && cells.every(Number.isFinite)) collector.add(i + 1, Float64Array.from(cells))
    else problems.add(i + 1, 'unreadable', `is no candle: ${JSON.stringify(row)?.slice(0, 80)}`)
  }
  const collected = collector.finish()
  const ordered = orderRows(collected.rows, collected.lines)
  for (const { line, keptLine } of ordered.conflicts) {
    problems.add(line, 'conflict', `a candle of this time stands in row ${keptLine} with other values`)
  }
  const candles = alignRows(ordered, request.interval, problems)
  problems.refuse('the answer cannot be used')
  return sliceCandles(candles, request.from, request.to)
}

/** The request cut into pages of `most` candles. */
function pagesOf(request: FetchRequest, most: number): FetchRequest[] {
  const step = most * INTERVALS[request.interval]
  const pages: FetchRequest[] = []
  for (let from = request.from; from < request.to; from += step) {
    pages.push({ ...request, from, to: Math.min(from + step, request.to) })
  }
  return pages
}

function unreadable(name: string, found: string, cause?: unknown): Failure {
  return new Failure('serviceUnreadable', `${name} answered ${found}`, {
    cause,
    hint: 'try again later; what was fetched so far is stored',
  })
}

/** Prices come as JSON numbers or as decimal text. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  const bytes = Buffer.from(value)
  return parseDecimal(bytes, 0, bytes.length)
}

/** @throws Failure usage unless the market is on the source's exchange and the source has the interval */
function refuseUnlessServed(source: SourceName, { market, interval }: FetchRequest, hasInterval: boolean): void {
  if (market.exchange === source && hasInterval) return
  throw new Failure('usage', `${source} has no ${interval} candles of ${marketName(market)}`, {
    hint: `it has markets of the exchange ${source}; another interval can be made by \`dcalab candles resample\``,
  })
}
