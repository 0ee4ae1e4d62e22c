/** The text layouts we read, recognised by their first lines, and the reading of their rows. */
import { CANDLE_COLUMNS, type CandleColumn, findCandleColumns, findSymbolColumn } from './column-names.ts'
import { parseDecimal, textOf } from './decimal.ts'
import { type CollectedRows, createRowCollector, type ProblemList, type RowRules } from './row-collector.ts'
import { parseTimeText } from './written-time.ts'

export interface CsvLayout {
  readonly name: 'normalised' | 'binance-vision' | 'named-columns' | 'cryptodatadownload' | 'lean-minute' | 'lean-hour'
  /** What each column means; null = not read. */
  readonly columns: readonly (CandleColumn | null)[]
  /** Lines above the first row: headers, addresses. */
  readonly headLines: number
  /** `text`: ISO 8601 and the like; `sinceMidnight`: ms since the midnight of the day in the file's name. */
  readonly time: 'number' | 'text' | 'sinceMidnight'
  /** The column that must name the same market in every row, or −1. */
  readonly symbolColumn: number
  readonly mixedUnits: boolean
  /** True when the layout may hold two different candles of one time (CryptoDataDownload). In other layouts they are an error. */
  readonly holdsConflicts: boolean
  /** True with a column `synthetic`, which our own export writes. */
  readonly synthetic: boolean
  /** Klines with the eight decimals that Binance gives every price and amount of spot; prices of futures have as many decimals as the contract. */
  readonly showsSpot: boolean
}

/** Named in the failure for a file of another layout. */
export const KNOWN_LAYOUTS =
  'CSV with named columns (timestamp,open,high,low,close,volume: open time as s, ms, µs, ns or ISO 8601), Binance Vision ' +
  'klines, CryptoDataDownload, Lean minute and hour files (each plain, gzip or zip), freqtrade JSON and Feather, Arrow, ' +
  'Parquet, OctoBot data files'

const plain = {
  headLines: 0,
  time: 'number',
  symbolColumn: -1,
  mixedUnits: false,
  holdsConflicts: false,
  synthetic: false,
  showsSpot: false,
} as const

/** The layout that the first three lines show, or a sentence why none fits. */
export function findCsvLayout(lines: readonly string[]): CsvLayout | string {
  const [first = '', second = '', third = ''] = lines
  const headless = findHeadless(first)
  if (headless !== undefined) return headless
  if (isAddressOfCryptoDataDownload(first)) {
    const layout = findNamed(second, third)
    return typeof layout === 'string'
      ? layout
      : { ...layout, name: 'cryptodatadownload', headLines: 2, mixedUnits: true, holdsConflicts: true }
  }
  return findNamed(first, second)
}

/** The address alone, or after a cell such as `Created on 12-30-2020` or `Timestamps are UTC timezone`. */
function isAddressOfCryptoDataDownload(line: string): boolean {
  const cells = line.split(',')
  return cells.length <= 2 && /^\s*https?:\/\/(?:www\.)?cryptodatadownload\.com/i.test(cells.at(-1) ?? '')
}

/** Layouts without a header, recognised by the form of their first row. */
function findHeadless(row: string): CsvLayout | undefined {
  const klineColumns = [...CANDLE_COLUMNS, null, null, null, null, null, null]
  if (/^\d{10,19}(?:,[^,]*){5},\d{10,19}(?:,[^,]*){5}$/.test(row)) {
    return { ...plain, name: 'binance-vision', columns: klineColumns, showsSpot: hasSpotDecimals(row) }
  }
  const number = '[^,A-Za-z]+'
  if (new RegExp(`^\\d{1,8}(?:,${number}){5}$`).test(row)) {
    return { ...plain, name: 'lean-minute', columns: CANDLE_COLUMNS, time: 'sinceMidnight' }
  }
  if (new RegExp(`^\\d{8} \\d{2}:\\d{2}(?:,${number}){5}$`).test(row)) {
    return { ...plain, name: 'lean-hour', columns: CANDLE_COLUMNS, time: 'text' }
  }
  return undefined
}

function findNamed(header: string, row: string): CsvLayout | string {
  const names = header.split(',')
  const found = findCandleColumns(names)
  if ('lacks' in found) return describeUnknown(header, found.lacks)
  const { at } = found
  const columns = names.map((_, i) => CANDLE_COLUMNS.find((name) => at[name] === i) ?? null)
  const lower = names.map((name) => name.trim().toLowerCase())
  const opening = lower.slice(0, 6).join(',')
  const name = nameOf(lower, opening)
  return {
    ...plain,
    name,
    columns,
    headLines: 1,
    time: isTimeText(row.split(',').at(at.openTime) ?? '') ? 'text' : 'number',
    symbolColumn: findSymbolColumn(names),
    synthetic: row.split(',').at(lower.indexOf('synthetic'))?.trim() === '1' && lower.includes('synthetic'),
    showsSpot: name === 'binance-vision' && hasSpotDecimals(row),
  }
}

/** Binance has renamed the columns after the volume over the years; the columns that we read kept their names. */
function nameOf(names: readonly string[], opening: string): CsvLayout['name'] {
  if (names.length === 12 && opening === 'open_time,open,high,low,close,volume') return 'binance-vision'
  return names.length === 6 && opening === 'timestamp,open,high,low,close,volume' ? 'normalised' : 'named-columns'
}

