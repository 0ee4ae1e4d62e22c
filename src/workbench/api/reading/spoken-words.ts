/**
 * What a service means a person to read, out of an error body of any make: `{ error: { message } }`, problem details, lists of field problems,
 * `{ field: ["must be …"] }`, one inside the other. The document shows no error body, and raw JSON is no sentence.
 */
import { type Fields, fieldsOf, own, textOf } from './single-values.ts'

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

const deepest = 6
const most = 20

/** Its sentences, those about a field with the field's name before them: "takeProfit: must be above 0". Empty = nothing that reads like one. */
export function wordsIn(body: unknown): readonly string[] {
  const found = [...new Set(collect(body, '', 0))].filter((text) => text !== '')
  return found.slice(0, most)
}

function collect(value: unknown, place: string, depth: number): string[] {
  if (depth > deepest) return []
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
  if (own.length > 0 || depth > deepest) return own
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
