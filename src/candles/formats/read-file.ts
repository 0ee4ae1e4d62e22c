/** Reads candle files of every kind, recognised by their content. A reader that needs a package loads it when it is called. */
import { basename } from 'node:path'
import { Failure } from '../../errors.ts'
import { CANDLE_COLUMNS, type CandleColumn, findCandleColumns, findSymbolColumn } from './column-names.ts'
import { parseDecimal, textOf } from './decimal.ts'
import { type FileContent, LARGEST_FILE } from './file-bytes.ts'
import {
  type CollectedRows,
  createProblemList,
  createRowCollector,
  type ProblemList,
  type RawFile,
  type RowRules,
} from './row-collector.ts'
import type { Spelling } from './sniff/read-spelled.ts'
import { parseTimeText } from './written-time.ts'

// The text layouts we read, recognised by their first lines, and the reading of their rows.

interface CsvLayout {
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
const KNOWN_LAYOUTS =
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
function findCsvLayout(lines: readonly string[]): CsvLayout | string {
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
  if (new RegExp(`^(?:0|\\d{1,5}000)(?:,${number}){5}$`).test(row)) {
    // whole seconds: 20240101 is a date
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
function parseCsv(source: CsvSource, rules: RowRules, problems: ProblemList): CsvRows {
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

interface ReadFile extends RawFile {
  readonly problems: ProblemList
}

const kindNames = {
  json: 'freqtrade JSON',
  arrow: 'an Arrow or Feather file',
  parquet: 'a Parquet file',
  sqlite: 'a SQLite file of OctoBot',
} as const

/**
 * Reads every row of a file; unreadable rows are added to `problems`.
 * @throws Failure candlesInvalid when the layout is not known or the file as a whole is damaged
 */
export async function readRawFile(
  path: string,
  content: FileContent,
  rules: RowRules,
  spelling?: Spelling,
): Promise<ReadFile> {
  const { bytes } = content
  const kind = kindOf(bytes)
  const problems = createProblemList(path)
  if (kind === 'text') {
    const spelled = await readOtherwise(path, content, rules, spelling, problems)
    return { ...(spelled ?? readText(path, content, rules, problems)), problems }
  }
  if (spelling !== undefined) {
    throw new Failure('usage', `${path} is ${kindNames[kind]}: what says how text is spelled is not for it`, {
      hint: 'leave out --delimiter, --columns, --dates, --decimal and --zone; times without an offset are read as UTC',
    })
  }
  try {
    return { ...(await readWith(kind, bytes, rules, problems)), problems }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `cannot read ${path} as ${kindNames[kind]}: ${reason}`, { cause })
  }
}

type Kind = keyof typeof kindNames | 'text'

function kindOf(bytes: Uint8Array): Kind {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('ARROW1')) return 'arrow'
  if (start.startsWith('PAR1')) return 'parquet'
  if (start.startsWith('SQLite format 3')) return 'sqlite'
  return start.trimStart().startsWith('[') ? 'json' : 'text'
}

async function readWith(
  kind: Exclude<Kind, 'text'>,
  bytes: Uint8Array,
  rules: RowRules,
  problems: ProblemList,
): Promise<RawFile> {
  switch (kind) {
    case 'json':
      return readFreqtradeJson(bytes, rules, problems)
    case 'arrow':
      return (await import('./arrow-file.ts')).readArrowFile(bytes, rules, problems)
    case 'parquet':
      return (await import('./parquet-file.ts')).readParquetFile(bytes, rules, problems)
    case 'sqlite':
      return (await import('./octobot-file.ts')).readOctobotFile(bytes, rules, problems)
  }
}

/** Rows in a spelling that no known layout has; undefined where one fits, or where it is no table at all. @throws Failure candlesInvalid */
async function readOtherwise(
  path: string,
  { bytes }: FileContent,
  rules: RowRules,
  spelling: Spelling | undefined,
  problems: ProblemList,
): Promise<RawFile | undefined> {
  const start = afterMark(bytes)
  const lines = textOf(bytes, start, bytes.length, 20_000).split(/\r?\n/, 20)
  const layout = findCsvLayout(lines)
  const isKnown = typeof layout !== 'string'
  if (spelling === undefined && isKnown && readsOne(lines, layout)) return undefined
  const { readSpelled } = await import('./sniff/read-spelled.ts')
  return readSpelled({ path, bytes, spelling: spelling ?? {}, isKnown }, rules, problems)
}

/** Whether a layout reads one of these rows. */
function readsOne(lines: readonly string[], layout: CsvLayout): boolean {
  const sample = Buffer.from(lines.join('\n'))
  const { rows } = parseCsv(
    { bytes: sample, layout, start: 0, midnight: 0 },
    { keepImpossible: true },
    createProblemList(''),
  )
  return rows.openTime.length > 0 || layout.time === 'sinceMidnight'
}

function afterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0 // byte order mark
}

function readText(path: string, { bytes, innerName }: FileContent, rules: RowRules, problems: ProblemList): RawFile {
  const start = afterMark(bytes)
  const layout = recognise(path, bytes, start)
  const midnight = layout.time === 'sinceMidnight' ? dayInName(path, innerName) : 0
  const mixed = { ...rules, mixedUnits: layout.mixedUnits }
  const { symbol, ...rows } = parseCsv({ bytes, layout, start, midnight }, mixed, problems)
  return {
    layout: layout.name,
    series: [{ ...rows, market: null, symbol, interval: null, synthetic: layout.synthetic }],
    holdsConflicts: layout.holdsConflicts,
    showsSpot: layout.showsSpot,
  }
}

function recognise(path: string, bytes: Uint8Array, start: number): CsvLayout {
  const lines = textOf(bytes, start, bytes.length, 4000).split(/\r?\n/, 3)
  const first = lines.at(0) ?? ''
  // Names of columns that we do not read may contain other bytes, but a table contains no control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this finds
  const isText = !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(first)
  const layout = isText ? findCsvLayout(lines) : describeBinary(bytes)
  if (typeof layout !== 'string') return layout
  throw new Failure('candlesInvalid', `the layout of ${path} is not known: ${layout}`, {
    hint: `known are ${KNOWN_LAYOUTS}`,
  })
}

/** Lean counts times from midnight of the day in the file's name. */
function dayInName(path: string, innerName: string | null): number {
  for (const name of [innerName ?? '', basename(path)]) {
    const digits = /(?:^|\D)(20\d{6})(?:\D|$)/.exec(name)?.at(1)
    const day = digits === undefined ? Number.NaN : parseTimeText(Buffer.from(digits), 0, 8)
    if (!Number.isNaN(day)) return day
  }
  throw new Failure('candlesInvalid', `${path} counts from midnight, and its name does not give the day`, {
    hint: 'give it back the name it had, such as 20221213_trade.zip',
  })
}

function describeBinary(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('PK')) return 'it is an archive inside an archive'
  if (start.startsWith('FEA1')) return 'it is Feather version 1; write it as version 2'
  if (start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')) return 'it is UTF-16 text; save it as UTF-8'
  return `it is not text (${Math.min(bytes.length, LARGEST_FILE)} bytes)`
}

/** freqtrade's JSON: one array of `[open time in ms, open, high, low, close, volume]`. @throws Error when the bytes are no JSON array of rows */
function readFreqtradeJson(bytes: Uint8Array, rules: RowRules, problems: ProblemList): RawFile {
  const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (!Array.isArray(content)) throw new Error('it is no array of candles')
  const collector = createRowCollector(content.length, rules, problems)
  const cells = new Float64Array(6)
  for (const [i, row] of content.entries()) {
    if (Array.isArray(row) && row.length === 6 && row.every((cell) => typeof cell === 'number')) {
      cells.set(row)
      collector.add(i + 1, cells)
    } else {
      const shown = JSON.stringify(row)?.slice(0, 80)
      problems.add(i + 1, 'unreadable', `expected [time, open, high, low, close, volume] in numbers, found ${shown}`)
    }
  }
  const series = [{ ...collector.finish(), market: null, symbol: null, interval: null, synthetic: false }]
  return { layout: 'freqtrade-json', series, holdsConflicts: false }
}
