/**
 * Reads a JSON object field by field and collects every problem with its field. A field nobody reads is a problem too, because a
 * misspelt field would silently change what is simulated or created.
 */
import type { FieldProblem } from '../contract/bodies.ts'

export type Decoded<T> = { readonly value: T } | { readonly problems: readonly FieldProblem[] }

export interface Form {
  has(field: string): boolean
  value(field: string): unknown
  /** A text of 1–200 characters without control characters; for anything else it records the problem and returns ''. */
  text(field: string): string
  /** The object in a field; for anything else it records the problem and returns undefined. */
  within(field: string, known: readonly string[]): Form | undefined
  refuse(field: string, message: string): void
  /** Returns what `build` makes, or every problem found. */
  close<T>(build: () => T): Decoded<T>
}

export function openForm(body: unknown, known: readonly string[]): Form {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string) => void problems.push({ field, message })
  if (isObject(body)) return formOf(body, known, { problems, refuse })
  refuse('', `expected a JSON object, found ${spell(body)}`)
  return formOf({}, known, { problems, refuse })
}

interface Findings {
  /** Of the whole body. */
  readonly problems: readonly FieldProblem[]
  refuse(field: string, message: string): void
}

function formOf(body: object, known: readonly string[], { problems, refuse }: Findings): Form {
  // A Map, so that a field may be named like a member of Object.prototype.
  const fields = new Map<string, unknown>(Object.entries(body))
  for (const field of fields.keys())
    if (!known.includes(field)) refuse(field.slice(0, 100), 'is not a field of this body')
  return {
    has: (field) => fields.has(field),
    value: (field) => fields.get(field),
    text(field) {
      const value = fields.get(field)
      const usable = typeof value === 'string' && value.length >= 1 && value.length <= 200
      if (usable && !/[\p{Cc}\p{Cs}]/u.test(value)) return value
      refuse(field, `expected a text of 1–200 characters, found ${spell(value)}`)
      return ''
    },
    within(field, knownWithin) {
      const value = fields.get(field)
      if (!isObject(value)) {
        refuse(field, `expected a JSON object, found ${spell(value)}`)
        return undefined
      }
      return formOf(value, knownWithin, {
        problems,
        refuse: (inner, message) => refuse(`${field}.${inner}`, message),
      })
    },
    refuse,
    close: (build) => (problems.length > 0 ? { problems } : { value: build() }),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as JSON, shortened for a message. */
export function spell(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
