/** Text and tables for people, JSON for programs. Text from a service is cleaned of terminal control characters before it is printed. */
import { styleText } from 'node:util'
import { Failure } from '../errors.ts'
import type { Terminal } from '../system.ts'

/** One JSON document and a newline. */
export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  await terminal.out(`${jsonText(value, 2)}\n`)
}

/** JSON that is safe on a terminal: characters that JSON does not escape and a terminal interprets are written as \uXXXX. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    obeyedBeyondAscii,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export async function printLines(terminal: Terminal, lines: readonly string[]): Promise<void> {
  await terminal.out(`${lines.map(printable).join('\n')}\n`)
}

export interface Column<Row> {
  readonly title: string
  /** null is shown as a dash: unknown is not zero. */
  readonly value: (row: Row) => string | number | null
  readonly digits?: number
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
  await printLines(terminal, joinColumns(aligned.slice(0, count), rows.length))
  const dropped = columns.slice(count).map(({ title }) => title)
  if (dropped.length > 0) {
    say(terminal, `too wide for this terminal, left out: ${dropped.join(', ')}; ${remedy}`)
  }
}

interface AlignedColumn {
  readonly titles: readonly string[]
  readonly cells: readonly string[]
  readonly width: number
}

function alignColumn<Row>(rows: readonly Row[], { title, value, digits }: Column<Row>, narrow: boolean) {
  const values = rows.map(value)
  const numbers = values.filter((cell) => typeof cell === 'number')
  const cells = values.map((cell) => formatCell(cell, digits ?? usualDigits(numbers)))
  const words = narrow ? titleWords(title) : [title]
  const width = [...words, ...cells].reduce((most, text) => Math.max(most, text.length), 0)
  const align = (text: string) => (numbers.length > 0 ? text.padStart(width) : text.padEnd(width))
  return { titles: words.map(align), cells: cells.map(align), width }
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

function joinColumns(columns: readonly AlignedColumn[], rowCount: number): string[] {
  const height = Math.max(...columns.map(({ titles }) => titles.length))
  const titles = Array.from({ length: height }, (_, line) =>
    columns.map(({ titles, width }) => titles[line - height + titles.length] ?? ' '.repeat(width)),
  )
  const rules = columns.map(({ width }) => '-'.repeat(width))
  const body = Array.from({ length: rowCount }, (_, row) => columns.map(({ cells }) => cells[row]))
  return [...titles, rules, ...body].map((line) => line.join(gap).trimEnd())
}

function formatCell(value: string | number | null, digits: number): string {
  if (value === null) return '-'
  // A service's words must not make rows of their own.
  return typeof value === 'string' ? printable(value.replaceAll('\n', '\\n')) : formatNumber(value, digits)
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

/** "1 request", "2 requests". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** "3.2 MB": decimal units, as disks are sold. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return countOf(bytes, 'byte')
  const [unit, size] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9]
  return `${(bytes / Number(size)).toFixed(1)} ${unit}`
}

export function formatNumber(value: number | null, digits: number): string {
  if (value === null) return '-'
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace('-', '') : text
}

/** ISO 8601 to the second, as every text output writes times. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** `2025-05-20T00:00:00Z to 2025-06-19T00:00:00Z`. */
export function formatSpan({ from, to }: { readonly from: number; readonly to: number }): string {
  return `${formatTime(from)} to ${formatTime(to)}`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The two largest units that are not 0: "2 d 3 h", "1 min 5 s", "3 s". Whole seconds, rounded up, so that 0 s means that nothing is left. */
export function formatDuration(ms: number): string {
  const whole = Math.ceil(ms / 1000) * 1000
  const first = UNITS.findIndex(([, unit]) => whole >= unit)
  if (first === -1) return '0 s'
  let rest = whole
  const parts = UNITS.slice(first, first + 2).flatMap(([name, unit]) => {
    const count = Math.floor(rest / unit)
    rest -= count * unit
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.join(' ')
}

/** DEL, the 8-bit controls (U+009B begins an escape sequence), the separators of lines and paragraphs, and what changes the writing direction. */
const obeyedBeyondAscii = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** Control characters (terminal escapes among them) made visible; newlines stay. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this removes
  return text.replace(/[\u0000-\u0009\u000b-\u001f]/g, '\ufffd').replace(obeyedBeyondAscii, '\ufffd')
}

/** Prints a failure to stderr: as JSON with `--json`, else as text with every problem and its place. */
export function printFailure(terminal: Terminal, failure: Failure, json: boolean): void {
  if (json) {
    terminal.err(`${jsonText(failure)}\n`)
    return
  }
  const label = terminal.errIsTerminal && terminal.colours ? styleText('red', 'error') : 'error'
  const problems = failure.problems.map((problem) => `  ${problem.place}: ${problem.message}`)
  const lines = [`${failure.message}`, ...problems, `hint: ${failure.hint}`].map(printable)
  terminal.err(`${label}: ${lines.join('\n')}\n`)
}

/** Prints one line to stderr (progress and hints; data goes to stdout), whatever line breaks a service's words have. */
export function say(terminal: Terminal, text: string): void {
  terminal.err(`${printable(text.replaceAll('\n', '\\n'))}\n`)
}

/** A whole number flag. @throws Failure usage */
export function wholeNumber(
  flag: string,
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value
    const most = maximum === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${maximum}`
    throw new Failure('usage', `${flag} expects a whole number of at least ${minimum}${most}, found "${text}"`)
  }
}

/** A number flag that may have decimals. @throws Failure usage */
export function decimalNumber(flag: string, minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value >= minimum) return value
    throw new Failure('usage', `${flag} expects a number of at least ${minimum}, found "${text}"`)
  }
}
