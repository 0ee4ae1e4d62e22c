/**
 * One statement that reads: on a read-only connection, its parameters bound, its rows one by one. What is wrong with the file is
 * given by the caller: the process that runs a single statement loads no more than it needs.
 */
import Database from 'better-sqlite3'
import { Failure, type Problem } from '../../../errors.ts'
import { unpacked } from '../replies.ts'
import { isShown } from '../views/latest-attempt.ts'
import type { Parameters } from './bind.ts'
import { type Asked, describeTrouble, tokensOf } from './place.ts'

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
