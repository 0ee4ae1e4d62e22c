/** What a command said, as an agent is told it: its JSON as it is, with the texts of third parties marked. */
import { EXIT_CODES } from '../../errors.ts'
import type { Heard } from './asked.ts'
import type { AgentTool } from './tool-row.ts'
import { markUntrusted, untrusted } from './untrusted.ts'

export interface AgentAnswer {
  readonly isError: boolean
  readonly body: Readonly<Record<string, unknown>>
}

/** Of more notes these are the newest: a run that waits for a service says so again and again. */
const mostNotes = 40

/** More is no answer to read, but a table to ask for in parts. */
const longestAnswer = 400_000

/** Numbers to draw, of which others of the same answer say what they mean: an agent would only pay for reading them. */
const IS_PICTURE: ReadonlySet<string> = new Set(['envelope'])

/** `more`: stands beside the answer. */
export function toAnswer(
  heard: Heard,
  tool: Pick<AgentTool, 'meetsService' | 'ownTexts'>,
  more: object = {},
): AgentAnswer {
  const { failure, lines } = splitTalk(heard.err)
  const notes = lines.slice(-mostNotes).map((line) => (tool.meetsService ? untrusted(line) : line))
  const about = { ...describeEnd(heard), ...more, ...(notes.length === 0 ? {} : { notes }) }
  const answer = parsed(heard.out, (key, value) => (IS_PICTURE.has(key) ? undefined : value))
  if (answer === undefined) return { isError: true, body: { error: describeFailure(failure, heard), ...about } }
  const body = { answer: markUntrusted(answer, tool.ownTexts), ...about }
  const { length } = JSON.stringify(body)
  if (length <= longestAnswer) return { isError: false, body }
  const message = `the answer has ${length} characters, more than ${longestAnswer}`
  return refuseAgent('usage', message, 'ask for fewer rows or columns')
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
    return { code: 'bug', message: 'the command ended without an answer', hint: 'see the notes' }
  if (!SAID_BY_SERVICE.includes(exitCode)) return markUntrusted(failure, 'known fields')
  // The hint is always ours.
  const hint = typeof failure === 'object' && failure !== null && 'hint' in failure ? { hint: failure.hint } : {}
  return { ...Object(markUntrusted(failure, 'none')), ...hint }
}

function parsed(text: string, keep?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, keep)
  } catch {
    return undefined
  }
}
