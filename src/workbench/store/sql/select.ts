/**
 * One statement that reads: on a read-only connection, its parameters bound, its rows one by one. What is wrong with the file is
 * told by the caller: the process that runs a single statement loads no more than it needs.
 */
import Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import { unpacked } from '../replies.ts'
import { addAggregates } from './aggregates.ts'
import { bindParameters, type Parameters } from './bind.ts'
import { closeTables } from './close-tables.ts'
import { type Asked, describeTrouble } from './place.ts'

/** Numbers, texts and nulls; integers beyond 2^53 and blobs (hex) as text. */
export type Row = readonly (string | number | null)[]

export interface Question {
  readonly sql: string
  readonly parameters: Parameters
}

/**
 * Pages of the file's beginning are read from the system's memory, without copying each, which spares a question that reads all of a store of this size a
 * quarter of its time. Bounded, because what was mapped counts as the memory of the process: all of a gigabyte, where a container ends who takes so much.
 * A file that somebody cuts short meanwhile ends the process of this one statement.
 */
const mappedBytes = 256e6

/**
 * Runs one statement that returns rows and changes nothing, and hands its columns and rows to `work`.
 * @throws Failure sqlInvalid for anything else, with the place where SQLite tells a word; an error of SQLite
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
  return new Failure('sqlInvalid', message, { cause: error, ...(place === undefined ? {} : { details: place }) })
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
