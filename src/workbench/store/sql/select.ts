/**
 * One statement that reads: on a read-only connection, its parameters bound, its rows one by one. What is wrong with the file is
 * given by the caller: the process that runs a single statement loads no more than it needs.
 */
import Database from 'better-sqlite3'
import { Failure, type Problem, suggest } from '../../../errors.ts'
import { unpacked } from '../replies.ts'
import { isShown } from '../views/latest-attempt.ts'
import type { Parameters } from './bind.ts'

// A statement cut into words as SQLite cuts it, to find names and parameters that are not inside a text or a comment.
type TokenKind = 'space' | 'comment' | 'text' | 'quoted' | 'parameter' | 'number' | 'name' | 'sign'

interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Where it begins in the statement. */
  readonly at: number
}

/** In the order in which they are tried. A text, a quoted name and a comment that are not closed go on to the end. */
const KINDS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /'[^']*(?:''[^']*)*(?:'|$)/y],
  ['quoted', /"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)/y],
  ['parameter', /\?\d*|[:@$#][\w$\u0080-\uffff]+/y],
  ['number', /\d[\w.]*|\.\d\w*/y],
  ['name', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ['sign', /[\s\S]/y],
]

/** The store that the statement was meant for. */
interface Asked {
  /** Prepares a statement. @returns SQLite's message, or undefined where it has nothing to say against it */
  prepare(sql: string): string | undefined
  views(): readonly string[]
  columnsOf(view: string): readonly string[]
}

interface SqlTrouble {
  /** SQLite's words with what may have been meant, and below them the line with a caret. */
  readonly message: string
  /** Both from 1; absent where SQLite names no word. */
  readonly place: { readonly line: number; readonly column: number } | undefined
}

/** A statement with more places to try is reported without one. */
const mostTries = 200

/** A name that no statement has. */
const probe = 'dcalab_probe_of_a_name'

const longestQualifier = 200

/** Lines are cut to so many characters around the caret. */
const widestLine = 100

// Aggregates that SQLite lacks; `median` and `percentile` it has. Rows in which a value is NULL or no number are left out.

type Pair = readonly [number, number]

export function addAggregates(db: Database.Database): void {
  const one = (name: string, of: (values: readonly number[]) => number | null) =>
    db.aggregate<number[]>(name, {
      deterministic: true,
      start: () => [],
      step: (values, value: unknown) => void (typeof value === 'number' && values.push(value)),
      result: of,
    })
  const two = (name: string, of: (pairs: readonly Pair[]) => number | null) =>
    db.aggregate<Pair[]>(name, {
      deterministic: true,
      start: () => [],
      varargs: true,
      step: (pairs, ...[y, x]: unknown[]) =>
        void (typeof y === 'number' && typeof x === 'number' && pairs.push([y, x])),
      result: of,
    })
  one('stddev', (values) => (values.length < 2 ? null : Math.sqrt(products(values, values) / (values.length - 1))))
  two('corr', (pairs) =>
    correlation(
      pairs.map(([y]) => y),
      pairs.map(([, x]) => x),
    ),
  )
  two('spearman', (pairs) => correlation(ranks(pairs.map(([y]) => y)), ranks(pairs.map(([, x]) => x))))
  // As in standard SQL: of the first on the second.
  two('regr_slope', (pairs) => {
    const x = pairs.map(([, x]) => x)
    const spread = products(x, x)
    return spread === 0
      ? null
      : products(
          pairs.map(([y]) => y),
          x,
        ) / spread
  })
}

/** Sum of the products of the distances from the means. */
function products(a: readonly number[], b: readonly number[]): number {
  const [meanOfA, meanOfB] = [a, b].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length)
  return a.reduce((sum, value, i) => sum + (value - meanOfA) * (b[i] - meanOfB), 0)
}

function correlation(a: readonly number[], b: readonly number[]): number | null {
  const spread = Math.sqrt(products(a, a) * products(b, b))
  return spread === 0 ? null : products(a, b) / spread
}

/** Equal values share the mean of their places. */
function ranks(values: readonly number[]): readonly number[] {
  const sorted = values.toSorted((a, b) => a - b)
  const [first, last] = [new Map<number, number>(), new Map<number, number>()]
  sorted.forEach((value, place) => {
    if (!first.has(value)) first.set(value, place)
    last.set(value, place)
  })
  return values.map((value) => ((first.get(value) ?? 0) + (last.get(value) ?? 0)) / 2)
}

// While a hold-out is being opened, `dcalab sql` shows no more of it under the names of tables than the views do, so that nobody meets its
// results by a question about something else. Whoever writes `main.result`, or asks another program, means to see them.

const OF_SHOWN_JOB = `job_id in (select j.id from main.job j where ${isShown('j.fingerprint')})`

/** What came back, by table: SQL for the rows that may be shown. A list of jobs, as a service sends it, may hold their results. */
const SHOWN = {
  result: OF_SHOWN_JOB,
  deal: OF_SHOWN_JOB,
  reply: OF_SHOWN_JOB,
  revised_result: OF_SHOWN_JOB,
  service_reply: "endpoint not like '%/backtest/jobs%'",
} as const

/** Stands views of this connection before the tables, where an opening is not complete. Call before a statement is prepared. */
function closeTables(db: Database.Database): void {
  if (!isOpening(db)) return
  for (const [table, isRowShown] of Object.entries(SHOWN)) {
    db.exec(`create temp view ${table} as select * from main.${table} where ${isRowShown}`)
  }
}

/** Stores of older layouts have no openings. */
function isOpening(db: Database.Database): boolean {
  const has = db.prepare("select 1 from main.sqlite_schema where name = 'holdout_opening' and type = 'table'").get()
  return (
    has !== undefined && db.prepare('select 1 from main.holdout_opening where completed_at is null').get() !== undefined
  )
}

/** Numbers, texts and nulls; integers beyond 2^53 and blobs (hex) as text. */
export type Row = readonly (string | number | null)[]

export interface Question {
  readonly sql: string
  readonly parameters: Parameters
}

/**
 * Pages of the file's beginning are read from the system's memory, without copying each, which spares a question that reads all of a store of this size a
 * quarter of its time. Bounded, because what is mapped counts as the memory of the process, and a container may end one that takes a gigabyte.
 * A file that somebody cuts short meanwhile ends the process of this one statement.
 */
const mappedBytes = 256e6

/**
 * Runs one statement that returns rows and changes nothing, and hands its columns and rows to `work`.
 * @throws Failure sqlInvalid for anything else, with the place where SQLite names a word; an error of SQLite
 * or of better-sqlite3 where the file is the trouble
 */
export function withRows<T>(
  path: string,
  { sql, parameters }: Question,
  work: (columns: readonly string[], rows: Iterable<Row>) => T,
): T {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2_000 })
  try {
    db.pragma(`mmap_size = ${mappedBytes}`)
    closeTables(db)
    db.function('reply_text', { deterministic: true }, replyText)
    addAggregates(db)
    const statement = prepareSelect(db, sql)
    const bound = bindParameters(sql, parameters)
    return work(
      statement.columns().map(({ name }) => name),
      plainRows(statement.iterate(bound)),
    )
  } catch (error) {
    throw askerFailure(db, sql, error) ?? error
  } finally {
    db.close()
  }
}

