/**
 * What a complete answer means, from its status and the code names in its body (A-09, A-10, A-18), and then, with what its body says, the
 * outcome of the call. Pure; one table for writes and reads. Whatever the table does not know is `unsure`: a write may then have happened.
 */

import { REFUSALS, type RefusalCode } from '../../../contract/bodies.ts'
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import type { PostOutcome, ReadOutcome, Refused, Reply } from '../outcome.ts'
import { fieldsOf, own, textOf } from '../reading/shape.ts'
import { documentedCode, refusalIn, saysItFailed, wordsIn } from '../reading/spoken-refusal.ts'
import { isRead, namesOneThing, type Sent } from './send.ts'

/** A documented code as a service said it; `message` in its words, where they could be separated. */
interface SpokenRefusal {
  readonly code: RefusalCode
  readonly message: string | null
}

const REFUSAL_CODES = Object.keys(REFUSALS) as readonly RefusalCode[] // keys of a const literal

export type Meaning =
  | { readonly kind: 'success' }
  | { readonly kind: 'missing' }
  | Refused
  | { readonly kind: 'rejected'; readonly status: number; readonly code: string | null; readonly message: string }
  /** `passing`: worth another try of a read. */
  | { readonly kind: 'unsure'; readonly reason: string; readonly passing: boolean }

/** `now`: wall ms, to read a Retry-After that is a date. */
export function readAnswer(endpoint: EndpointName, reply: Reply, now: number): Meaning {
  const { status } = reply.raw
  if (status >= 200 && status <= 299) return { kind: 'success' }
  const refused = (code: Refused['code']): Refused => ({
    kind: 'refused',
    code,
    status,
    message: serviceWords(reply),
    retryAfterMs: retryAfterMs(reply, code, now),
    raw: reply.raw,
  })
  const named = (codes: readonly RefusalCode[]) => codes.find((code) => names(reply.raw.text, code))
  if (status === 401) return refused(named(['ApiKeyInvalid', 'AuthRequired']) ?? 'ApiKeyInvalid')
  if (status === 403) {
    // An unnamed 403 to a write is most likely its scope; a read needs the least scope there is, so there it is the address.
    return refused(named(['ApiKeyAddress', 'ApiKeyScope']) ?? (isRead(endpoint) ? 'ApiKeyAddress' : 'ApiKeyScope'))
  }
  if (status === 429) return refused(named(['ApiKeyBacktestLimit', 'ApiKeyRateLimit']) ?? 'Unknown429')
  if (status === 404 && !namesOneThing(endpoint)) return refused('WrongAddress')
  if (status === 404 && isRead(endpoint)) return { kind: 'missing' }
  if (status === 400 && carriesABot(endpoint) && named(['BotPlanLimit'])) return refused('BotPlanLimit')
  if (status >= 300 && status <= 399) {
    return isRead(endpoint) ? refused('WrongAddress') : unsure(reply, 'it answered with a redirect', false)
  }
  if (status === 408 || status === 425 || status >= 500) return unsure(reply, 'the service failed', true)
  if (status === 409) return unsure(reply, 'the service reports a conflict', false)
  if (status >= 400) return { kind: 'rejected', status, code: codeOf(reply), message: serviceWords(reply) }
  return unsure(reply, 'not an answer that HTTP knows', false)
}

/** A refusal that a success says in its body: as the same code with its own status would be. */
function readSpokenRefusal(
  endpoint: EndpointName,
  reply: Reply,
  { code, message }: SpokenRefusal,
  now: number,
): Meaning & { readonly kind: 'refused' | 'rejected' } {
  const { status } = reply.raw
  const words = message === null || message.trim() === '' ? serviceWords(reply) : shorten(message, 600)
  if (code === 'BotPlanLimit' && !carriesABot(endpoint)) return { kind: 'rejected', status, code, message: words }
  return {
    kind: 'refused',
    code,
    status,
    message: words,
    retryAfterMs: retryAfterMs(reply, code, now),
    raw: reply.raw,
  }
}

function unsure(reply: Reply, what: string, passing: boolean): Meaning {
  return { kind: 'unsure', reason: `status ${reply.raw.status}: ${what}: ${serviceWords(reply)}`, passing }
}

function carriesABot(endpoint: EndpointName): boolean {
  return ENDPOINTS[endpoint].scope === 'CanTrade'
}

/** The code name anywhere in the body, as a whole word. */
function names(text: string, code: RefusalCode): boolean {
  return new RegExp(`(?<![A-Za-z0-9_])${code}(?![A-Za-z0-9_])`).test(text)
}

function codeOf(reply: Reply): string | null {
  const body = fieldsOf(reply.json?.value)
  const code = own(fieldsOf(own(body, 'error')), 'code') ?? own(body, 'code')
  if (typeof code === 'string') return shorten(code, 100)
  return REFUSAL_CODES.find((name) => names(reply.raw.text, name)) ?? null
}

/** The service's own words on one line: its message and the field problems, else the start of the body. */
function serviceWords(reply: Reply): string {
  const [first, ...problems] = wordsIn(reply.json?.value)
  if (first === undefined) return reply.raw.text === '' ? 'no words' : shorten(reply.raw.text, 300)
  return shorten([first, ...problems.filter((text) => !isSaid(text, first))].join('; '), 600)
}

/** A message may list its problems itself; a short one such as "no" is not taken for said because the letters are there. */
function isSaid(problem: string, message: string): boolean {
  return `; ${message}; `.includes(`; ${problem}; `)
}

/** One line without control characters: words of a service reach terminals (H60). */
function shorten(text: string, length: number): string {
  const line = text
    .slice(0, 10 * length)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Seconds or a date; null when absent or unreadable. Clamped, for a service may ask for nothing or for a year (H17). */
function retryAfterMs(reply: Reply, code: Refused['code'], now: number): number | null {
  const text = reply.retryAfter?.trim()
  if (text === undefined || text === '') return null
  const isDate = /^[A-Z][a-z]+,? .*\d{4}/.test(text) // Date.parse alone takes "-5" for a year
  const until = isDate ? Date.parse(text) - (reply.raw.serverDate ?? now) : Number.NaN
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * second : until
  if (Number.isNaN(ms)) return null
  const [shortest, longest] = code === 'ApiKeyBacktestLimit' ? [minute, 24 * hour + minute] : [second, hour]
  return Math.min(Math.max(ms, shortest), longest)
}

/** How long a failing service asks to be left alone: Retry-After within 1 s to 1 h, or null. */
export function askedPauseMs(reply: Reply, now: number): number | null {
  return retryAfterMs(reply, 'Unknown429', now)
}

// The last step of a call: what passed the gate becomes an outcome, by the table of `outcome.ts`. Unforeseen = ambiguous.

/** The result of a request: the answer with its meaning, or why there is none. */
export type Passed =
  | { readonly kind: 'answered'; readonly meaning: Meaning; readonly reply: Reply }
  | Exclude<Sent, { kind: 'reply' }>

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
  if (passed.kind !== 'answered') {
    const raw = passed.kind === 'lost' ? passed.raw : null
    return { kind: 'failed', reason: passed.reason, unreachable: passed.passing, raw }
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
