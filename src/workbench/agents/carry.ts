/** What makes an answer one that an agent can carry: rows under their columns, four significant digits, tools in place of commands, and an end. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'

/** A tool with its arguments, as an agent calls it. */
export interface Call {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

type Table = {
  readonly columns: string[]
  readonly rows: unknown[][]
}

export type JsonFields = Readonly<Record<string, unknown>>

/** Objects as rows; a field that one of them has not is null there. */
export function tableOf(objects: readonly JsonFields[]): Table {
  const columns = [...new Set(objects.flatMap(Object.keys))]
  return { columns, rows: objects.map((one) => columns.map((column) => one[column] ?? null)) }
}

/** By command: the tool that does it, and the argument that the command's first one is. What is not here, a person types. */
const TOOL_BY_COMMAND: Readonly<Record<string, readonly [tool: string, argument?: string]>> = {
  status: ['list_studies'],
  'study list': ['list_studies'],
  'study check': ['check_study', 'study'],
  'candles list': ['list_candles'],
  'service limits': ['limits'],
  leaderboard: ['leaderboard', 'study'],
  show: ['show_configuration', 'id'],
  compare: ['compare_configurations'],
  verdict: ['verdict', 'target'],
  examine: ['verdict', 'target'],
  screen: ['screen_study', 'study'],
  backtest: ['backtest'],
  sql: ['describe_views'],
  run: ['run_study', 'study'],
}

/** The call for a command line of a stored name; undefined where there is none: that is for a person. */
export function callOf(command: string): Call | undefined {
  const [first = '', second = '', ...rest] = command.replace(/^(?:\.\/)?dcalab /, '').split(/\s+/)
  const pair = TOOL_BY_COMMAND[`${first} ${second}`]
  const [tool, argument] = pair ?? TOOL_BY_COMMAND[first] ?? []
  if (tool === undefined) return undefined
  const given = (pair === undefined ? [second, ...rest] : rest).find((word) => word !== '' && !word.startsWith('-'))
  if (argument === undefined || given === undefined) return { tool, arguments: {} }
  return /^[\w@:-]+$/.test(given) ? { tool, arguments: { [argument]: given } } : undefined
}

const COMMAND =
  /`(?:\.\/)?dcalab ([^`]+)`|\b(?:\.\/)?dcalab ((?:status|demo|guide|candles|study|screen|run|backtest|leaderboard|verdict|show|compare|examine|holdout|report|promote|bots|sql|export|store|service|serve|mcp)\b[^;,)`]*)/g

/** Commands become tools, or what to ask a person for, and flags become arguments: an agent can type neither. */
export function inTools(text: string, has: (tool: string) => boolean): string {
  const spoken = text.replace(COMMAND, (_, quoted?: string, bare?: string) => {
    const [first = '', second = ''] = (quoted ?? bare ?? '').split(/\s+/)
    const [tool] = TOOL_BY_COMMAND[`${first} ${second}`] ?? TOOL_BY_COMMAND[first] ?? []
    return tool !== undefined && has(tool) ? tool : 'ask your user'
  })
  return spoken.replace(/(?<=^|[\s(`])--(?=[a-z])/g, '')
}

interface Carrying {
  /** Every digit; else four, where a number is no configuration to copy. */
  readonly isExact: boolean
  /** Whether the agent is offered a tool. */
  readonly has: (tool: string) => boolean
}

/** To be copied as they are, or not ours. */
const AS_THEY_ARE: ReadonlySet<string> = new Set(['config', 'untrusted'])

/** Of one argument, where a call is sent back. */
const longestArgument = 200

/** Long texts are not sent back. */
function shortened(given: unknown): JsonFields {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > longestArgument
  const all = Object.entries(Object(given)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all.map(([name, value]) => [name, isLong(value) ? '(the same)' : value]))
}

const DIGITS = 4
const MOST_DIGITS = 17

export function carried(value: unknown, as: Carrying): unknown {
  if (typeof value === 'number') return as.isExact ? value : rounded(value, DIGITS)
  if (typeof value === 'string') return inTools(value, as.has)
  if (Array.isArray(value)) return value.map((item) => carried(item, as))
  if (typeof value !== 'object' || value === null) return value
  const digits = isTable(value) && !as.isExact ? value.columns.map((_, at) => digitsOf(value, at)) : undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (AS_THEY_ARE.has(name)) return [name, inner]
      if (name === 'arguments') return [name, shortened(inner)]
      if (digits === undefined || name !== 'rows') return [name, carried(inner, as)]
      return [name, inner.map((row: readonly unknown[]) => row.map((cell, at) => inCell(cell, digits[at])))]
    }),
  )

  function inCell(cell: unknown, digits: number): unknown {
    return typeof cell === 'number' ? rounded(cell, digits) : carried(cell, as)
  }
}

/** So many significant digits, and never fewer than a number has before its point: counts and money stay whole. */
function rounded(value: number, digits: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value
  return Number(value.toPrecision(Math.min(MOST_DIGITS, Math.max(digits, String(Math.trunc(Math.abs(value))).length))))
}

const PARAMETERS: ReadonlySet<string> = new Set(CONFIG_FIELDS)

/** Of a parameter as many as keep its values different. */
function digitsOf({ columns, rows }: Table, at: number): number {
  if (!PARAMETERS.has(columns[at])) return DIGITS
  const numbers = rows.map((row) => row[at]).filter((cell) => typeof cell === 'number')
  const different = new Set(numbers).size
  let digits = DIGITS
  while (digits < MOST_DIGITS && new Set(numbers.map((value) => rounded(value, digits))).size < different) digits++
  return digits
}

function isTable(value: object): value is Table {
  return 'columns' in value && 'rows' in value && Array.isArray(value.columns) && Array.isArray(value.rows)
}

interface Rows {
  /** The first row of every list, from 1. */
  readonly from: number
  /** Rows that were asked for. */
  readonly count: number
  /** UTF-8 bytes of the answer. */
  readonly limit: number
}

/** Lists that are cut; all others are short. */
const CUT: ReadonlySet<string> = new Set(['rows', 'notes', 'warnings', 'problems'])

/**
 * The rows of a page, as many as fit, and the call that goes on: `more` where so many were asked for, `truncated` where no more fit.
 * @returns undefined where not even one row fits
 */
export function fitted(answer: object, { from, count, limit }: Rows, call: Call): object | undefined {
  const rows = longestList(answer) - (from - 1)
  const shown = (length: number): object => {
    const page = Object(cutLists(answer, from - 1, from - 1 + length))
    if (length >= rows) return page
    return {
      ...page,
      [length < count ? 'truncated' : 'more']: {
        ...call,
        arguments: { ...shortened(call.arguments), from: from + length },
      },
    }
  }
  const fits = (length: number) => sizeOf(shown(length)) <= limit
  let most = Math.max(0, Math.min(rows, count))
  if (fits(most)) return shown(most)
  let least = 0
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (fits(middle)) least = middle
    else most = middle
  }
  return least === 0 ? undefined : shown(least)
}

/** UTF-8 bytes as JSON. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function longestList(value: unknown, name = ''): number {
  if (Array.isArray(value)) return CUT.has(name) ? value.length : Math.max(0, ...value.map((item) => longestList(item)))
  if (typeof value !== 'object' || value === null) return 0
  return Math.max(0, ...Object.entries(value).map(([inner, item]) => longestList(item, inner)))
}

function cutLists(value: unknown, start: number, end: number, name = ''): unknown {
  if (Array.isArray(value))
    return CUT.has(name) ? value.slice(start, end) : value.map((item) => cutLists(item, start, end))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, cutLists(item, start, end, inner)]))
}
