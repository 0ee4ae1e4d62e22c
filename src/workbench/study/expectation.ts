/** Our own phrases for what a schema expects, instead of zod's: each completes "expected …". */

interface RawIssue {
  readonly code?: string | undefined
  readonly expected?: unknown
  readonly values?: readonly unknown[] | undefined
}

/** For a schema that describes its values better than its type does. */
export function expecting(phrase: string) {
  return {
    error: ({ code }: RawIssue) => (code === 'invalid_type' || code === 'invalid_union' ? phrase : undefined),
  }
}

/** For every schema without such a phrase: passed to `safeParse`. */
export function expectationOf({ code, expected, values }: RawIssue): string | undefined {
  if (code === 'invalid_value') return `one of ${(values ?? []).map(String).join(', ')}`
  if (code !== 'invalid_type') return undefined
  return typeof expected === 'string' && Object.hasOwn(TYPE_PHRASES, expected)
    ? TYPE_PHRASES[expected as keyof typeof TYPE_PHRASES] // checked above to be one of its keys
    : String(expected)
}

const TYPE_PHRASES = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
} as const
