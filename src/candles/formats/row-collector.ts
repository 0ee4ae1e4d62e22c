/** Collects rows of any layout into columns: times are converted to ms, numbers that are no candle are recorded as problems. */
import type { Candles } from '../../engine/candles.ts'
import { Failure, type Problem } from '../../errors.ts'
import { candleRows, EARLIEST_TIME, emptyCandles, LATEST_TIME, VALUE_COLUMNS } from '../months.ts'

export type TimeUnit = 's' | 'ms' | 'µs' | 'ns'

/** How rows are collected. */
export interface RowRules {
  /** The layout is known to change its unit of time from row to row. */
  readonly mixedUnits?: boolean
  /** For a check: keep rows that are no candle, so that all of them can be counted. */
  readonly keepImpossible?: boolean
}

export interface CollectedRows {
  /** In the order of the file; `intervalMs` is not known yet (0). */
  readonly rows: Candles
  /** Line (or row) of each candle in its file, from 1. */
  readonly lines: Uint32Array
  /** Of the first row; null when no row could be read. */
  readonly unit: TimeUnit | null
}

interface RowCollector {
  /** `cells`: open time in any unit, open, high, low, close, volume; may be reused by the caller. */
  add(line: number, cells: Float64Array): void
  finish(): CollectedRows
}

/** Allocates for `expected` rows, so that columns need not grow; the system provides memory only for rows that are written. */
export function createRowCollector(expected: number, rules: RowRules, problems: ProblemList): RowCollector {
  let rows = emptyCandles(0, Math.max(64, expected))
  let lines = new Uint32Array(rows.openTime.length)
  let count = 0
  let unit: TimeUnit | null = null
  return {
    add(line, cells) {
      const rowUnit = unitOf(cells[0])
      if (rowUnit === undefined) {
        problems.add(line, 'time', `time ${cells[0]} lies outside the years 2000–2099, read as s, ms, µs or ns`)
        return
      }
      unit ??= rowUnit
      if (rowUnit !== unit && rules.mixedUnits !== true) {
        problems.add(line, 'timeUnit', `time ${cells[0]} is in ${rowUnit}, the first one in ${unit}`)
        if (rules.keepImpossible !== true) return
      }
      if (cells[5] === 0) cells[5] = 0 // −0 is 0
      const wrong = rules.keepImpossible === true ? undefined : findImpossible(cells)
      if (wrong !== undefined) {
        problems.add(line, 'impossible', wrong)
        return
      }
      if (count === lines.length) {
        rows = grown(rows)
        lines = grownLines(lines)
      }
      rows.openTime[count] = toMs(cells[0], rowUnit)
      for (let i = 0; i < VALUE_COLUMNS.length; i++) rows[VALUE_COLUMNS[i]][count] = cells[i + 1]
      lines[count++] = line
    },
    finish: () => ({ rows: candleRows(rows, 0, count), lines: lines.subarray(0, count), unit }),
  }
}

/** A sentence why six numbers are no candle, or undefined when they are one. */
function findImpossible(cells: Float64Array): string | undefined {
  const open = cells[1]
  const high = cells[2]
  const low = cells[3]
  const close = cells[4]
  const volume = cells[5]
  if (!Number.isFinite(open + high + low + close + volume))
    return `a value is missing or not finite, found ${cells.subarray(1).join(',')}`
  if (open > 0 && low > 0 && close > 0 && high >= open && high >= close && low <= open && low <= close && volume >= 0) {
    return undefined
  }
  if (open <= 0 || high <= 0 || low <= 0 || close <= 0)
    return `a price must be above 0, found ${open},${high},${low},${close}`
  if (high < low) return `high ${high} is below low ${low}`
  if (volume < 0) return `volume must not be negative, found ${volume}`
  return high < open || high < close
    ? `high ${high} is below open ${open} or close ${close}: damaged, or columns are swapped`
    : `low ${low} is above open ${open} or close ${close}: damaged, or columns are swapped`
}

/** The years 2000–2099 written in different units do not overlap, so the size of a number shows its unit. */
export function unitOf(time: number): TimeUnit | undefined {
  if (time >= EARLIEST_TIME && time < LATEST_TIME) return 'ms'
  if (time >= EARLIEST_TIME / 1000 && time < LATEST_TIME / 1000) return 's'
  if (time >= EARLIEST_TIME * 1000 && time < LATEST_TIME * 1000) return 'µs'
  if (time >= EARLIEST_TIME * 1e6 && time < LATEST_TIME * 1e6) return 'ns'
  return undefined
}

/**
 * Multiplying or dividing a whole number by a power of ten is exact here; multiplying by 0.001 would not be. Whole milliseconds
 * written in ns stay exact when divided.
 */
function toMs(time: number, unit: TimeUnit): number {
  switch (unit) {
    case 's':
      return time * 1000
    case 'ms':
      return time
    case 'µs':
      return time / 1000
    case 'ns':
      return Math.round(time / 1000) / 1000 // a float64 does not keep the last digits above 2^53, but it keeps whole µs
  }
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

/** The layouts of whole files, recognised by content. */
export type LayoutName =
  | 'normalised'
  | 'binance-vision'
  | 'named-columns'
  | 'cryptodatadownload'
  | 'lean-minute'
  | 'lean-hour'
  | 'freqtrade-json'
  | 'arrow'
  | 'parquet'
  | 'octobot'
  | 'spelled'

/** The rows of one market in the order of the file, and what the content says about them. */
export interface RawSeries extends CollectedRows {
  readonly market: string | null
  /** A pair without its exchange, as written: `BTC/USDT`. */
  readonly symbol: string | null
  /** As written; may be none that we store. */
  readonly interval: string | null
  readonly synthetic: boolean
}

export interface RawFile {
  readonly layout: LayoutName
  /** Not empty; several when the file holds several markets. */
  readonly series: readonly RawSeries[]
  /** True when the layout may hold two candles of one time; the conflict policy then chooses one. */
  readonly holdsConflicts: boolean
  /** The content is known to be of a spot market of Binance. */
  readonly showsSpot?: boolean
  /** How it was read, where nothing in it says so. */
  readonly assumed?: string
}

/**
 * What is wrong with a line: an unreadable cell, an impossible time, a time in another unit than the first, numbers that are no
 * candle, a second candle of one time, a time beside the grid of the interval.
 */
export type ProblemKind = 'unreadable' | 'time' | 'timeUnit' | 'impossible' | 'conflict' | 'misaligned'

/** The problems of one file: the first ones with their lines, the rest as a count. */
export interface ProblemList {
  add(line: number, kind: ProblemKind, message: string): void
  /** How many problems of each kind were added. */
  counts(): ReadonlyMap<ProblemKind, number>
  /** @throws Failure candlesInvalid when there was any problem */
  refuse(what: string): void
}

const mostNamed = 20

export function createProblemList(path: string): ProblemList {
  const problems: Problem[] = []
  const counts = new Map<ProblemKind, number>()
  return {
    add(line, kind, message) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if (problems.length < mostNamed) problems.push({ place: `${path}:${line}`, message })
    },
    counts: () => counts,
    refuse(what) {
      const count = [...counts.values()].reduce((sum, n) => sum + n, 0)
      if (count === 0) return
      const hidden = count - problems.length
      const rest = hidden > 0 ? [{ place: path, message: `… and ${hidden} more` }] : []
      throw new Failure('candlesInvalid', `${what}: ${count === 1 ? 'a problem' : `${count} problems`} in ${path}`, {
        problems: [...problems, ...rest],
        details: { count },
      })
    },
  }
}
