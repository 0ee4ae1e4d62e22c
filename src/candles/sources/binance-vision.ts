/**
 * Binance's public archive, https://data.binance.vision: a zip of klines per month and per day, each with a file that holds its
 * SHA-256. Layout: https://github.com/binance/binance-public-data. Months appear on the first days of the next one, days on the
 * next day.
 */
import { createHash } from 'node:crypto'
import { INTERVALS, marketName } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { unpack } from '../formats/file-bytes.ts'
import { readDownloaded } from '../import.ts'
import { monthEnd, monthOf } from '../months.ts'
import type { CandleSource, FetchRequest, Get, Piece } from './source.ts'

const dayMs = 86_400_000
/** For up to so many days, single days are the smaller download. */
const fewDays = 5

const folders: Readonly<Record<string, string>> = { binance: 'spot', binance_usdm: 'futures/um' }

export function createBinanceVision(baseUrl = 'https://data.binance.vision'): CandleSource {
  return { name: 'binance-vision', baseUrl, atOnce: 4, pauseMs: 100, plan }
}

function plan(request: FetchRequest, now: number): Piece[] {
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
