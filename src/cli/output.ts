/** Words and tables for people, JSON for programs. Nothing that a service wrote reaches the terminal unclean. */
import { styleText } from 'node:util'
import { Failure } from '../errors.ts'
import type { Terminal } from '../system.ts'

/** One JSON document and a newline. */
export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  await terminal.out(`${jsonText(value, 2)}\n`)
}

/** JSON whose text is safe on a terminal: what JSON itself leaves unescaped and a terminal obeys is written as \uXXXX. */
function jsonText(value: unknown, indent?: number): string {
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

/** An aligned table; numbers to the right with fixed digits, text to the left. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  const cells = rows.map((row) => columns.map((column) => formatCell(column.value(row), column.digits)))
  const numeric = columns.map((column) => rows.some((row) => typeof column.value(row) === 'number'))
  const widths = columns.map((column, i) => Math.max(column.title.length, ...cells.map((line) => line[i].length)))
  const align = (text: string, i: number) => (numeric[i] ? text.padStart(widths[i]) : text.padEnd(widths[i]))
  const titles = columns.map((column, i) => align(column.title, i))
  return [titles, widths.map((width) => '-'.repeat(width)), ...cells.map((line) => line.map(align))].map((line) =>
    line.join('  ').trimEnd(),
  )
}

function formatCell(value: string | number | null, digits: number | undefined): string {
  if (value === null) return '-'
  if (typeof value === 'string') return printable(value)
  return formatNumber(value, digits ?? (Number.isInteger(value) ? 0 : 2))
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

/** DEL, the 8-bit controls (U+009B begins an escape sequence) and what turns the direction of writing. */
const obeyedBeyondAscii = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Control characters (terminal escapes among them) made visible; newlines stay. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this removes
  return text.replace(/[\u0000-\u0009\u000b-\u001f]/g, '\ufffd').replace(obeyedBeyondAscii, '\ufffd')
}

/** A failure on stderr: JSON when the command speaks JSON, else words with every problem in its place. */
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

/** A progress line that rewrites itself on a terminal and stays silent elsewhere. */
export function progressLine(terminal: Terminal): { show(text: string): void; clear(): void } {
  if (!terminal.errIsTerminal) return { show: () => {}, clear: () => {} }
  return {
    show: (text) => terminal.err(`\r\u001b[2K${printable(text).slice(0, terminal.columns - 1)}`),
    clear: () => terminal.err('\r\u001b[2K'),
  }
}

/** Talk: one line on stderr. */
export function say(terminal: Terminal, text: string): void {
  terminal.err(`${printable(text)}\n`)
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
