/**
 * Tables of candles in spellings that are nobody's standard: other separators, quotes, decimal commas, names in seven languages, dates
 * in any order. A reading is right whose rows are candles; where two are, the user is asked, and nothing is guessed.
 */
import Papa from 'papaparse'
import { Failure } from '../../../errors.ts'
import { findSymbolColumn } from '../column-names.ts'
import { createRowCollector, type ProblemList, type RawFile, type RowRules, unitOf } from '../row-collector.ts'
import { bareName, type Columns, columnsAsGiven, columnsByName, columnsByPosition } from './spelled-columns.ts'
import {
  type DateOrder,
  type DecimalMark,
  leavesOrderOpen,
  numericTime,
  readNumber,
  readWrittenTime,
  zoneReader,
} from './written-cells.ts'

/** What the user says about a file; what is absent is found out from its rows. */
export interface Spelling {
  /** One character. */
  readonly delimiter?: string
  /** `time=Date+Time,open=Open,…`, by names or numbers from 1. */
  readonly columns?: string
  readonly dates?: DateOrder
  readonly decimal?: DecimalMark
  /** Of times without an offset: a name such as `Europe/Berlin`. Default UTC. */
  readonly zone?: string
}

/** One way to read the rows. */
interface Reading {
  readonly table: Table
  readonly columns: Columns
  readonly decimal: DecimalMark
  readonly time: DateOrder | 'number'
}

interface Table {
  readonly delimiter: string
  /** Rows before the first candle, the one with the names among them. */
  readonly headRows: number
  readonly names: readonly string[]
  readonly width: number
  /** The rows above, as text. */
  readonly titles: readonly string[]
  /** The first rows of candles. */
  readonly sample: readonly Row[]
}

type Row = readonly string[]

interface Source {
  readonly path: string
  readonly text: string
  readonly spelling: Spelling
}

const SEPARATORS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const
const sampleRows = 2000
const mostHeadRows = 20
/** A reading is right when so many of its rows are candles … */
const enough = 0.9
/** … and a delimiter when so many rows have its width. */
const evenly = 0.95

interface SpelledFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly spelling: Spelling
  /** A known layout has its names of columns. */
  readonly isKnown: boolean
}

/**
 * The rows of a text file; single rows that cannot be read are added to `problems`. Undefined when it is no table of this kind, and,
 * where a known layout has its names, when its rows are not candles in any spelling either.
 * @throws Failure candlesInvalid with the flag to give, where more than one reading fits or the columns are not known
 */
export function readSpelled(
  { path, bytes, spelling, isKnown }: SpelledFile,
  rules: RowRules,
  problems: ProblemList,
): (RawFile & { readonly assumed: string }) | undefined {
  const { text, encoding } = decode(path, bytes)
  refusePage(path, text)
  const source = { path, text, spelling }
  const tables = tablesOf(source)
  const fitting = tables.flatMap((table) => fittingReadings(source, table))
  if (tables.length === 0 || (fitting.length === 0 && isKnown)) return undefined
  if (fitting.length === 0) throw unknownColumns(source, tables[0])
  const reading = chooseReading(source, fitting)
  const rows = readRows(source, reading, rules, problems)
  const assumed = describeReading(source, reading, { encoding, unit: rows.unit, hasOffsets: rows.hasOffsets })
  return {
    layout: 'spelled',
    series: [
      {
        rows: rows.rows,
        lines: rows.lines,
        unit: rows.unit,
        market: null,
        symbol: rows.symbol,
        interval: null,
        synthetic: false,
      },
    ],
    holdsConflicts: false,
    assumed,
  }
}

function decode(path: string, bytes: Uint8Array): { readonly text: string; readonly encoding: string } {
  const [first, second] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
  const wide = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : null
  try {
    if (wide !== null) return { text: new TextDecoder(wide).decode(bytes), encoding: 'UTF-16' }
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
    } catch {
      return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' }
    }
  } catch (cause) {
    const hint = 'split it, or write it as plain CSV with the columns timestamp,open,high,low,close,volume'
    throw new Failure('candlesInvalid', `${path} is too large to be read as text of this kind`, { cause, hint })
  }
}

function refusePage(path: string, text: string): void {
  if (!/^\s*<(?:!doctype|html|\?xml|head|body)/i.test(text)) return
  const words = text
    .slice(0, 20_000)
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  throw new Failure('candlesInvalid', `${path} is a web page, not a table: "${words.slice(0, 100)}"`, {
    hint: 'download the file itself; the page usually says what went wrong',
  })
}

