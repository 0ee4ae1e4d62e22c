/** The words for what a schema wanted, in place of zod's: always a phrase that completes "expected …". */

interface RawIssue {
  readonly code?: string | undefined
  readonly expected?: unknown
  readonly values?: readonly unknown[] | undefined
}

/** For a schema that can name what it wants better than its type can. */
export function expecting(phrase: string) {
  return {
    error: ({ code }: RawIssue) => (code === 'invalid_type' || code === 'invalid_union' ? phrase : undefined),
  }
}

/** For every schema that names nothing itself: given to `safeParse`. */
export function expectationOf({ code, expected, values }: RawIssue): string | undefined {
  if (code === 'invalid_value') return `one of ${(values ?? []).map(String).join(', ')}`
  if (code !== 'invalid_type') return undefined
  return typeof expected === 'string' && Object.hasOwn(TYPE_PHRASES, expected)
    ? TYPE_PHRASES[expected as keyof typeof TYPE_PHRASES] // just seen to be one of its keys
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
