/** What a command said, as an agent gets it: what its tool makes of the JSON, with the texts of third parties marked, in so many bytes. */
import { EXIT_CODES } from '../../errors.ts'
import type { Heard } from './asked.ts'
import { type Call, carried, fitted, inTools } from './carry.ts'
import type { AgentTool, AskedTool } from './tool-row.ts'
import { markUntrusted, untrusted } from './untrusted.ts'

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
  const { failure, lines } = splitTalk(heard.err)
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
function splitTalk(err: string): { readonly failure: unknown; readonly lines: readonly string[] } {
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