/**
 * The values to bind, by name.
 * @throws Failure sqlInvalid that names every missing, unused and nameless parameter
 */
function bindParameters(sql: string, given: Parameters): Record<string, string | number | bigint | null> {
  const asked = [
    ...new Set(
      tokensOf(sql)
        .filter(({ kind }) => kind === 'parameter')
        .map(({ text }) => text),
    ),
  ]
  const names = asked.filter((text) => !text.startsWith('?')).map((text) => text.slice(1))
  const problems: Problem[] = [
    ...asked
      .filter((text) => text.startsWith('?'))
      .map((place) => ({ place, message: 'has no name; write it as :name' })),
    ...names
      .filter((name) => !Object.hasOwn(given, name))
      .map((name) => ({ place: `:${name}`, message: `has no value; give it by --param ${name}=…` })),
    ...Object.keys(given)
      .filter((name) => !names.includes(name))
      .map((name) => ({ place: `--param ${name}`, message: `the statement has no :${name}` })),
  ]
  if (problems.length > 0) {
    throw new Failure('sqlInvalid', 'the parameters do not fit the statement', {
      problems,
      hint: 'a parameter is written :name in the statement and given by --param name=value, once for each',
    })
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, boundValue(value)]))
}

/** Whole numbers are bound as integers: better-sqlite3 binds every other number as a real one. */
function boundValue(value: Parameters[string]): string | number | bigint | null {
  if (value.kind === 'null') return null
  if (value.kind === 'text') return value.text
  if (!/^[-+]?\d+$/.test(value.digits)) return Number(value.digits)
  const whole = BigInt(value.digits)
  return BigInt.asIntN(64, whole) === whole ? whole : Number(value.digits)
}