/** One for each delimiter whose rows have one width. */
function tablesOf({ text, spelling }: Source): readonly Table[] {
  const named = /^\s*sep=(.)\r?\n/i.exec(text)?.at(1)
  const delimiters =
    spelling.delimiter !== undefined ? [spelling.delimiter] : named !== undefined ? [named] : Object.keys(SEPARATORS)
  return delimiters.flatMap((delimiter) => {
    const rows = Papa.parse<string[]>(text, { delimiter, preview: sampleRows + mostHeadRows }).data
    const table = tableOf(delimiter, rows)
    return table === undefined ? [] : [table]
  })
}

function tableOf(delimiter: string, rows: readonly Row[]): Table | undefined {
  const filled = rows.filter((row) => !isBlank(row))
  const widths = new Map<number, number>()
  for (const { length } of filled) widths.set(length, (widths.get(length) ?? 0) + 1)
  const [width = 0] = [...widths].sort(([, a], [, b]) => b - a)[0] ?? []
  const first = rows.findIndex((row) => row.length === width && !isBlank(row))
  if (width < 5 || first === -1 || first > mostHeadRows) return undefined
  const body = rows.slice(first).filter((row) => !isBlank(row))
  if (body.filter((row) => row.length === width).length < evenly * body.length) return undefined
  const [top] = body
  const hasNames = !top.some(
    (cell) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(cell) || readWrittenTime(cell, 'ymd') !== undefined,
  )
  const sample = (hasNames ? body.slice(1) : body).filter((row) => row.length === width).slice(0, sampleRows)
  if (sample.length === 0) return undefined
  const titles = rows.slice(0, first).map((row) => row.join(' '))
  return { delimiter, headRows: first + (hasNames ? 1 : 0), names: hasNames ? top : [], titles, width, sample }
}

function isBlank(row: Row): boolean {
  return row.every((cell) => cell.trim() === '') || row[0].startsWith('#')
}

/** @throws Failure candlesInvalid when more than one fits */
function chooseReading(source: Source, fitting: readonly Reading[]): Reading {
  const best = fitting[0]
  if (best.table.names.length === 0 && source.spelling.columns === undefined && isSwapped(best)) {
    const { open, close } = best.columns
    const why = `column ${open + 1} may be the close and column ${close + 1} the open`
    throw question(source, best, why, `add --columns time=${best.columns.time[0] + 1},open=…,high=…,low=…,close=…`)
  }
  const same = fitting.filter(({ table, columns }) => table === best.table && columns === best.columns)
  const others = fitting.filter(({ table }) => table !== best.table)
  if (others.length > 0) {
    throw question(source, best, 'can be read with more than one separator', 'add --delimiter and the right one')
  }
  const marks = new Set(same.map(({ decimal }) => decimal))
  if (marks.size > 1) {
    const cell = best.table.sample[0][best.columns.open].trim()
    throw question(
      source,
      best,
      `"${cell}" is ${readNumber(cell, 'comma')} or ${readNumber(cell, 'point')}`,
      'add --decimal comma or --decimal point',
    )
  }
  if (same.length > 1) return chooseOrder(source, same)
  return best
}

/** All readings of one table of which nearly all rows are candles. A number is preferred to a written time, as nothing can be wrong with it. */
function fittingReadings({ path, spelling }: Source, table: Table): readonly Reading[] {
  const ways = waysOf(path, spelling, table)
  const marks: readonly DecimalMark[] = spelling.decimal === undefined ? ['point', 'comma'] : [spelling.decimal]
  const orders: readonly DateOrder[] = spelling.dates === undefined ? ['dmy', 'mdy', 'ymd'] : [spelling.dates]
  const fitting = ways.flatMap((columns) => {
    const decimals = marks.filter((mark) => share(table.sample, (row) => isCandle(row, columns, mark)) >= enough)
    const text = (row: Row): string => timeText(row, columns)
    if (share(table.sample, (row) => isNumericTime(text(row))) >= enough) {
      return distinct(table, columns, decimals).map((decimal): Reading => ({ table, columns, decimal, time: 'number' }))
    }
    const isOpen = table.sample.some((row) => leavesOrderOpen(text(row)))
    const read = (isOpen ? orders : orders.slice(0, 1)).filter(
      (order) => share(table.sample, (row) => readWrittenTime(text(row), order) !== undefined) >= enough,
    )
    return distinct(table, columns, decimals).flatMap((decimal) =>
      read.map((time): Reading => ({ table, columns, decimal, time })),
    )
  })
  const numeric = fitting.filter(({ time, columns }) => time === 'number' && columns.time.length === 1)
  return numeric.length > 0 ? numeric : fitting
}

