/** Turns the rows of a file into candles: in time order, without repetitions, on the grid of one interval. */
import { findInterval, INTERVALS, type Interval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { isAscending } from './check.ts'
import type { ProblemList } from './formats/row-collector.ts'
import { equalRows } from './merge.ts'
import { candleRows, emptyCandles, isoTime, VALUE_COLUMNS } from './months.ts'

export interface OrderedRows {
  readonly rows: Candles
  readonly lines: Uint32Array
  /** Rows that repeated another row exactly and were left out. */
  readonly duplicates: number
  /** How many rows were older than the row before them. */
  readonly disordered: number
  readonly conflicts: readonly RowConflict[]
}

/** Two different candles of one time, by their lines. */
export interface RowConflict {
  readonly time: number
  readonly line: number
  /** The line of the row that is kept. */
  readonly keptLine: number
}

/**
 * Sorts rows by time and drops repetitions. Of two different candles of one time it keeps the first in the file, or with `prefer`
 * `last` the last.
 */
export function orderRows(rows: Candles, lines: Uint32Array, prefer: 'first' | 'last' = 'first'): OrderedRows {
  const { openTime } = rows
  if (isAscending(openTime)) return { rows, lines, duplicates: 0, disordered: 0, conflicts: [] }
  const order = Uint32Array.from(openTime, (_, i) => i)
  if (isDescending(openTime)) order.reverse()
  else order.sort((a, b) => openTime[a] - openTime[b] || a - b)
  const sorted = emptyCandles(0, order.length)
  const sortedLines = new Uint32Array(order.length)
  const conflicts: RowConflict[] = []
  let count = 0
  let duplicates = 0
  const place = (row: number, at: number): void => {
    sorted.openTime[at] = openTime[row]
    for (const name of VALUE_COLUMNS) sorted[name][at] = rows[name][row]
    sortedLines[at] = lines[row]
  }
  for (const row of order) {
    const last = count - 1
    if (count === 0 || sorted.openTime[last] !== openTime[row]) place(row, count++)
    else if (equalRows(sorted, last, rows, row)) duplicates++
    else if (prefer === 'first') {
      conflicts.push({ time: openTime[row], line: lines[row], keptLine: sortedLines[last] })
    } else {
      conflicts.push({ time: openTime[row], line: sortedLines[last], keptLine: lines[row] })
      place(row, last)
    }
  }
  const disordered = countSteps(openTime, (step) => step < 0)
  return {
    rows: candleRows(sorted, 0, count),
    lines: sortedLines.subarray(0, count),
    duplicates,
    disordered,
    conflicts,
  }
}

/** The most frequent distance between ascending times, ms (the smaller one when two are equally frequent), or null for fewer than two. */
function usualSpacing(openTime: Float64Array): number | null {
  const counts = new Map<number, number>()
  for (let i = 1; i < openTime.length; i++) {
    const step = openTime[i] - openTime[i - 1]
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  const ranked = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b)
  return ranked.at(0)?.at(0) ?? null
}

/** After this many steps of a coarser interval in a row, the rows are candles of that interval and not those of a thin market. */
const stepsThatDecide = 12

/**
 * The coarser interval that a run of rows has, with its first row, or undefined. Thin markets skip candles, but not the same number
 * twelve times in a row and always onto the coarser grid.
 */
export function findOtherInterval(
  openTime: Float64Array,
  interval: Interval,
): { interval: Interval; row: number } | undefined {
  let steps = 0
  for (let i = 1; i < openTime.length; i++) {
    const step = openTime[i] - openTime[i - 1]
    const repeats = i > 1 && step === openTime[i - 1] - openTime[i - 2]
    steps = step > INTERVALS[interval] && openTime[i] % step === 0 ? (repeats ? steps + 1 : 1) : 0
    const other = steps === stepsThatDecide ? findInterval(step) : undefined
    if (other !== undefined) return { interval: other, row: i - stepsThatDecide }
  }
  return undefined
}

/** With this many rows or more, their spacing counts more than a file name or a flag. */
const rowsThatDecide = 10

/**
 * Returns the interval of ascending rows, or a sentence why it cannot be decided. A flag or name may say less than the spacing
 * shows (thin markets skip minutes), but not when every row lies on a coarser grid.
 */
export function decideInterval(
  openTime: Float64Array,
  stated: Interval | null,
): { interval: Interval } | { why: string } {
  const spacing = usualSpacing(openTime)
  if (stated !== null) {
    if (spacing !== null && spacing < INTERVALS[stated]) {
      return { why: `rows are most often ${spacing / 1000} seconds apart, too close for ${stated} candles` }
    }
    const coarser = spacing === null || spacing <= INTERVALS[stated] ? undefined : findInterval(spacing)
    const allOnIt = coarser !== undefined && openTime.every((time) => time % INTERVALS[coarser] === 0)
    if (!allOnIt || openTime.length < rowsThatDecide) return { interval: stated }
    return { why: `every row is a ${coarser} candle by its times, not ${stated} as the name or --interval says` }
  }
  if (spacing === null) return { why: 'one row does not show its interval; add --interval' }
  const interval = findInterval(spacing)
  if (interval !== undefined) return { interval }
  return { why: `rows are most often ${spacing / 1000} seconds apart, which is no interval we store` }
}

/** Returns the rows as candles; reports each row that is not on the interval's grid as a problem. */
export function alignRows({ rows, lines }: OrderedRows, interval: Interval, problems: ProblemList): Candles {
  const intervalMs = INTERVALS[interval]
  const { openTime } = rows
  for (let i = 0; i < openTime.length; i++) {
    if (openTime[i] % intervalMs === 0) continue
    problems.add(
      lines[i],
      'misaligned',
      `a ${interval} candle cannot open at ${isoTime(openTime[i])} (${openTime[i]} ms)`,
    )
  }
  return { ...rows, intervalMs }
}

function countSteps(times: Float64Array, counts: (step: number) => boolean): number {
  let count = 0
  for (let i = 1; i < times.length; i++) if (counts(times[i] - times[i - 1])) count++
  return count
}

function isDescending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (!(times[i] < times[i - 1])) return false
  return true
}
