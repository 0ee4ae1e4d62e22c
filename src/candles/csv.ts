/**
 * Rows of a known CSV layout, byte by byte. Every cell we use must be a plain decimal number, every row possible as a candle;
 * what is not becomes a problem with its line and the reading goes on, so that one attempt shows them all.
 */
import type { Candles } from '../engine/candles.ts'
import { parseDecimal, textOf } from './decimal.ts'
import type { CsvColumn, CsvLayout } from './layouts.ts'
import { candleRows, EARLIEST_TIME, emptyCandles, LATEST_TIME, VALUE_COLUMNS } from './months.ts'
import type { ProblemList } from './problems.ts'

export type TimeUnit = 's' | 'ms' | 'µs'

export interface CsvRows {
  /** In the order of the file; `intervalMs` is not known yet (0). */
  readonly rows: Candles
  /** Line of each row, from 1. */
  readonly lines: Uint32Array
  /** null when no row could be read. */
  readonly unit: TimeUnit | null
}

/** Shorter than rows usually are, so that columns seldom have to grow; memory that no row reaches is never touched. */
const bytesPerRow = 48

/** The good rows of `bytes`; the bad ones are added to `problems`. `start` is the offset of the first line. */
export function parseCsv(bytes: Uint8Array, layout: CsvLayout, start: number, problems: ProblemList): CsvRows {
  const { columns } = layout
  const slots = columns.map((column) => (column === null ? -1 : slotOf(column)))
  const cells = new Float64Array(6)
  const guess = Math.max(64, Math.ceil(bytes.length / bytesPerRow))
  let rows = emptyCandles(0, guess)
  let lines = new Uint32Array(guess)
  let count = 0
  let unit: TimeUnit | null = null
  let line = 0
  for (let at = start; at < bytes.length; ) {
    line++
    const lineStart = at
    const lineEnd = endOfLine(bytes, at)
    at = lineEnd + 1
    const end = lineEnd > lineStart && bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd // CR of CR LF
    if (end === lineStart || (line === 1 && layout.hasHeader)) continue
    const broken = readCells(bytes, lineStart, end, slots, cells)
    if (broken !== undefined) {
      problems.add(line, describeBroken(bytes, lineStart, end, columns, broken))
      continue
    }
    const rowUnit = unitOf(cells[0])
    unit ??= rowUnit ?? null
    const wrong =
      rowUnit === undefined || rowUnit !== unit ? describeTime(cells[0], rowUnit, unit) : findImpossible(cells)
    if (wrong !== undefined) {
      problems.add(line, wrong)
      continue
    }
    if (count === lines.length) {
      rows = grown(rows)
      lines = grownLines(lines)
    }
    rows.openTime[count] = toMs(cells[0], unit)
    for (let i = 0; i < VALUE_COLUMNS.length; i++) rows[VALUE_COLUMNS[i]][count] = cells[i + 1]
    lines[count++] = line
  }
  return { rows: candleRows(rows, 0, count), lines: lines.subarray(0, count), unit }
}

/** Reads one line into `cells`; the answer is the index of the first cell that is no number, or −1 − (cells found) when their number is wrong. */
function readCells(
  bytes: Uint8Array,
  start: number,
  end: number,
  slots: readonly number[],
  cells: Float64Array,
): number | undefined {
  let column = 0
  let broken: number | undefined
  for (let at = start; at <= end; column++) {
    let cellEnd = at
    while (cellEnd < end && bytes[cellEnd] !== 44) cellEnd++
    const slot = column < slots.length ? slots[column] : -1
    if (slot >= 0) {
      const value = parseDecimal(bytes, at, cellEnd)
      if (!Number.isFinite(value)) broken ??= column
      cells[slot] = value
    }
    at = cellEnd + 1
  }
  return column === slots.length ? broken : -1 - column
}

/** Why six numbers are no candle, in words, or undefined when they are one. */
function findImpossible(cells: Float64Array): string | undefined {
  const open = cells[1]
  const high = cells[2]
  const low = cells[3]
  const close = cells[4]
  const volume = cells[5]
  if (volume === 0) cells[5] = 0 // −0 is 0
  if (open > 0 && low > 0 && close > 0 && high >= open && high >= close && low <= open && low <= close && volume >= 0) {
    return undefined
  }
  if (open <= 0 || high <= 0 || low <= 0 || close <= 0)
    return `a price must be above 0, found ${open},${high},${low},${close}`
  if (high < low) return `high ${high} is below low ${low}`
  if (volume < 0) return `volume must not be negative, found ${volume}`
  return high < open || high < close
    ? `high ${high} is below open ${open} or close ${close}`
    : `low ${low} is above open ${open} or close ${close}`
}

/** The years 2000–2099 written in different units do not overlap, so the size tells the unit. */
function unitOf(time: number): TimeUnit | undefined {
  if (time >= EARLIEST_TIME && time < LATEST_TIME) return 'ms'
  if (time >= EARLIEST_TIME / 1000 && time < LATEST_TIME / 1000) return 's'
  if (time >= EARLIEST_TIME * 1000 && time < LATEST_TIME * 1000) return 'µs'
  return undefined
}

/** Whole numbers times or over 1000 are exact; times 0.001 would not be. */
function toMs(time: number, unit: TimeUnit | null): number {
  if (unit === 's') return time * 1000
  return unit === 'µs' ? time / 1000 : time
}

function describeTime(time: number, rowUnit: TimeUnit | undefined, unit: TimeUnit | null): string {
  if (rowUnit === undefined) return `time ${time} lies outside the years 2000–2099, read as s, ms or µs`
  return `time ${time} is in ${rowUnit}, the first one in ${unit}`
}

function describeBroken(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: readonly (CsvColumn | null)[],
  broken: number,
): string {
  if (broken < 0) return `expected ${columns.length} columns, found ${-1 - broken}`
  const cell = textOf(bytes, start, end).split(',').at(broken) ?? ''
  return `${columns[broken] ?? 'cell'} is not a finite decimal number: "${cell.slice(0, 40)}"`
}

function slotOf(column: CsvColumn): number {
  return column === 'openTime' ? 0 : VALUE_COLUMNS.indexOf(column) + 1
}

function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(10, from)
  return end < 0 ? bytes.length : end
}

function grown(rows: Candles): Candles {
  const larger = emptyCandles(rows.intervalMs, rows.openTime.length * 2)
  larger.openTime.set(rows.openTime)
  for (const name of VALUE_COLUMNS) larger[name].set(rows[name])
  return larger
}

function grownLines(lines: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(lines.length * 2)
  larger.set(lines)
  return larger
}