function waysOf(path: string, { columns }: Spelling, { names, width }: Table): readonly Columns[] {
  if (columns === undefined) return names.length > 0 ? columnsByName(names).ways : columnsByPosition(width)
  const given = columnsAsGiven(columns, names, width)
  if (typeof given !== 'string') return [given]
  throw new Failure('usage', `--columns does not fit ${path}: ${given}`)
}

/** Marks by which some number differs; one of them where none does. */
function distinct({ sample }: Table, columns: Columns, marks: readonly DecimalMark[]): readonly DecimalMark[] {
  const cells = (row: Row): string[] => [columns.open, columns.high, columns.low, columns.close].map((at) => row[at])
  const differs = sample.some((row) =>
    cells(row).some((cell) => readNumber(cell, 'point') !== readNumber(cell, 'comma')),
  )
  return differs ? marks : marks.slice(0, 1)
}

/** Without names: whether what is taken as the close opens where what is taken as the open ended. */
function isSwapped({ table: { sample }, columns, decimal, time }: Reading): boolean {
  const timeOf = (row: Row | undefined): number => {
    const text = row === undefined ? '' : timeText(row, columns)
    return time === 'number' ? numericTime(text) : (readWrittenTime(text, time)?.local ?? Number.NaN)
  }
  const rows = timeOf(sample.at(0)) <= timeOf(sample.at(-1)) ? sample : sample.toReversed()
  const opens = rows.map((row) => readNumber(row[columns.open], decimal))
  const closes = rows.map((row) => readNumber(row[columns.close], decimal))
  const jumps = (to: readonly number[], from: readonly number[]) =>
    rows.slice(1).reduce((sum, _, i) => sum + Math.abs(to[i + 1] - from[i]), 0)
  return jumps(closes, opens) < jumps(opens, closes) / 2
}

/** By the one order that makes equal steps all through the file. @throws Failure candlesInvalid when that decides nothing */
function chooseOrder(source: Source, readings: readonly Reading[]): Reading {
  const steps = readings.map(() => new Map<number, number>())
  const before = readings.map(() => Number.NaN)
  eachRow(source.text, readings[0].table, (row) => {
    for (const [i, { columns, time }] of readings.entries()) {
      const now = readWrittenTime(timeText(row, columns), time === 'number' ? 'ymd' : time)?.local ?? Number.NaN
      const step = Math.abs(now - before[i])
      if (step !== 0) steps[i].set(step, (steps[i].get(step) ?? 0) + 1)
      before[i] = now
    }
  })
  const odd = steps.map((counts) => {
    const all = [...counts.values()]
    return all.reduce((sum, n) => sum + n, 0) - Math.max(0, ...all)
  })
  const least = Math.min(...odd)
  const even = readings.filter((_, i) => odd[i] === least)
  if (even.length === 1) return even[0]
  const [first, second] = even.map(({ table, columns, time }) => {
    const written = readWrittenTime(timeText(table.sample[0], columns), time === 'number' ? 'ymd' : time)
    return new Date(written?.local ?? 0).toISOString().slice(0, 10)
  })
  const cell = timeText(even[0].table.sample[0], even[0].columns)
  const flags = even.map(({ time }) => `--dates ${time}`).join(' or ')
  throw question(source, even[0], `"${cell}" is ${first} or ${second}`, `add ${flags}`)
}

function question({ path }: Source, { table }: Reading, what: string, hint: string): Failure {
  return new Failure('candlesInvalid', `${path} line ${table.headRows + 1}: ${what}`, { hint })
}

function unknownColumns({ path }: Source, { names, width, sample, headRows }: Table): Failure {
  const { ways, lacks } = columnsByName(names)
  const numbered = 'name them by --columns time=1,open=2,high=3,low=4,close=5,volume=6'
  const shown = (names.length > 0 ? names : sample[0]).join(', ').slice(0, 120)
  if (names.length > 0 && lacks !== undefined) {
    return new Failure(
      'candlesInvalid',
      `${path} line ${headRows}: no column of ${shown} is known as ${lacks}, or two are`,
      { hint: `${numbered}, or by their own names` },
    )
  }
  const read =
    ways.length > 0
      ? `its columns ${shown} hold no candles, or times nobody can read`
      : `it has no column names, and its ${width} columns do not read as time, open, high, low, close, volume`
  return new Failure('candlesInvalid', `${path} line ${headRows + 1}: ${read}: ${sample[0].join(', ').slice(0, 120)}`, {
    hint: numbered,
  })
}

