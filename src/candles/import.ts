/** Candle files in: recognised by their content, read whole, checked, and only then stored. */
import { basename } from 'node:path'
import { findMarket, type Interval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import { alignRows, decideInterval, orderRows } from './assemble.ts'
import { parseCsv, type TimeUnit } from './csv.ts'
import { textOf } from './decimal.ts'
import { readFileBytes } from './file-bytes.ts'
import { guessFromName, intervalOf } from './file-name.ts'
import { type ImportReport, storeCandles } from './folder.ts'
import { type CsvLayout, findCsvLayout, KNOWN_LAYOUTS } from './layouts.ts'
import type { ConflictPolicy } from './merge.ts'
import { createProblemList } from './problems.ts'

export interface ReadOptions {
  /** `exchange/BASE-QUOTE`; else what the file name tells. */
  readonly market?: string
  /** Else what the file name or the spacing of the rows tells. */
  readonly interval?: Interval
  /** Most bytes to unpack; default 1 GiB. */
  readonly limit?: number
}

export interface CandleFile {
  /** The file's name without its folder. */
  readonly name: string
  /** null when neither the options nor the file's name tell it. */
  readonly market: string | null
  readonly interval: Interval
  readonly candles: Candles
  /** Recorded as far as a file can tell. */
  readonly synthetic: boolean
  readonly layout: CsvLayout['name']
  readonly timeUnit: TimeUnit
  /** Rows that repeated another one exactly. */
  readonly duplicates: number
  /** Whether the rows stood oldest first. */
  readonly wasOrdered: boolean
}

/**
 * The candles of a file, oldest first.
 * @throws Failure candlesInvalid with every problem and its line when the file cannot be read or its layout is not known
 */
export function readCandleFile(path: string, options: ReadOptions): CandleFile {
  const bytes = readFileBytes(path, options.limit)
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0 // byte order mark
  const layout = recognise(path, bytes, start)
  const problems = createProblemList(path)
  const { rows, lines, unit } = parseCsv(bytes, layout, start, problems)
  const ordered = orderRows(rows, lines, problems)
  if (unit === null || ordered.rows.openTime.length === 0) {
    problems.refuse('no candle could be read')
    throw new Failure('candlesInvalid', `${path} holds no candles below its header`)
  }
  const name = basename(path)
  const guess = guessFromName(name, layout.name)
  const decided = decideInterval(ordered.rows.openTime, options.interval ?? intervalOf(guess))
  if ('why' in decided) {
    problems.refuse('the candles cannot be imported')
    throw new Failure('candlesInvalid', `${path}: ${decided.why}`)
  }
  const candles = alignRows(ordered, decided.interval, problems)
  problems.refuse('the candles cannot be imported')
  const { duplicates, wasOrdered } = ordered
  const market = options.market ?? guess.market
  const { interval } = decided
  return {
    name,
    market,
    interval,
    candles,
    synthetic: false,
    layout: layout.name,
    timeUnit: unit,
    duplicates,
    wasOrdered,
  }
}

/**
 * Reads a file and stores its candles; the folder changes as a whole or not at all.
 * @throws Failure candlesInvalid as `readCandleFile` and `storeCandles` do, and when nothing tells the market
 */
export function importFile(
  folder: string,
  path: string,
  options: ReadOptions & { readonly conflict?: ConflictPolicy },
): ImportReport {
  const { market, interval, candles, synthetic } = readCandleFile(path, options)
  if (market === null) {
    throw new Failure('candlesInvalid', `nothing tells the market of ${path}`, {
      hint: 'give --market, such as --market binance/BTC-USDT',
    })
  }
  if (findMarket(market) === undefined) {
    throw new Failure('usage', `expected a market such as binance/BTC-USDT, found ${market}`)
  }
  return storeCandles(folder, { market, interval, candles, synthetic, conflict: options.conflict ?? 'keep' })
}

function recognise(path: string, bytes: Uint8Array, start: number): CsvLayout {
  const newline = bytes.indexOf(10, start)
  const firstLine = textOf(bytes, start, newline < 0 ? bytes.length : newline).trimEnd()
  const layout = findCsvLayout(firstLine)
  if (layout !== undefined) return layout
  const printable = /^[\x20-\x7e\t]*$/.test(firstLine)
    ? `its first line is "${firstLine.slice(0, 80)}"`
    : describeBinary(bytes)
  throw new Failure('candlesInvalid', `the layout of ${path} is not known: ${printable}`, {
    hint: `known are ${KNOWN_LAYOUTS}`,
  })
}

function describeBinary(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('PK')) return 'it is a zip archive, unpack it first'
  if (start.startsWith('ARROW1')) return 'it is an Arrow or Feather file'
  if (start.startsWith('PAR1')) return 'it is a Parquet file'
  if (start.startsWith('SQLite format 3')) return 'it is a SQLite database'
  return 'it is not text'
}
