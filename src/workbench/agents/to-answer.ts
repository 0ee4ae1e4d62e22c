/** What a command said, as an agent gets it: what its tool makes of the JSON, with the texts of third parties marked, in so many bytes. */

import * as z from 'zod'
import { EXIT_CODES } from '../../errors.ts'
import type { CommandLine, Heard } from './asked.ts'
import { type Call, carried, fitted, inTools } from './carry.ts'

// Texts of a third party — a service, another client of it — become `{ untrusted: "…" }`, one line, bounded: data, never instructions. What is marked
// is not a list of their fields, which would miss the next one, but every text that is neither one word nor in a field whose words are ours.

/** Names, numbers, times, markets, hashes, codes. */
const ONE_WORD = /^[\w.:@/+%#,*-]{0,200}$/

/** Sentences that the program writes itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['message', 'short', 'hint', 'sentence', 'sampleSize', 'evidence', 'next'],
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
  readonly tool: Pick<AgentTool, 'meetsService' | 'ownTexts'>
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
  const about = { ...describeEnd(heard), ...more, ...(notes.length === 0 ? {} : { notes }) }
  const json = parsed(heard.out)
  const isError = json === undefined
  const whole = isError
    ? { error: describeFailure(failure, heard), ...about }
    : { ...offered(asked.answer(markUntrusted(json, tool.ownTexts)), has), ...about }
  const page = { from, count: isError ? Number.POSITIVE_INFINITY : count, limit }
  const body = fitted(Object(carried(whole, { isExact: isFull, has })), page, { tool: name, arguments: Object(given) })
  if (body !== undefined) return { isError, body: { ...body } }
  return refuseAgent('usage', `one row has more than ${limit} bytes`, 'ask for fewer columns, or detail: full')
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

function describeEnd({ exitCode, interruptedAfter }: Heard): object {
  if (exitCode === 0) return {}
  if (interruptedAfter !== undefined)
    return { exitCode, meaning: `interrupted after ${interruptedAfter} s, as asked for` }
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
  readonly ownTexts?: OwnTexts
}

/** Where no argument says otherwise: as long as clients usually wait, less a little. */
export const usualSeconds = 45

/** A tool from its row. */
export function tool<Input extends z.ZodObject>(row: ToolRow<Input>): AgentTool {
  const { description, input, meetsService = false, spends = false, ownTexts = 'known fields' } = row
  return {
    ...{ description, meetsService, spends, ownTexts },
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