interface ReadRows extends ReturnType<ReturnType<typeof createRowCollector>['finish']> {
  readonly symbol: string | null
  readonly hasOffsets: boolean
}

function readRows(
  { path, text, spelling }: Source,
  reading: Reading,
  rules: RowRules,
  problems: ProblemList,
): ReadRows {
  const { columns, decimal, time, table } = reading
  const collector = createRowCollector(Math.ceil(text.length / 48), rules, problems)
  const inZone = timesIn(path, spelling.zone)
  const cells = new Float64Array(6)
  const symbolColumn = findSymbolColumn(table.names)
  let symbol: string | null = null
  let hasOffsets = false
  let letters = ''
  const prices = [columns.open, columns.high, columns.low, columns.close]
  const { volume } = columns
  const lacksVolume = (row: readonly string[]) => volume === null || /^-?$/.test(row[volume].trim())
  const isVolumeKnown = !table.sample.every(lacksVolume) // else rows without one have none, and are no damage
  eachRow(text, table, (row, line) => {
    if (row.length !== table.width) {
      problems.add(line, 'unreadable', `expected ${table.width} columns, found ${row.length}`)
      return
    }
    const written = timeText(row, columns)
    if (time === 'number') cells[0] = numericTime(written)
    else {
      const found = readWrittenTime(written, time)
      hasOffsets ||= found !== undefined && found.offset !== null
      letters ||= found?.letters ?? ''
      cells[0] =
        found === undefined
          ? Number.NaN
          : found.offset === null
            ? inZone(found.local)
            : found.local - found.offset * 60_000
    }
    for (const [i, at] of prices.entries()) cells[i + 1] = readNumber(row[at], decimal)
    cells[5] = volume === null || (!isVolumeKnown && lacksVolume(row)) ? 0 : readNumber(row[volume], decimal)
    const broken = cells.findIndex((value) => !Number.isFinite(value))
    if (broken !== -1) {
      const shown = broken === 0 ? written : row[broken === 5 ? (volume ?? 0) : prices[broken - 1]]
      const names = ['time', 'open', 'high', 'low', 'close', 'volume']
      problems.add(
        line,
        'unreadable',
        `${names[broken]} is not ${broken === 0 ? 'a time' : 'a number'}: "${shown.slice(0, 40)}"`,
      )
      return
    }
    if (symbolColumn !== -1) symbol ??= row[symbolColumn]
    if (symbolColumn !== -1 && row[symbolColumn] !== symbol) {
      problems.add(
        line,
        'unreadable',
        `is of ${row[symbolColumn]}, the first row is of ${symbol}; give each market its own file`,
      )
      return
    }
    collector.add(line, cells)
  })
  refuseEnds(path, reading)
  if (letters !== '' || (!hasOffsets && time !== 'number')) askZone(path, reading, spelling, letters)
  return { ...collector.finish(), symbol, hasOffsets }
}

/** Times at which candles end are no times at which they open. @throws Failure candlesInvalid */
function refuseEnds(path: string, { table, columns }: Reading): void {
  const named = timeNames(table, columns).find((name) =>
    /clos|(?<!\p{L})(?:bar ?)?(?:end|ende|fin|until|till)(?!\p{L})/iu.test(name),
  )
  if (named === undefined) return
  throw new Failure(
    'candlesInvalid',
    `${path} line ${table.headRows}: the times of "${named}" are those at which candles end`,
    { hint: 'write the times at which they open, or name the column that has them by --columns time=…' },
  )
}

const ZONES =
  /local|lokal|(?<!\p{L})(?:(?:utc|gmt) ?[+-]|[ecmp][sd]?t(?!\p{L})|(?:ces?t|mes?z|eest|eet|bst|msk|jst|kst|hkt|ist|brt|aes?t|мск)(?!\p{L}))|[+-]\d{1,2}:?\d{2}/iu
const IN_UTC = /[([（]\s*(?:utc|gmt|z|open)\s*[)\]）]/iu
const ZONE_NAMES = /^(?:(?:utc |time ?)?(?:zone|offset)|tz|zeitzone|zona(?: horaria)?|fuso|часовой пояс|时区)$/u
const ZONE_TITLES = /time ?zone|zeitzone|zona horaria|(?:utc|gmt) ?[+-] ?\d/iu

