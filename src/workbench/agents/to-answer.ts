/** What a command said, as an agent gets it: what its tool makes of the JSON, with the texts of third parties marked, in so many bytes. */

import * as z from 'zod'
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { EXIT_CODES } from '../../errors.ts'
import type { CommandLine, Heard } from './asked.ts'

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

const COMMAND =
  /`(?:\.\/)?dcalab ([^`]+)`|\b(?:\.\/)?dcalab ((?:status|demo|guide|candles|study|screen|run|backtest|leaderboard|verdict|show|compare|examine|holdout|report|promote|bots|sql|export|store|service|serve|mcp)\b[^;,)`]*)/g

interface Carrying {
  /** Texts may name commands; those of a table that an agent has asked for by SQL are data. */
  readonly speaks: boolean
  /** Every digit; else four, where a number is no configuration to copy. */
  readonly isExact: boolean
  /** Whether the agent is offered a tool. */
  readonly has: (tool: string) => boolean
}

/** To be copied as they are, or not ours. */
const AS_THEY_ARE: ReadonlySet<string> = new Set(['config', 'untrusted'])

/** Of one argument, where a call is sent back. */
const longestArgument = 200

const DIGITS = 4

const MOST_DIGITS = 17

const PARAMETERS: ReadonlySet<string> = new Set(CONFIG_FIELDS)

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

// Texts of a third party — a service, another client of it — become `{ untrusted: "…" }`, one line, bounded: data, never instructions. What is marked
// is not a list of their fields, which would miss the next one, but every text that is neither one word nor in a field whose words are ours.

/** Names, numbers, times, markets, hashes, codes. */
const ONE_WORD = /^[\w.:@/+%#,*-]{0,200}$/

/** Sentences that the program writes itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['message', 'place', 'short', 'hint', 'sentence', 'sampleSize', 'evidence', 'next'],
  ...['headline', 'remedy', 'command', 'why', 'what'], // of a verdict
])

const longestText = 500

/** Which texts are the program's own: all, where nothing of a service enters; none, where the agent names the columns itself. */
type OwnTexts = 'all' | 'known fields' | 'none'

function markUntrusted(value: unknown, ownTexts: OwnTexts, field = ''): unknown {
  if (typeof value === 'string') {
    const isOurs = ownTexts === 'all' || ONE_WORD.test(value) || (ownTexts === 'known fields' && isOwnField(field))
    return isOurs ? value : untrusted(value)
  }
  if (Array.isArray(value)) return value.map((item) => markUntrusted(item, ownTexts, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, markUntrusted(inner, ownTexts, name)]))
}

function isOwnField(field: string): boolean {
  return OWN_FIELDS.has(field) || field.endsWith('Reason')
}

function untrusted(text: string): { readonly untrusted: string } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this removes
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ')
  return { untrusted: line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line }
}

export interface AgentAnswer {
  readonly isError: boolean
  readonly body: Readonly<Record<string, unknown>>
}

/** Of more notes these are the newest: a run that waits for a service says so again and again. */
const mostNotes = 5

/** Bytes of an answer. */
export const USUAL_LIMIT = 4_000
export const FULL_LIMIT = 40_000

interface Asking {
  readonly name: string
  readonly tool: Pick<AgentTool, 'meetsService' | 'ownTexts' | 'inputSchema'>
  readonly asked: Omit<AskedTool, 'line'>
  readonly given: unknown
  /** Whether the agent is offered a tool. */
  readonly has: (tool: string) => boolean
}

/** `more`: stands beside the answer. */
export function toAnswer(heard: Heard, { name, tool, asked, given, has }: Asking, more: object = {}): AgentAnswer {
  const { isFull, from, count } = asked
  const limit = isFull ? FULL_LIMIT : USUAL_LIMIT
  const { failure, lines } = splitMessages(heard.err)
  const notes = lines.slice(-mostNotes).map((line) => (tool.meetsService ? untrusted(inTools(line, has)) : line))
  const json = parsed(heard.out)
  const end = {
    ...describeEnd(heard, tool),
    ...(isBudgetSpent(json) ? { meaning: 'the budget of agents is used: ask your user' } : {}),
  }
  const about = { ...end, ...more, ...(notes.length === 0 ? {} : { notes }) }
  const isError = json === undefined
  const whole = isError
    ? { error: describeFailure(failure, heard), ...about }
    : { ...offered(asked.answer(markUntrusted(json, tool.ownTexts)), has), ...about }
  const page = { from, count: isError ? Number.POSITIVE_INFINITY : count, limit }
  const body = fitted(
    Object(carried(whole, { speaks: isError || tool.ownTexts !== 'none', isExact: isFull, has })),
    page,
    { tool: name, arguments: Object(given) },
  )
  if (body !== undefined) return { isError, body: { ...body } }
  return refuseAgent('usage', `one row has more than ${limit} bytes`, 'ask for fewer columns, or detail: full')
}

