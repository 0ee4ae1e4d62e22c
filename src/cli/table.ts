/** Tables for people: aligned, with the same decimals all the way down a column, and no wider than the terminal. */
import type { Terminal } from '../system.ts'
import { countOf, type FittingTable, formatNumber, inOneLine, printAnswer, printable, say } from './output.ts'
import { paint, type Tone } from './tone.ts'

export interface Column<Row> {
  readonly title: string
  /** null is shown as a dash: unknown is not zero. */
  readonly value: (row: Row) => string | number | null
  readonly digits?: number
  /** Left out before others where there is no room: what can be looked up by the row's name. */
  readonly spare?: boolean
  /** The colour of a cell, where there are colours. */
  readonly tone?: (value: string | number | null) => Tone | undefined
}

/**
 * An aligned table; numbers to the right, with the same decimals in a column, text to the left. `narrow`: titles are broken into
 * one word per line.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { narrow = false }: { readonly narrow?: boolean } = {},
): string[] {
  return joinColumns(
    columns.map((column) => alignColumn(rows, column, narrow)),
    rows.length,
  )
}

/** The same, where it is printed by `printLines`: columns that do not fit are left out, and a last line names them. */
export function fittingTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { narrow = false }: { readonly narrow?: boolean } = {},
): FittingTable {
  const aligned = columns.map((column) => alignColumn(rows, column, narrow))
  return {
    linesWithin({ columns: room, colours }) {
      const kept = room === undefined ? columns : columnsWithin(room, columns, aligned)
      const hidden = columns.filter((column) => !kept.includes(column)).map(({ title }) => title)
      return [
        ...joinColumns(
          aligned.filter((_, index) => kept.includes(columns[index])),
          rows.length,
          colours,
        ),
        ...(hidden.length === 0 ? [] : [printable(describeHidden(hidden, room ?? 0))]),
      ]
    },
  }
}

/** Spare columns go first, then the others, each time the last one; one column stays, however wide it is. */
function columnsWithin<Row>(
  room: number,
  columns: readonly Column<Row>[],
  aligned: readonly AlignedColumn[],
): readonly Column<Row>[] {
  const widths = new Map(columns.map((column, index) => [column, aligned[index].width]))
  let kept = columns
  const width = () => kept.reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap.length, -gap.length)
  while (kept.length > 1 && width() > room) {
    const last = kept.findLast(({ spare }) => spare) ?? kept.at(-1)
    kept = kept.filter((column) => column !== last)
  }
  return kept
}

function describeHidden(hidden: readonly string[], room: number): string {
  const many = countOf(hidden.length, 'column')
  const named = `${many} hidden: ${hidden.join(', ')}; --wide shows all`
  return named.length <= room ? named : `${many} hidden; --wide`
}

/**
 * The same, no wider than the terminal: columns that do not fit are left out from the right, and named on stderr with `remedy`,
 * which says how to see them. What is piped is never cut. A single column that is too wide stays.
 */
export async function printFittingTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { narrow = false, remedy }: { readonly narrow?: boolean; readonly remedy: string },
): Promise<void> {
  const aligned = columns.map((column) => alignColumn(rows, column, narrow))
  const count = terminal.outIsTerminal ? countFitting(aligned, terminal.columns) : aligned.length
  await printAnswer(terminal, joinColumns(aligned.slice(0, count), rows.length))
  const dropped = columns.slice(count).map(({ title }) => title)
  if (dropped.length > 0) {
    say(terminal, `too wide for this terminal, left out: ${dropped.join(', ')}; ${remedy}`)
  }
}

interface AlignedColumn {
  readonly titles: readonly string[]
  readonly cells: readonly string[]
  /** Of the cells. */
  readonly tones: readonly (Tone | undefined)[]
  readonly width: number
}

function alignColumn<Row>(
  rows: readonly Row[],
  { title, value, digits, tone }: Column<Row>,
  narrow: boolean,
): AlignedColumn {
  const values = rows.map(value)
  const numbers = values.filter((cell) => typeof cell === 'number')
  const cells = values.map((cell) => formatCell(cell, digits ?? usualDigits(numbers)))
  const words = (narrow ? titleWords(title) : [title]).map(printable)
  const width = [...words, ...cells].reduce((most, text) => Math.max(most, text.length), 0)
  const align = (text: string) => (numbers.length > 0 ? text.padStart(width) : text.padEnd(width))
  return { titles: words.map(align), cells: cells.map(align), tones: values.map((cell) => tone?.(cell)), width }
}

const gap = '  '

/** How many columns from the left fit; at least one. Some terminals report 0 columns: unknown. */
function countFitting(columns: readonly AlignedColumn[], room: number): number {
  if (room < 1) return columns.length
  let used = -gap.length
  const tooMany = columns.findIndex(({ width }) => {
    used += gap.length + width
    return used > room
  })
  return tooMany === -1 ? columns.length : Math.max(1, tooMany)
}

function joinColumns(columns: readonly AlignedColumn[], rowCount: number, colours = false): string[] {
  const height = Math.max(...columns.map(({ titles }) => titles.length))
  const titles = Array.from({ length: height }, (_, line) =>
    columns.map(({ titles, width }) => titles[line - height + titles.length] ?? ' '.repeat(width)),
  )
  const rules = columns.map(({ width }) => '-'.repeat(width))
  const body = Array.from({ length: rowCount }, (_, row) =>
    columns.map(({ cells, tones }) => paint(cells[row], colours ? tones[row] : undefined)),
  )
  return [...titles, rules, ...body].map((line) => line.join(gap).trimEnd())
}

function formatCell(value: string | number | null, digits: number): string {
  if (value === null) return '-'
  // A service's words must not make rows of their own.
  return typeof value === 'string' ? printable(inOneLine(value)) : formatNumber(value, digits)
}

/** "Max drawdown %" and "PriceScalePercent" word by word; a unit stays beside its word. */
function titleWords(title: string): string[] {
  return title.split(/ (?!%)|(?<=[a-z])(?=[A-Z])/)
}

const MOST_DECIMALS = 12

/** None for whole numbers, else two; more where the largest of the column is below one, so that a profit in BTC is not 0.00. */
function usualDigits(numbers: readonly number[]): number {
  if (numbers.every(Number.isInteger)) return 0
  const largest = Math.max(...numbers.map(Math.abs))
  return largest >= 1 ? 2 : Math.min(2 - Math.floor(Math.log10(largest)), MOST_DECIMALS)
}

/** As many decimals as are needed to show four significant digits of every number of a column, and no more than they have. */
export function tellingDigits(numbers: readonly number[]): number {
  return numbers.reduce((most, value) => {
    if (Number.isInteger(value) || !Number.isFinite(value)) return most
    const enough = Math.min(Math.max(2, 3 - Math.floor(Math.log10(Math.abs(value)))), MOST_DECIMALS)
    const text = value.toFixed(enough).replace(/0+$/, '')
    return Math.max(most, text.length - text.indexOf('.') - 1)
  }, 0)
}