/**
 * A zone may stand in letters behind a time, in the name of a time column, in a column of its own or in a title. Brackets behind the name of a
 * time column are taken for one unless they say UTC. @throws Failure candlesInvalid where there is one and no `--zone`
 */
function askZone(path: string, { table, columns }: Reading, { zone }: Spelling, letters: string): void {
  if (zone !== undefined) return
  const named =
    letters ||
    (timeNames(table, columns).find((name) => ZONES.test(name) || (/[([（]/u.test(name) && !IN_UTC.test(name))) ??
      table.names.find((name) => ZONE_NAMES.test(bareName(name))) ??
      table.titles.find((title) => ZONE_TITLES.test(title)))
  if (named === undefined) return
  throw new Failure(
    'candlesInvalid',
    `${path} line ${table.headRows}: the times may not be in UTC: "${named.slice(0, 80)}"`,
    { hint: 'add --zone, such as --zone America/New_York or --zone UTC' },
  )
}

function timeNames({ names }: Table, { time }: Columns): readonly string[] {
  return time.map((at) => names.at(at) ?? '')
}

/** @throws Failure usage when the zone is not known */
function timesIn(path: string, zone: string | undefined): (local: number) => number {
  if (zone === undefined) return (local) => local
  try {
    return zoneReader(zone)
  } catch (cause) {
    throw new Failure('usage', `--zone of ${path} is no zone, found "${zone}"`, {
      cause,
      hint: 'give a name such as Europe/Berlin or UTC',
    })
  }
}

function eachRow(text: string, { delimiter, headRows }: Table, take: (row: Row, line: number) => void): void {
  let line = 0
  Papa.parse<string[]>(text, {
    delimiter,
    step: ({ data }) => {
      line++
      if (line > headRows && !isBlank(data)) take(data, line)
    },
  })
}

function timeText(row: Row, { time }: Columns): string {
  return time.map((at) => row[at].trim()).join(' ')
}

function isNumericTime(text: string): boolean {
  return unitOf(numericTime(text)) !== undefined
}

function isCandle(row: Row, columns: Columns, decimal: DecimalMark): boolean {
  const [open, high, low, close] = [columns.open, columns.high, columns.low, columns.close].map((at) =>
    readNumber(row[at], decimal),
  )
  const cell = columns.volume === null ? '' : row[columns.volume].trim()
  const volume = cell === '' || cell === '-' ? 0 : readNumber(cell, decimal) // such a row is refused by itself
  return low > 0 && high >= open && high >= close && low <= open && low <= close && volume >= 0
}

function share(rows: readonly Row[], holds: (row: Row) => boolean): number {
  return rows.filter(holds).length / rows.length
}

const ORDERS = { dmy: 'day/month/year', mdy: 'month/day/year', ymd: 'year/month/day' } as const

/** One sentence of what was assumed, without the name of the file. */
function describeReading(
  { spelling }: Source,
  { table, columns, decimal, time }: Reading,
  found: { readonly encoding: string; readonly unit: string | null; readonly hasOffsets: boolean },
): string {
  const separator =
    Object.entries(SEPARATORS)
      .find(([mark]) => mark === table.delimiter)
      ?.at(1) ?? `"${table.delimiter}"`
  const places = [...columns.time, columns.open, columns.high, columns.low, columns.close, columns.volume ?? []].flat()
  const named =
    table.names.length > 0
      ? `columns ${places.map((at) => table.names[at].trim() || `number ${at + 1}`).join(', ')}`
      : `no names, columns ${places.map((at) => at + 1).join(', ')} taken as ${columns.time.length === 2 ? 'date, time' : 'time'}, open, high, low, close${columns.volume === null ? '' : ', volume'}`
  const isOpen = table.sample.some((row) => leavesOrderOpen(timeText(row, columns)))
  const order = time !== 'number' && isOpen ? `${ORDERS[time]} ` : 'times '
  const times =
    time === 'number'
      ? `times in ${found.unit ?? 'ms'}`
      : `${order}${found.hasOffsets ? 'with their offsets' : `taken as ${spelling.zone ?? 'UTC'}`}`
  return [
    `read as ${separator}-separated${found.encoding === 'UTF-8' ? '' : ` ${found.encoding}`}, ${named}`,
    times,
    ...(decimal === 'comma' ? ['decimal comma'] : []),
    ...(columns.volume === null ? ['no volume, 0 taken'] : []),
  ].join('; ')
}
