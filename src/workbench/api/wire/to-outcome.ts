/** The last step of a call: what passed the gate becomes an outcome, by the table of `outcome.ts`. Unforeseen = ambiguous. */

import type { PostOutcome, ReadOutcome, Reply } from '../outcome.ts'
import type { Passed } from './gate.ts'

/** Makes a value of a reply's body (undefined when it is empty), or null when it cannot be read. */
export type Understand<T> = (body: unknown, reply: Reply) => T | null

export function toReadOutcome<T>(passed: Passed, understand: Understand<T>): ReadOutcome<T> {
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
      return { kind: 'failed', reason: understood.problem, unreachable: false, raw }
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

export function toPostOutcome<T>(passed: Passed, understand: Understand<T>): PostOutcome<T> {
  if (passed.kind === 'notSent') {
    return { kind: 'notSent', reason: passed.reason, ...(passed.stale === undefined ? {} : { stale: passed.stale }) }
  }
  if (passed.kind === 'lost') return { kind: 'ambiguous', reason: passed.reason, raw: passed.raw }
  const { meaning, reply } = passed
  const { raw } = reply
  switch (meaning.kind) {
    case 'success': {
      const understood = tryToRead(reply, understand)
      if ('value' in understood) return { kind: 'acked', value: understood.value, raw }
      const isJson = reply.json !== undefined
      const reason = `status ${raw.status}, but ${understood.problem}`
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
