/** The text layouts we read, recognised by their first lines. */
import { CANDLE_COLUMNS, type CandleColumn, findCandleColumns, findSymbolColumn } from './column-names.ts'
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