/** `reply_text(body)`: a kept reply as it came. NULL for one that was not kept. */
function replyText(body: unknown): string | null {
  if (body === null) return null
  try {
    if (body instanceof Uint8Array) return unpacked(body)
  } catch (cause) {
    throw new Failure('sqlInvalid', 'reply_text: the body is no whole reply, or one of more than 32 MB', { cause })
  }
  throw new Failure('sqlInvalid', `reply_text takes a body of the table reply or service_reply, not a ${typeof body}`)
}

type Select = Database.Statement<[Record<string, unknown>], unknown[]>

function prepareSelect(db: Database.Database, sql: string): Select {
  let statement: Select
  try {
    statement = db.prepare<[Record<string, unknown>], unknown[]>(sql)
  } catch (error) {
    // better-sqlite3 throws a RangeError for no statement or several.
    if (error instanceof RangeError) throw new Failure('sqlInvalid', error.message, { cause: error })
    throw error
  }
  if (!statement.reader || !statement.readonly) {
    throw new Failure('sqlInvalid', 'The statement returns no rows or would change the store')
  }
  return statement.raw().safeIntegers()
}

function* plainRows(rows: Iterable<unknown[]>): Generator<Row> {
  for (const row of rows) yield row.map(plainValue)
}

function plainValue(value: unknown): string | number | null {
  if (value === null || typeof value === 'number') return value
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

/** SQLite's codes for a statement that is wrong, or asks for too much; all others are about the file. */
const WRONG_STATEMENT: readonly string[] = ['ERROR', 'MISMATCH', 'TOOBIG', 'NOMEM', 'RANGE', 'AUTH']

function askerFailure(db: Database.Database, sql: string, error: unknown): Failure | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined
  if (!WRONG_STATEMENT.includes(error.code.replace('SQLITE_', ''))) return undefined
  const { message, place } = describeTrouble(sql, error.message, askedStore(db))
  return new Failure('sqlInvalid', message, { cause: error, details: place })
}

function askedStore(db: Database.Database): Asked {
  const names = (sql: string, ...bound: string[]) =>
    db
      .prepare<string[], string>(sql)
      .pluck()
      .all(...bound)
  return {
    prepare(sql) {
      try {
        db.prepare(sql)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    views: () => names("select name from sqlite_schema where type = 'view'"),
    columnsOf: (view) => names('select name from pragma_table_info(?)', view),
  }
}

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; at += tokens[tokens.length - 1].text.length) tokens.push(tokenAt(sql, at))
  return tokens
}

function tokenAt(sql: string, at: number): Token {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = at
    const text = pattern.exec(sql)?.[0]
    if (text !== undefined) return { kind, text, at }
  }
  throw new Error(`the last kind of token takes any character; found none at ${at}`)
}

/** The name that a bare or quoted name stands for. */
function bareName(text: string): string {
  const quote = text.charAt(0)
  if (quote === '[') return text.slice(1, -1)
  return quote === '"' || quote === '`' ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
}

/**
 * Where a statement is wrong. SQLite's message names a word and no place, and the word may stand there several times, so the
 * statement is prepared again with a change at each candidate: the place is where the change changes the message.
 */
