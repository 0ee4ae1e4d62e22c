/** The kinds of query parameters: for each what a description says of it, and how it is read. Both from one place, so that they agree. */
import { parseInstant } from '../instants.ts'

export interface Parameter<Value = unknown> {
  readonly description: string
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
  /** An absent parameter has a value, too. */
  readonly read: (text: string | undefined) => { readonly value: Value } | { readonly expected: string }
}

export function anyText(description: string): Parameter<string | undefined> {
  return { description, schema: { type: 'string' }, read: (text) => ({ value: text }) }
}

/** One of some words; `standard` is what nothing means. */
export function oneOf<const Word extends string, const Standard extends Word | null>(
  words: readonly Word[],
  standard: Standard,
  description: string,
): Parameter<Word | Standard> {
  return {
    description,
    schema: { type: 'string', enum: words, ...(standard === null ? {} : { default: standard }) },
    read: (text) => {
      if (text === undefined) return { value: standard }
      const value = words.find((word) => word === text)
      return value === undefined ? { expected: listed(words) } : { value }
    },
  }
}

function listed(words: readonly string[]): string {
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}

const wholePattern = '^\\d{1,15}$'

export function whole<const Standard extends number | null>(
  standard: Standard,
  description: string,
): Parameter<number | Standard> {
  return {
    description,
    schema: { type: 'string', pattern: wholePattern, ...(standard === null ? {} : { default: String(standard) }) },
    read: (text) => {
      if (text === undefined) return { value: standard }
      return new RegExp(wholePattern).test(text) ? { value: Number(text) } : { expected: 'a whole number' }
    },
  }
}

/** ms UTC; null = not given. */
export function instant(description: string): Parameter<number | null> {
  return {
    description,
    schema: { type: 'string', examples: ['2021-04-21', '2021-04-21T06:30:00Z'] },
    read: (text) => {
      if (text === undefined) return { value: null }
      const value = parseInstant(text)
      return value === undefined ? { expected: 'an ISO 8601 instant' } : { value }
    },
  }
}