/** Open, high, low, close and volume of a kline. */
function hasSpotDecimals(row: string): boolean {
  return /^\d+(?:,\d+\.\d{8}){5},/.test(row)
}

function isTimeText(cell: string): boolean {
  const bytes = Buffer.from(cell.trimEnd())
  return !Number.isNaN(parseTimeText(bytes, 0, bytes.length))
}

function describeUnknown(header: string, lacks: CandleColumn): string {
  const shown = `its first line is "${header.slice(0, 80)}"`
  if (/[;\t|]/.test(header) && !header.includes(',')) return `${shown}: no separator found; try --delimiter`
  const isHeaderLike = /open|close|high|low/i.test(header) && header.includes(',')
  return isHeaderLike
    ? `${shown}: no ${lacks === 'openTime' ? 'time' : lacks} column, or two; name it: --columns ${lacks === 'openTime' ? 'time' : lacks}=NAME`
    : shown
}

// Rows of a known CSV layout, byte by byte. Every cell we use must be a plain decimal number or a time; anything else is recorded
// as a problem with its line, and reading continues, so that one attempt shows all problems.

interface CsvRows extends CollectedRows {
  /** The value of the column `symbol`, or null. */
  readonly symbol: string | null
}

interface CsvSource {
  readonly bytes: Uint8Array
  readonly layout: CsvLayout
  /** Offset of the first line. */
  readonly start: number
  /** Midnight of the file's day, ms UTC; for layouts that count from there. */
  readonly midnight: number
}

/** Fewer bytes than most rows have, so that columns seldom have to grow. */
const bytesPerRow = 48
const dayMs = 86_400_000

/** The good rows of a file; the bad ones are added to `problems`. */
export function parseCsv(source: CsvSource, rules: RowRules, problems: ProblemList): CsvRows {
  const { bytes, layout, start } = source
  const slots = layout.columns.map((column) => (column === null ? -1 : CANDLE_COLUMNS.indexOf(column)))
  const collector = createRowCollector(Math.ceil(bytes.length / bytesPerRow), rules, problems)
  const readTime = timeReader(source)
  const cells = new Float64Array(6)
  let symbol: string | null = null
  let line = 0
  for (let at = start; at < bytes.length; ) {
    line++
    const lineStart = at
    const lineEnd = endOfLine(bytes, at)
    at = lineEnd + 1
    const end = lineEnd > lineStart && bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd // CR of CR LF
    if (end === lineStart || line <= layout.headLines) continue
    const broken = readCells(bytes, lineStart, end, slots, readTime, cells)
    if (broken !== undefined) {
      problems.add(line, 'unreadable', describeBroken(bytes, lineStart, end, layout, broken))
      continue
    }
    if (layout.symbolColumn !== -1) {
      const rowSymbol = cellText(bytes, lineStart, end, layout.symbolColumn)
      symbol ??= rowSymbol
      if (rowSymbol !== symbol) {
        problems.add(
          line,
          'unreadable',
          `is of ${rowSymbol}, the first row is of ${symbol}; give each market its own file`,
        )
        continue
      }
    }
    collector.add(line, cells)
  }
  return { ...collector.finish(), symbol }
}

type TimeReader = (bytes: Uint8Array, start: number, end: number) => number

function timeReader({ layout, midnight }: CsvSource): TimeReader {
  if (layout.time === 'text') return parseTimeText
  if (layout.time === 'number') return parseDecimal
  return (bytes, start, end) => {
    const sinceMidnight = parseDecimal(bytes, start, end)
    return sinceMidnight >= 0 && sinceMidnight < dayMs ? midnight + sinceMidnight : Number.NaN
  }
}

/** Reads one line into `cells`; returns the index of the first cell that cannot be read, or −1 − (cells found) when their number is wrong. */
function readCells(
  bytes: Uint8Array,
  start: number,
  end: number,
  slots: readonly number[],
  readTime: TimeReader,
  cells: Float64Array,
): number | undefined {
  let column = 0
  let broken: number | undefined
  for (let at = start; at <= end; column++) {
    let cellEnd = at
    while (cellEnd < end && bytes[cellEnd] !== 44) cellEnd++
    const slot = column < slots.length ? slots[column] : -1
    if (slot >= 0) {
      const value = slot === 0 ? readTime(bytes, at, cellEnd) : parseDecimal(bytes, at, cellEnd)
      if (!Number.isFinite(value)) broken ??= column
      cells[slot] = value
    }
    at = cellEnd + 1
  }
  return column === slots.length ? broken : -1 - column
}

function describeBroken(bytes: Uint8Array, start: number, end: number, layout: CsvLayout, broken: number): string {
  const { columns, time } = layout
  if (broken < 0) return `expected ${columns.length} columns, found ${-1 - broken}`
  const cell = cellText(bytes, start, end, broken)
  const column = columns[broken] ?? 'cell'
  const expected =
    column !== 'openTime'
      ? 'a finite decimal number'
      : time === 'number'
        ? 'a time in a known format'
        : time === 'text'
          ? 'a time such as 2021-05-01T00:00:00Z'
          : 'a number of ms since midnight'
  return `${column} is not ${expected}: "${cell.slice(0, 40)}"`
}

function cellText(bytes: Uint8Array, start: number, end: number, column: number): string {
  return textOf(bytes, start, end).split(',').at(column) ?? ''
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(10, from)
  return end < 0 ? bytes.length : end
}
