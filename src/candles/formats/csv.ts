/**
 * Rows of a known CSV layout, byte by byte. Every cell we use must be a plain decimal number or a time; anything else is recorded
 * as a problem with its line, and reading continues, so that one attempt shows all problems.
 */
import { CANDLE_COLUMNS } from './column-names.ts'
import { parseDecimal, textOf } from './decimal.ts'
import type { CsvLayout } from './layouts.ts'
import { type CollectedRows, createRowCollector, type ProblemList, type RowRules } from './row-collector.ts'
import { parseTimeText } from './written-time.ts'

export interface CsvRows extends CollectedRows {
  /** The value of the column `symbol`, or null. */
  readonly symbol: string | null
}

export interface CsvSource {
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
          `is of ${rowSymbol}, the first row of ${symbol}; give each market its own file`,
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
