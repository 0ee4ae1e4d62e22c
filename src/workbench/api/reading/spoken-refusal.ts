/**
 * What a body says when its status is a success and no id was understood in it: a refusal by a documented code, a failure in words of
 * its own, or neither. A code counts only where services put codes (`code`, `error`, `reason` …), alone, and beside nothing that could
 * name a job: a unit is free only when nothing speaks against it.
 */
import { REFUSALS, type RefusalCode } from '../../../contract/bodies.ts'
import { type Fields, fieldsOf, numberOf, own, textOf } from './shape.ts'

/** What holds an error, and what holds the answer: the one may have an id of its own, the other names a job by it. */
const AROUND_ERRORS = ['error', 'errors', 'fault', 'exception', 'meta', 'status', 'header', 'head']
const AROUND_ANSWERS = ['data', 'result', 'response', 'body', 'payload']

const CODE_PLACES = [
  ...['code', 'error', 'errors', 'reason', 'type', 'name', 'status', 'result', 'message', 'msg'],
  ...['errorCode', 'error_code', 'errCode', 'errorType', 'error_type', 'errorName', 'retCode', 'sCode', 'refusal'],
]

const deepest = 4
const mostInList = 20

interface Place {
  readonly fields: Fields
  /** Under a member that holds an error. */
  readonly isError: boolean
}

/** The body and what lies in its wrappers; nothing else is searched, so that a warning beside a job is no refusal. */
function placesIn(value: unknown, isError = false, depth = 0): Place[] {
  if (depth > deepest) return []
  if (Array.isArray(value)) {
    return isError ? value.slice(0, mostInList).flatMap((item) => placesIn(item, isError, depth + 1)) : []
  }
  const fields = fieldsOf(value) ?? fieldsOf(jsonIn(value))
  if (fields === null) return []
  return [
    { fields, isError },
    ...AROUND_ERRORS.flatMap((name) => placesIn(own(fields, name), true, depth + 1)),
    ...AROUND_ANSWERS.flatMap((name) => placesIn(own(fields, name), isError, depth + 1)),
  ]
}