/** What a run says that the budget of agents ended. */
export function isBudgetSpent(run: unknown): boolean {
  const { stoppedBy }: JsonFields = Object(run)
  return stoppedBy === 'budget'
}

/** A call that spends is offered only to those who may. */
function offered(answer: object, has: (tool: string) => boolean): object {
  if (!('next' in answer) || !Array.isArray(answer.next)) return answer
  const next = answer.next.filter((one: Call) => has(one.tool))
  const left =
    next.length < answer.next.length ? { askUser: 'run the study: its backtests count against the daily limit' } : {}
  return { ...answer, next, ...left }
}

/** `code` is one of the program's (`errors.ts`). */
export function refuseAgent(code: string, message: string, hint: string): AgentAnswer {
  return { isError: true, body: { error: { code, message, hint } } }
}

function describeEnd({ exitCode, interruptedAfter }: Heard, { inputSchema }: Pick<AgentTool, 'inputSchema'>): object {
  if (exitCode === 0) return {}
  if (interruptedAfter !== undefined) {
    const more = 'seconds' in inputSchema.properties ? '; `seconds` allows more' : ''
    return { exitCode, meaning: `interrupted after ${interruptedAfter} s${more}` }
  }
  const meaning = Object.entries(EXIT_CODES).find(([code]) => Number(code) === exitCode)?.[1]
  return { exitCode, ...(meaning === undefined ? {} : { meaning }) }
}

/** With --json a command ends its talk with the failure, in one line of JSON. */
function splitMessages(err: string): { readonly failure: unknown; readonly lines: readonly string[] } {
  const lines = err.split('\n').filter((line) => line.trim() !== '')
  const last = parsed(lines.at(-1) ?? '')
  const isFailure = typeof last === 'object' && last !== null && 'error' in last
  return isFailure ? { failure: last.error, lines: lines.slice(0, -1) } : { failure: undefined, lines }
}

/** The service’s own words stand in the messages of these. */
const SAID_BY_SERVICE: readonly number[] = [4, 5]

