/** Turns zod's issues into sentences with a place: dotted path, what was expected, what was found, and what was probably meant. */
import type { z } from 'zod'
import { Failure, suggest } from '../../errors.ts'
import { describe, type Path, pathText, valueAt } from './path.ts'
import { type PlacedProblem, placeProblems, type SourceDocument } from './source-document.ts'

// Our own phrases for what a schema expects, instead of zod's: each completes "expected …".

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

const TYPE_PHRASES = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
} as const

/** For every schema without such a phrase: passed to `safeParse`. */
export function expectationOf({ code, expected, values }: RawIssue): string | undefined {
  if (code === 'invalid_value') return `one of ${(values ?? []).map(String).join(', ')}`
  if (code !== 'invalid_type') return undefined
  return typeof expected === 'string' && Object.hasOwn(TYPE_PHRASES, expected)
    ? TYPE_PHRASES[expected as keyof typeof TYPE_PHRASES] // checked above to be one of its keys
    : String(expected)
}

/** The keys that a JSON Schema (as zod writes it) allows at a path, in any branch of a union. */
function findKnownKeys(jsonSchema: unknown, path: Path): readonly string[] {
  let schemas: readonly unknown[] = withBranches(jsonSchema)
  for (const key of path) schemas = schemas.flatMap((schema) => findChildren(schema, String(key)).flatMap(withBranches))
  return [...new Set(schemas.flatMap(keysOf))]
}

function withBranches(schema: unknown): readonly unknown[] {
  const branches = valueAt(schema, ['anyOf'])
  return Array.isArray(branches) ? [schema, ...branches.flatMap(withBranches)] : [schema]
}

function findChildren(schema: unknown, key: string): readonly unknown[] {
  const child = valueAt(schema, ['properties', key]) ?? valueAt(schema, ['additionalProperties'])
  return typeof child === 'object' && child !== null ? [child] : []
}

/** Keys of a mapping, or the allowed names of its keys. */
function keysOf(schema: unknown): readonly string[] {
  const properties = valueAt(schema, ['properties'])
  const names = valueAt(schema, ['propertyNames', 'enum'])
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return Array.isArray(names) ? [...known, ...names.map(String)] : known
}

export interface SchemaWords {
  /** JSON Schema of the file: which keys there are, at any path. */
  readonly jsonSchema: () => object
  /** Messages for well-known keys that are not allowed here. */
  readonly keyNotes: Readonly<Record<string, string>>
  /** The name of the whole value in messages; default: the file. */
  readonly whole?: string
}

type Issue = z.core.$ZodIssue

/**
 * Reads a document by a schema. `value` replaces the document's own value. `subject` begins the message: "bot.yaml is not a valid
 * config".
 * @throws Failure configInvalid with every problem and its place
 */
export function decodeDocument<T>(
  document: SourceDocument,
  options: {
    readonly schema: z.ZodType<T>
    readonly words: SchemaWords
    readonly subject: string
    readonly hint?: string | undefined
    readonly value?: unknown
  },
): T {
  const { schema, words, subject, hint, value = document.value } = options
  const parsed = document.isReadable ? schema.safeParse(value, { error: expectationOf }) : undefined
  const problems = [
    ...document.problems,
    ...(parsed === undefined ? [] : findSchemaProblems(document, parsed.error?.issues ?? [], words)),
  ]
  if (parsed?.success && problems.length === 0) return parsed.data
  const placed = placeProblems(document, problems)
  const count = placed.length === 1 ? '1 problem' : `${placed.length} problems`
  throw new Failure('configInvalid', `${subject}: ${count}`, {
    problems: placed,
    hint,
  })
}

export function findSchemaProblems(
  document: SourceDocument,
  issues: readonly Issue[],
  words: SchemaWords,
): readonly PlacedProblem[] {
  let jsonSchema: object | undefined
  const wordsOnce: SchemaWords = {
    ...words,
    jsonSchema: () => {
      jsonSchema ??= words.jsonSchema() // it takes milliseconds, and a file can have thousands of unknown keys
      return jsonSchema
    },
  }
  return issues
    .flatMap((issue) => flattenUnion(issue))
    .filter((issue) => !document.isRefused(issue.path))
    .flatMap((issue) => placeIssue(document, issue, wordsOnce))
}

/** For a union, the issues of the branch that was probably meant: the one for the kind of value that was given. */
function flattenUnion(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((errors) => !errors.some(isWrongKind))
  if (meant.length !== 1) return [issue]
  return meant[0].flatMap((inner) => flattenUnion({ ...inner, path: [...issue.path, ...inner.path] }))
}

function isWrongKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
}

function placeIssue(document: SourceDocument, issue: Issue, words: SchemaWords): readonly PlacedProblem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: document.offsetOf([...path, key], 'key'),
      message: `${pathText([...path, key])}: ${describeUnknownKey(path, key, words)}`,
    }))
  }
  const offset = document.offsetOf(path, 'value')
  const place = pathText(path, words.whole)
  if (issue.code === 'custom') return [{ offset, message: `${place}: ${issue.message}` }]
  const found = valueAt(document.value, path)
  const isWord = issue.code === 'invalid_value' && typeof found === 'string'
  const suggestion = isWord ? suggest(found, issue.values.map(String)) : ''
  return [
    {
      offset,
      message: `${place}: expected ${issue.message}, found ${describe(found)}${suggestion}${quoteHint(issue, found)}`,
    },
  ]
}

function describeUnknownKey(path: Path, key: string, { jsonSchema, keyNotes }: SchemaWords): string {
  if (Object.hasOwn(keyNotes, key)) return keyNotes[key]
  const known = findKnownKeys(jsonSchema(), path)
  const suggestion = suggest(key, known)
  if (suggestion !== '') return `unknown key${suggestion}`
  return `unknown key; expected ${known.length > 12 ? `one of ${known.length} names (see the JSON Schema)` : known.join(', ')}`
}

/** A hint for text that YAML reads as a number, or the other way round. */
function quoteHint(issue: Issue, found: unknown): string {
  const isNumberWanted = issue.code === 'invalid_type' && issue.expected === 'number'
  const isNumberQuoted = typeof found === 'string' && found.trim() !== '' && Number.isFinite(Number(found))
  return isNumberWanted && isNumberQuoted ? '; write it without quotes' : ''
}