/** Some services pass on another's error body as a text. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\{/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The documented code that the body gives as its answer; undefined when it gives none, says that it succeeded, or names a thing. */
export function refusalIn(body: unknown): RefusalCode | undefined {
  const whole = documentedCode(body)
  if (whole !== undefined) return whole
  const places = placesIn(body)
  if (places.some(({ fields, isError }) => saysItSucceeded(fields) || (!isError && namesAThing(fields))))
    return undefined
  for (const { fields } of places) {
    for (const name of CODE_PLACES) {
      const value = own(fields, name)
      const found = (Array.isArray(value) ? value : [value]).map(documentedCode).find((code) => code !== undefined)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The code whose name the whole of `value` is. */
export function documentedCode(value: unknown): RefusalCode | undefined {
  const text = textOf(value)?.trim()
  return text !== undefined && Object.hasOwn(REFUSALS, text) ? (text as RefusalCode) : undefined // a key of the table
}

const OF_THE_EXCHANGE =
  /^(request|req|trace|span|correlation|log|error|err|event|session|account|user|client|key|api_?key|tenant|server|node)/i
const IDENTIFIER = /^(_?id|uid|uuid|guid|ref|reference|ticket|handle|.*(Id|ID|_id|Ref|_ref|Uuid|_uuid))$/

/** It has an id of something: a job may have been made, whatever else is said. */
function namesAThing(fields: Fields): boolean {
  return Object.entries(fields).some(
    ([name, value]) => IDENTIFIER.test(name) && !OF_THE_EXCHANGE.test(name) && isFilled(value),
  )
}

function isFilled(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || (typeof value === 'number' && value !== 0)
}

const SUCCESS_FLAGS = ['success', 'ok', 'succeeded', 'successful', 'isSuccess', 'is_success']
const FAILURE_FLAGS = ['failed', 'isError', 'is_error', 'hasError', 'has_error', 'error']
const WORD_PLACES = ['status', 'state', 'result', 'outcome', 'type', 'kind', 'code']
const SUCCESS_WORD = /^(ok|success|successful|succeeded|accepted|created)$/i
const FAILURE_WORD =
  /^(error|err|fail|failed|failure|ko|nok|not.?ok|rejected|refused|denied|forbidden|unauthori[sz]ed|invalid|exception)$/i
/** Not zero = an error. */
const ERROR_NUMBERS = ['errorCode', 'error_code', 'errCode', 'err_code', 'errno', 'retCode', 'ret_code', 'sCode']
/** As an HTTP status, or below zero. */
const STATUS_NUMBERS = ['code', 'status', 'statusCode', 'status_code', 'httpStatus', 'http_status']
const ERROR_WORDS = ['errorMessage', 'error_message', 'errorDescription', 'error_description', 'exception', 'fault']
const NO_ERROR = /^(|ok|none|no error|success|null|0)$/i

function saysItSucceeded(fields: Fields): boolean {
  return (
    SUCCESS_FLAGS.some((name) => own(fields, name) === true) ||
    ['status', 'result', 'outcome'].some((name) => SUCCESS_WORD.test(textOf(own(fields, name)) ?? ''))
  )
}

/** Whether the body says, in whatever form, that what was asked did not succeed. That nothing was done, it does not say. */
export function saysItFailed(body: unknown): boolean {
  const places = placesIn(body)
  return !places.some(({ fields }) => saysItSucceeded(fields)) && places.some(({ fields }) => isFailure(fields))
}

function isFailure(fields: Fields): boolean {
  return (
    SUCCESS_FLAGS.some((name) => isNo(own(fields, name))) ||
    FAILURE_FLAGS.some((name) => own(fields, name) === true) ||
    WORD_PLACES.some((name) => FAILURE_WORD.test(textOf(own(fields, name))?.trim() ?? '')) ||
    ERROR_NUMBERS.some((name) => (numberOf(own(fields, name)) ?? 0) !== 0) ||
    STATUS_NUMBERS.some((name) => isErrorStatus(numberOf(own(fields, name)))) ||
    ['error', 'errors', ...ERROR_WORDS].some((name) => holdsAnError(own(fields, name)))
  )
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || value === 'false' || value === '0'
}

function isErrorStatus(status: number | null): boolean {
  return status !== null && (status < 0 || (status >= 400 && status <= 599))
}

function holdsAnError(value: unknown): boolean {
  if (typeof value === 'string') return !NO_ERROR.test(value.trim())
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

// What a service means a person to read, out of an error body of any make: `{ error: { message } }`, problem details, lists of field problems,
// `{ field: ["must be …"] }`, one inside the other. The document shows no error body, and raw JSON is no sentence.

/** Where services put a sentence, the fullest first; a bare `error` or `code` is often one word. */
const SENTENCES = [
  ...['message', 'msg', 'errorMessage', 'error_message', 'error_description', 'errorDescription', 'retMsg', 'sMsg'],
  ...['detail', 'description', 'reason', 'title', 'error'],
]

/** Whose keys are the fields that are wrong, when they are no list. */
const BY_FIELD = ['errors', 'details', 'fields', 'violations', 'problems', 'validation', 'error_attributes', 'invalid']

/** What else may hold the error. */
const AROUND = ['error', 'errors', 'detail', 'data', 'result', 'response', 'body', 'fault', 'cause', 'inner']

const FIELD_NAMES = ['field', 'path', 'loc', 'property', 'param', 'parameter', 'pointer', 'attribute']

const deepestWords = 6
const most = 20

/** Its sentences, those about a field with the field's name before them: "takeProfit: must be above 0". Empty = nothing that reads like one. */
export function wordsIn(body: unknown): readonly string[] {
  const found = [...new Set(collect(body, '', 0))].filter((text) => text !== '')
  return found.slice(0, most)
}

function collect(value: unknown, place: string, depth: number): string[] {
  if (depth > deepestWords) return []
  const text = textOf(value)
  if (text !== null) return collectText(text, place, depth)
  if (Array.isArray(value)) return value.slice(0, most).flatMap((item) => collect(item, place, depth + 1))
  const fields = fieldsOf(value)
  if (fields === null) return []
  const inner = fieldsOf(own(fields, 'error')) === null ? [] : collect(own(fields, 'error'), place, depth + 1)
  if (inner.length > 0) return inner // what stands around it is "Bad Request"
  const at = [place, fieldName(fields)].filter((part) => part !== '').join('.')
  const first = SENTENCES.map((name) => collectSentence(fields, name, { place: at, depth })).find(
    ({ length }) => length > 0,
  )
  const byField = BY_FIELD.flatMap((name) => collectByField(own(fields, name), at, depth + 1))
  if (first !== undefined) return [...first, ...byField]
  if (byField.length > 0) return byField
  return AROUND.flatMap((name) => collect(own(fields, name), at, depth + 1))
}

/** Some services pass on another's error body as a text. */
function collectText(text: string, place: string, depth: number): string[] {
  if (text.trim() === '') return []
  const inner = /^\s*[[{]/.test(text) ? collect(parsed(text), place, depth + 1) : []
  return inner.length > 0 ? inner : [place === '' ? text : `${place}: ${text}`]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Where {
  readonly place: string
  readonly depth: number
}

/** A text, or a list of texts. */
function collectSentence(fields: Fields, name: string, { place, depth }: Where): string[] {
  const value = own(fields, name)
  const isWords = typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
  return isWords ? collect(value, place, depth + 1) : []
}

/** A list of problems, or an object with one key a field. */
function collectByField(value: unknown, place: string, depth: number): string[] {
  const fields = fieldsOf(value)
  if (fields === null) return Array.isArray(value) ? collect(value, place, depth) : []
  const own = collect(value, place, depth)
  if (own.length > 0 || depth > deepestWords) return own
  return Object.entries(fields)
    .slice(0, most)
    .flatMap(([name, inner]) => collect(inner, place === '' ? name : `${place}.${name}`, depth + 1))
}

/** "takeProfit", "body.takeProfit", "grid.0.takeProfit"; empty = it names none. */
function fieldName(fields: Fields): string {
  const named =
    own(fieldsOf(own(fields, 'source')), 'pointer') ?? FIELD_NAMES.map((name) => own(fields, name)).find(Boolean)
  if (Array.isArray(named)) return named.slice(0, most).map(String).join('.')
  return textOf(named) ?? ''
}
