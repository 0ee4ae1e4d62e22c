/** SQL for analysts: one read-only statement at a time. */
import Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { requireStore, storeFailure } from './store.ts'

/** A result with more rows is a mistake or should be an export. There is no limit on time: Ctrl-C ends a slow statement. */
const rowLimit = 100_000

export interface Answer {
  readonly columns: readonly string[]
  /** Numbers, texts and nulls; integers beyond 2^53 and blobs (hex) as text. */
  readonly rows: readonly (readonly unknown[])[]
}

/**
 * Runs one statement that returns rows and changes nothing, on a read-only connection.
 * @throws Failure sqlInvalid for anything else, or for more than 100,000 rows; storeUnusable when the file cannot be read
 */
export function runSelect(path: string, sql: string): Answer {
  const db = openReadonly(path)
  try {
    const statement = prepareSelect(db, sql)
    const columns = statement.columns().map(({ name }) => name)
    const rows: unknown[][] = []
    for (const row of statement.iterate()) {
      if (rows.length === rowLimit) {
        throw new Failure('sqlInvalid', `More than ${rowLimit.toLocaleString('en')} rows`, {
          hint: 'add `limit`, and `offset` for the rest',
        })
      }
      rows.push(row.map(plainValue))
    }
    return { columns, rows }
  } catch (error) {
    throw isSqliteError(error) && error.code === 'SQLITE_ERROR'
      ? new Failure('sqlInvalid', error.message, { cause: error })
      : storeFailure(path, error)
  } finally {
    db.close()
  }
}

function openReadonly(path: string): Database.Database {
  requireStore(path)
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: 2_000 })
  } catch (error) {
    throw storeFailure(path, error)
  }
}

function prepareSelect(db: Database.Database, sql: string): Database.Statement<[], unknown[]> {
  let statement: Database.Statement<[], unknown[]>
  try {
    statement = db.prepare<[], unknown[]>(sql)
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

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError
}
