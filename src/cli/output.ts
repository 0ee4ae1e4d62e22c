/** Text for people, JSON for programs; tables are made in `table.ts`. Text from a service is cleaned of terminal control characters before it is printed. */
import { Failure, type FailureCode } from '../errors.ts'
import type { Terminal } from '../system.ts'

/** One JSON document and a newline. */
export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  await terminal.out(`${jsonText(value, 2)}\n`)
}

/** DEL, the 8-bit controls (U+009B begins an escape sequence), the separators of lines and paragraphs, and what changes the writing direction. */
const obeyedBeyondAscii = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** JSON that is safe on a terminal: characters that JSON does not escape and a terminal interprets are written as \uXXXX. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    obeyedBeyondAscii,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Tables are no wider than a terminal that states its width; what is piped is whole. */
export async function printLines(terminal: Terminal, lines: readonly Line[] | FittingTable): Promise<void> {
  await terminal.out(`${shownLines(terminal, lines).join('\n')}\n`)
}

/** The same for an answer that is read from its beginning: one that is longer than the terminal is shown by the reader's pager. */
export async function printAnswer(terminal: Terminal, lines: readonly Line[] | FittingTable): Promise<void> {
  const shown = shownLines(terminal, lines)
  const text = `${shown.join('\n')}\n`
  const { outIsTerminal, page, rows, columns } = terminal
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
  const lengths = text.split('\n').map((line) => line.replace(/\u001b\[\d+m/g, '').length)
  const height = lengths.reduce((sum, length) => sum + (columns > 0 ? Math.max(1, Math.ceil(length / columns)) : 1), 0)
  if (outIsTerminal && page !== undefined && rows > 0 && height > rows && (await page(text))) return
  await terminal.out(text)
}

function shownLines(terminal: Terminal, lines: readonly Line[] | FittingTable): readonly string[] {
  const { outIsTerminal, columns, colours } = terminal
  const room = { columns: outIsTerminal && columns > 0 ? columns : undefined, colours: outIsTerminal && colours }
  const given = 'linesWithin' in lines ? [lines] : lines
  return given.flatMap((line) => {
    if (typeof line !== 'string' && 'linesWithin' in line) return line.linesWithin(room)
    const { label, tone, text } = typeof line === 'string' ? { label: '', tone: undefined, text: line } : line
    const [first, ...rest] = inWidth(asCalled(terminal, printable(label + text)), room.columns)
    const shown = printable(label)
    return [paint(shown, room.colours ? tone : undefined) + first.slice(shown.length), ...rest]
  })
}

/** A line that is only a command to paste: its words, then options with at most one value each. */
const PASTED =
  /^ *(?:next|try|fetch it:)? *(?:\.\/|npx )?dcalab(?: (?!--)\S+)+(?: --\S+(?: (?!--)(?:'[^']*'|"[^"]*"|\S+))?)+$/

/** Each line of a text, broken at words where it is wider; the rest of it is indented by two more. */
function inWidth(text: string, width: number | undefined): readonly string[] {
  if (width === undefined) return [text]
  return text.split('\n').flatMap((line) => {
    if (line.length <= width || PASTED.test(line)) return [line]
    const [indent] = /^ */.exec(line) ?? ['']
    const [first, ...rest] = wrapWords(line.trimStart(), width - indent.length - 2)
    return [indent + first, ...rest.map((part) => `${indent}  ${part}`)]
  })
}

/** A command line, which is pasted whole. */
const WORDS = /(?:["(`]?(?:\.\/|npx )?dcalab [^;`]+[;`]?\S* *)|\S+ */g

/** Breaks a text at spaces. A word wider than `width` stays whole, and so does a command that fits in one line. At least one line. */
export function wrapWords(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text]
  const lines = ['']
  for (const chunk of text.match(WORDS) ?? []) {
    for (const word of chunk.trimEnd().length <= width ? [chunk] : (chunk.match(/\S+ */g) ?? [])) {
      const line = lines[lines.length - 1]
      const isTooLong = (line + word).trimEnd().length > width
      if (line !== '' && isTooLong && word.trimEnd().length <= width) lines.push(word)
      else lines[lines.length - 1] = line + word
    }
  }
  return lines.map((line) => line.trimEnd())
}

interface Room {
  /** Characters; none = without end. */
  readonly columns: number | undefined
  readonly colours: boolean
}

/** A table whose columns are chosen when the room for it is known (`table.ts`). */
export interface FittingTable {
  /** Each is `printable`, and painted where there are colours. */
  linesWithin(room: Room): readonly string[]
}

/** A line whose first words have a colour, where there are colours. */
interface LabelledLine {
  readonly label: string
  readonly tone: Tone | undefined
  readonly text: string
}

/** The text of a file: no line of it is broken, and no command in it is rewritten. */
export function verbatim(text: string): FittingTable {
  return {
    linesWithin: () =>
      printable(text)
        .replace(/\r?\n$/, '')
        .split(/\r?\n/),
  }
}

/** What is printed as a line, or as a table. */
export type Line = PlainLine | FittingTable

type PlainLine = string | LabelledLine

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

/** ISO 8601, UTC; milliseconds only where they are not 0. */
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

/** The largest unit that is not 0, and the one below it: "2 d 3 h", "1 min 5 s", "3 s". Seconds are rounded up, so that 0 s means that nothing is left. */
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

/** Names that can follow `dcalab`. A test compares them with the program. */
export const COMMAND_NAMES =
  'help|status|demo|guide|candles|study|screen|run|backtest|leaderboard|verdict|show|compare|examine|holdout|report|promote|bots|sql|export|store|service|serve|mcp|completion'

/** `dcalab` before the name of one of its commands, where a command line can begin. */
const COMMAND_LINES = new RegExp(`(^|[\\s\`'"(])dcalab (?=(?:${COMMAND_NAMES})\\b)`, 'gm')

/** Command lines as the reader types them where they are. */
export function asCalled({ program }: Pick<Terminal, 'program'>, text: string): string {
  return program === 'dcalab' ? text : text.replace(COMMAND_LINES, `$1${program} `)
}

/** Control characters (terminal escapes among them) made visible; newlines stay. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this removes
  return text.replace(/[\u0000-\u0009\u000b-\u001f]/g, '\ufffd').replace(obeyedBeyondAscii, '\ufffd')
}

/** A service's words in a line of ours, whatever line breaks they have: none of them begins a line. */
export function inOneLine(text: string): string {
  return text.replaceAll('\n', '\\n')
}

/**
 * `lead`, then somebody's text. Its further lines are indented to where it begins, so that none of them reads as a line of ours.
 */
export function hanging(lead: string, text: string): string {
  return lead + text.replaceAll('\n', `\n${' '.repeat(lead.length)}`)
}

/** How many problems are shown of a failure that may have one for each row of a store. Of what a person wrote, all are shown. */
const MOST_SHOWN: Partial<Readonly<Record<FailureCode, number>>> = { mergeRefused: 20 }

/** Prints a failure to stderr: as JSON with `--json`, which has every problem, else as text with its problems and their places. */
export function printFailure(terminal: Terminal, failure: Failure, json: boolean): void {
  if (json) {
    terminal.err(`${jsonText(failure)}\n`)
    return
  }
  const label = paint('error', terminal.errIsTerminal && terminal.colours ? 'bad' : undefined)
  const shown = failure.problems.slice(0, MOST_SHOWN[failure.code])
  const problems = shown.map((problem) => `  ${problem.place}: ${problem.message}`)
  const left = failure.problems.length - shown.length
  const more = left === 0 ? [] : [`  and ${left} more: --json prints all of them`]
  const text = [`error: ${failure.message}`, ...problems, ...more, `hint: ${failure.hint}`].map(printable).join('\n')
  const lines = inWidth(asCalled(terminal, text), errWidth(terminal)).join('\n')
  terminal.err(`${label}${lines.slice('error'.length)}\n`)
}

/** Prints one line to stderr (progress and hints; data goes to stdout), whatever line breaks a service's words have. */
export function say(terminal: Terminal, text: string): void {
  const width = text.startsWith('next: ') ? undefined : errWidth(terminal) // what is pasted is whole
  terminal.err(`${inWidth(asCalled(terminal, printable(inOneLine(text))), width).join('\n')}\n`)
}

function errWidth({ errIsTerminal, columns }: Terminal): number | undefined {
  return errIsTerminal && columns > 0 ? columns : undefined
}

const DASH = '-'

/**
 * Whether `--out` names stdout.
 * @throws Failure usage where `--json` writes there as well
 */
export function goesToStdout({ out, json }: { readonly out?: string; readonly json?: boolean }): boolean {
  if (out !== DASH) return false
  if (!json) return true
  throw new Failure('usage', '--out - and --json both write to stdout', { hint: 'use one of them' })
}

/** Writes one chunk of a text: unchanged for a program, without control characters on a terminal. */
export async function writeToStdout(terminal: Terminal, text: string): Promise<void> {
  if (!terminal.outIsTerminal) return terminal.out(text)
  await printLines(terminal, verbatim(text))
}

/** `2026-03-29 03:30:00 (01:30:00Z)`. `at`: ms UTC, or ISO 8601; a dash for null. */
export type TimeWords = (at: number | string | null) => string

/** For what is printed to stdout. */
export function timesShown(terminal: Terminal): TimeWords {
  return (at) => describeTime(at, terminal.outIsTerminal ? terminal : undefined)
}

/** For what is said on stderr. */
export function timesSaid(terminal: Terminal): TimeWords {
  return (at) => describeTime(at, terminal.errIsTerminal ? terminal : undefined)
}

function describeTime(at: number | string | null, reader: Pick<Terminal, 'aheadOfUtcMs'> | undefined): string {
  if (at === null) return '-'
  const ms = typeof at === 'number' ? at : Date.parse(at)
  if (Number.isNaN(ms)) return String(at) // as a service wrote it
  const aheadMs = reader?.aheadOfUtcMs(ms) ?? 0
  if (aheadMs === 0) return typeof at === 'number' ? formatTime(at) : at
  const [day, time] = partsOf(ms)
  const [localDay, localTime] = partsOf(ms + aheadMs)
  return `${localDay} ${localTime} (${day === localDay ? '' : `${day}T`}${time}Z)`
}

/** Day, and time to the second. */
function partsOf(ms: number): readonly [string, string] {
  const [day, time] = new Date(ms).toISOString().split('T')
  return [day, time.slice(0, 8)]
}

export type Tone = 'good' | 'bad' | 'warn' | 'grey'

/** The colours of the terminal's own palette, which its owner can read. */
const CODES: Readonly<Record<Tone, number>> = { good: 32, bad: 31, warn: 33, grey: 90 }

/** The text in its colour; as it is without a tone. What it holds must be `printable` already. */
export function paint(text: string, tone: Tone | undefined): string {
  return tone === undefined ? text : `\u001b[${CODES[tone]}m${text}\u001b[39m`
}

/** Of a number of things that went wrong. */
export function toneOfFailures(count: number | string | null): Tone | undefined {
  return count === 0 || count === null ? undefined : 'bad'
}

/** Of money won or lost; none of nothing, and of what is not known. */
export function toneOfGain(value: number | string | null): Tone | undefined {
  if (typeof value !== 'number' || value === 0) return undefined
  return value > 0 ? 'good' : 'bad'
}