function describeFailure(failure: unknown, { exitCode }: Heard): unknown {
  if (failure === undefined)
    return { code: 'bug', message: 'the command ended without an answer', hint: 'see the notes; ask your user' }
  if (!SAID_BY_SERVICE.includes(exitCode)) return markUntrusted(failure, 'known fields')
  // The hint is always ours.
  const hint = typeof failure === 'object' && failure !== null && 'hint' in failure ? { hint: failure.hint } : {}
  return { ...Object(markUntrusted(failure, 'none')), ...hint }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// What a tool is: the schemas of its arguments and its answer, the command line that they become, and what of that command's JSON an agent gets.

export interface AgentTool {
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: ObjectSchema
  /** JSON Schema of its answer. */
  readonly outputSchema: ObjectSchema
  /** Sends requests to a service, whose words may then stand in what is said. */
  readonly meetsService: boolean
  /** Spends units of the allowance. */
  readonly spends: boolean
  /** What it found is kept: configurations tried, a verdict. */
  readonly keeps: boolean
  readonly ownTexts: OwnTexts
  /** What these arguments ask for, or what is wrong with them. */
  readonly read: (given: unknown) => AskedTool | { readonly problems: readonly string[] }
}

interface AskedTool {
  /** null = it is answered without a command. */
  readonly line: CommandLine | null
  /** The answer, whole, from the JSON of the command. */
  readonly answer: (json: unknown) => object
  readonly isFull: boolean
  /** The first row that is wanted, and how many are. */
  readonly from: number
  readonly count: number
}

type ObjectSchema = { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> }

interface ToolRow<Input extends z.ZodObject> {
  /** Three sentences: what, when, what it returns. */
  readonly description: string
  readonly input: Input
  readonly output: z.ZodObject
  /** What an agent gets of the JSON of the command. */
  readonly answer: (json: unknown, given: z.output<Input>) => object
  /** Absent = there is no command. */
  readonly words?: (given: z.output<Input>) => readonly string[]
  readonly texts?: (given: z.output<Input>) => Readonly<Record<string, string | undefined>>
  /** What is wrong beyond single fields. */
  readonly wrong?: (given: z.output<Input>) => string | undefined
  readonly meetsService?: boolean
  readonly spends?: boolean
  readonly keeps?: boolean
  readonly ownTexts?: OwnTexts
}

/** Where no argument says otherwise: as long as clients usually wait, less a little. */
export const usualSeconds = 45

/** A tool from its row. */
export function tool<Input extends z.ZodObject>(row: ToolRow<Input>): AgentTool {
  const { description, input, meetsService = false, spends = false, keeps = spends, ownTexts = 'known fields' } = row
  return {
    ...{ description, meetsService, spends, keeps, ownTexts },
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(row.output, 'output'),
    read(given) {
      const parsed = input.safeParse(given ?? {})
      if (!parsed.success)
        return {
          problems: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`),
        }
      const wrong = row.wrong?.(parsed.data)
      if (wrong !== undefined) return { problems: [wrong] }
      const texts = Object.entries(row.texts?.(parsed.data) ?? {}).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      )
      const { seconds, detail, from, count } = parsed.data
      const words = row.words?.(parsed.data)
      return {
        line:
          words === undefined
            ? null
            : { words, texts: new Map(texts), seconds: typeof seconds === 'number' ? seconds : usualSeconds },
        answer: (json) => row.answer(json, parsed.data),
        isFull: detail === 'full',
        from: typeof from === 'number' ? from : 1,
        count: typeof count === 'number' ? count : Number.POSITIVE_INFINITY,
      }
    },
  }
}

function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema, type, properties = {}, ...rest } = z.toJSONSchema(schema, { io })
  if (type !== 'object') throw new Error('the schema of a tool is no object')
  return { ...rest, type, properties: Object.fromEntries(Object.entries(properties).map(asSchema)) }
}

/** In JSON Schema a property may also be `true` or `false`. */
function asSchema([name, schema]: [string, unknown]): [string, object] {
  return [name, typeof schema === 'object' && schema !== null ? schema : {}]
}

/** Objects as rows; a field that one of them has not is null there. */
export function tableOf(objects: readonly JsonFields[]): Table {
  const columns = [...new Set(objects.flatMap(Object.keys))]
  return { columns, rows: objects.map((one) => columns.map((column) => one[column] ?? null)) }
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

/** Commands become tools, or what to ask a person for, and flags become arguments: an agent can type neither. */
export function inTools(text: string, has: (tool: string) => boolean): string {
  const spoken = text.replace(COMMAND, (_, quoted?: string, bare?: string) => {
    const [first = '', second = ''] = (quoted ?? bare ?? '').split(/\s+/)
    const [tool] = TOOL_BY_COMMAND[`${first} ${second}`] ?? TOOL_BY_COMMAND[first] ?? []
    return tool !== undefined && has(tool) ? tool : 'ask your user'
  })
  return spoken.replace(/(?<=^|[\s(`])--(?=[a-z])/g, '')
}

/** Long texts are not sent back. */
function shortened(given: unknown): JsonFields {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > longestArgument
  const all = Object.entries(Object(given)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all.map(([name, value]) => [name, isLong(value) ? '(the same)' : value]))
}

function carried(value: unknown, as: Carrying): unknown {
  if (typeof value === 'number') return as.isExact ? value : rounded(value, DIGITS)
  if (typeof value === 'string') return as.speaks ? inTools(value, as.has) : value
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

/**
 * The rows of a page, as many as fit, and the call that goes on: `more` where so many were asked for, `truncated` where no more fit.
 * @returns undefined where not even one row fits
 */
function fitted(answer: object, { from, count, limit }: Rows, call: Call): object | undefined {
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
