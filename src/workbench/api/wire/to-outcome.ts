/** The last step of a call: what passed the gate becomes an outcome, by the table of `outcome.ts`. Unforeseen = ambiguous. */

import type { EndpointName } from '../../../contract/endpoints.ts'
import type { PostOutcome, ReadOutcome, Reply } from '../outcome.ts'
import { fieldsOf, own, textOf } from '../reading/single-values.ts'
import { documentedCode, refusalIn, type SpokenRefusal, saysItFailed } from '../reading/spoken-refusal.ts'
import type { Passed } from './gate.ts'
import { readSpokenRefusal, serviceWords } from './read-answer.ts'

/** Makes a value of a reply's body (undefined when it is empty), or null when it cannot be read. */
export type Understand<T> = (body: unknown, reply: Reply) => T | null

/** What the call was, and how the service spells a no. */
export interface AskedCall {
  readonly endpoint: EndpointName
  /** A dialect's reading of a body in which nothing was understood (`Dialect.refusal`). */
  readonly refusal: (body: unknown) => unknown
  /** Wall ms. */
  readonly now: number
}

export function toReadOutcome<T>(passed: Passed, understand: Understand<T>, asked: AskedCall): ReadOutcome<T> {
  if (passed.kind === 'notSent') {
    return { kind: 'failed', reason: passed.reason, unreachable: passed.passing, raw: null }
  }
  if (passed.kind === 'lost') {
    return { kind: 'failed', reason: passed.reason, unreachable: passed.passing, raw: passed.raw }
  }
  const { meaning, reply } = passed
  const { raw } = reply
  switch (meaning.kind) {
    case 'success': {
      const understood = tryToRead(reply, understand)
      if ('value' in understood) return { kind: 'ok', value: understood.value, raw }
      const said = readWords(reply, asked)
      if (said.refusal?.kind === 'refused') return said.refusal
      return { kind: 'failed', reason: said.failure ?? understood.problem, unreachable: false, raw }
    }
    case 'missing':
      return { kind: 'missing', raw }
    case 'refused':
      return meaning
    case 'rejected': {
      const reason = `status ${meaning.status}${meaning.code === null ? '' : ` ${meaning.code}`}: ${meaning.message}`
      return { kind: 'failed', reason, unreachable: false, raw }
    }
    case 'unsure':
      return { kind: 'failed', reason: meaning.reason, unreachable: meaning.passing, raw }
  }
}

export function toPostOutcome<T>(passed: Passed, understand: Understand<T>, asked: AskedCall): PostOutcome<T> {
  if (passed.kind === 'notSent') {
    return { kind: 'notSent', reason: passed.reason, stale: passed.stale }
  }
  if (passed.kind === 'lost') return { kind: 'ambiguous', reason: passed.reason, raw: passed.raw }
  const { meaning, reply } = passed
  const { raw } = reply
  switch (meaning.kind) {
    case 'success': {
      const understood = tryToRead(reply, understand)
      if ('value' in understood) return { kind: 'acked', value: understood.value, raw }
      const { refusal, failure, problem } = readWords(reply, asked)
      if (refusal?.kind === 'refused') return refusal
      if (refusal?.kind === 'rejected') return { ...refusal, raw }
      if (failure !== undefined) return { kind: 'ambiguous', reason: failure, raw, saysFailed: true }
      const isJson = reply.json !== undefined
      const reason = `status ${raw.status}, but ${problem ?? understood.problem}`
      return { kind: 'ambiguous', reason, raw, ...(isJson ? { unread: true } : {}) }
    }
    case 'refused':
      return meaning
    case 'rejected':
      return { ...meaning, raw }
    case 'missing':
      return { kind: 'ambiguous', reason: `status ${raw.status}`, raw }
    case 'unsure':
      return { kind: 'ambiguous', reason: meaning.reason, raw }
  }
}

/** A reader or a dialect that throws must not lose an answer that was paid for: it becomes an unreadable one. */
function tryToRead<T>(reply: Reply, understand: Understand<T>): { value: T } | { problem: string } {
  const empty = reply.raw.text === ''
  if (!empty && reply.json === undefined) return { problem: 'the reply is not JSON' }
  try {
    const value = understand(reply.json?.value, reply)
    return value === null ? { problem: 'the reply has a shape that is not understood' } : { value }
  } catch (error) {
    return { problem: `reading the reply failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}

interface Words {
  readonly refusal?: ReturnType<typeof readSpokenRefusal>
  /** It says that it failed, and not that it did nothing. */
  readonly failure?: string
  /** Why the dialect's word is not taken. */
  readonly problem?: string
}

/** What a success without an answer that is understood says of itself. A dialect is asked first; codes where codes stand count with or without it. */
function readWords(reply: Reply, asked: AskedCall): Words {
  const body = reply.json === undefined ? reply.raw.text : reply.json.value
  const spoken = reply.json === undefined ? {} : askDialect(body, asked)
  const code = refusalIn(body)
  const found = spoken.refusal ?? (code === undefined ? undefined : { code, message: null })
  if (found !== undefined) return { refusal: readSpokenRefusal(asked.endpoint, reply, found, asked.now) }
  const problem = spoken.problem === undefined ? {} : { problem: spoken.problem }
  if (reply.json === undefined || !saysItFailed(body)) return problem
  return { ...problem, failure: `HTTP ${reply.raw.status}, and its body says it failed: ${serviceWords(reply)}` }
}

function askDialect(body: unknown, { refusal }: AskedCall): { refusal?: SpokenRefusal; problem?: string } {
  try {
    const answer = refusal(body)
    if (answer === undefined || answer === null) return {}
    const fields = fieldsOf(answer)
    const code = documentedCode(fields === null ? answer : own(fields, 'code'))
    if (code !== undefined) return { refusal: { code, message: textOf(own(fields, 'message')) } }
    return { problem: `the dialect's refusal gave ${JSON.stringify(answer)}, which is no code of the document` }
  } catch (error) {
    return { problem: `the dialect's refusal failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}