function describeTrouble(sql: string, message: string, store: Asked): SqlTrouble {
  const words = message + suggestFor(sql, message, store)
  const at = findPlace(sql, message, store.prepare)
  if (at === undefined) return { message: words, place: undefined }
  const lineStart = sql.lastIndexOf('\n', at - 1) + 1
  const line = sql.slice(0, lineStart).split('\n').length
  const column = at - lineStart + 1
  const whole = sql.slice(lineStart).split(/\r?\n/, 1)[0]
  const from = column <= widestLine ? 0 : column - Math.floor(widestLine / 2)
  const lead = `line ${line}: ${from === 0 ? '' : '…'}`
  const shown = whole.slice(from, from + widestLine).replaceAll('\t', ' ')
  const cut = whole.length > from + widestLine ? '…' : ''
  return {
    message: `${words}\n${lead}${shown}${cut}\n${' '.repeat(lead.length + column - 1 - from)}^`,
    place: { line, column },
  }
}

function findPlace(sql: string, message: string, prepare: Asked['prepare']): number | undefined {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  if (message === 'incomplete input') {
    const last = tokens.at(-1)
    return last === undefined ? undefined : last.at + last.text.length
  }
  const word = /^near "([\s\S]*)": syntax error$|^unrecognized token: "([\s\S]*)"$/.exec(message)
  if (word !== null) return findWord(sql, tokens, word[1] ?? word[2], (start) => prepare(start) === message)
  const name = namedIn(message)
  return name === undefined ? undefined : findName(sql, tokens, name, prepare)
}

/** The first word of this text up to which the statement is refused in the same way. */
function findWord(sql: string, tokens: readonly Token[], word: string, isRefused: (start: string) => boolean) {
  return tokens
    .filter(({ at }) => sql.startsWith(word, at))
    .slice(0, mostTries)
    .find(({ at }) => isRefused(sql.slice(0, at + word.length)))?.at
}

/**
 * The name that SQLite misses when it is spelt in another way. So it misses a name that is right, too, and reports whichever it
 * meets first; among several it is the one that the statement can do without.
 */
function findName(sql: string, tokens: readonly Token[], name: string, prepare: Asked['prepare']): number | undefined {
  const without = ({ at, text }: Token, other: string) =>
    prepare(sql.slice(0, at) + other + sql.slice(at + text.length))
  const candidates = tokens
    .filter(({ kind, text }) => (kind === 'name' || kind === 'quoted') && isSame(bareName(text), name))
    .slice(0, mostTries)
  const missed = candidates.filter((token) => without(token, probe)?.includes(probe))
  const message = prepare(sql)
  const spared = missed.find((token) => {
    const then = without(qualified(sql, token), 'null')
    return then !== message && !/syntax error/.test(then ?? '')
  })
  return (spared ?? missed.at(0) ?? candidates.at(0))?.at
}

/** The name with the table before its dot. */
function qualified(sql: string, { kind, text, at }: Token): Token {
  const before =
    /(?:[\w$\u0080-\uffff]+|"[^"]*")\s*\.\s*$/.exec(sql.slice(Math.max(0, at - longestQualifier), at))?.[0] ?? ''
  return { kind, text: before + text, at: at - before.length }
}

/** `no such column: r."profit" - should this be …` → profit */
function namedIn(message: string): string | undefined {
  const named =
    /^(?:no such (?:table|column|function|index|collation sequence|window)|ambiguous column name|no such table column): (.+?)(?: - should this be .*)?$/.exec(
      message,
    )?.[1] ?? /function (\w+)\(\)/.exec(message)?.[1]
  if (named === undefined) return undefined
  const names = tokensOf(named).filter(({ kind }) => kind === 'name' || kind === 'quoted')
  return bareName(names.at(-1)?.text ?? named)
}

/** Views, and columns of the views that the statement reads. */
function suggestFor(sql: string, message: string, store: Asked): string {
  const name = namedIn(message)
  const isTable = message.startsWith('no such table:')
  if (name === undefined || !(isTable || message.startsWith('no such column:'))) return ''
  const views = store.views()
  if (isTable) return suggest(name, views)
  const words = new Set(tokensOf(sql).map(({ text }) => bareName(text).toLowerCase()))
  const read = views.filter((view) => words.has(view.toLowerCase()))
  const columns = (read.length > 0 ? read : views).flatMap((view) => store.columnsOf(view))
  return columns.some((column) => isSame(column, name)) ? '' : suggest(name, [...new Set(columns)]) // of a view it is not asked of
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
