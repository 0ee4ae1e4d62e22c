/** What a test asks of a store: one read-only statement, in this process, where `dcalab sql` starts another. */
import { type Row, withRows } from '../../src/workbench/store/sql/select.ts'
import { requireStore, storeFailure } from '../../src/workbench/store/store.ts'

interface Answer {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** @throws Failure sqlInvalid for what changes something; storeUnusable when the file cannot be read */
export function runSelect(path: string, sql: string): Answer {
  requireStore(path)
  try {
    return withRows(path, { sql, parameters: {} }, (columns, found) => ({ columns, rows: [...found] }))
  } catch (error) {
    throw storeFailure(path, error)
  }
}

/** The rows as `dcalab sql --json` has them. @throws Failure as `runSelect` */
// biome-ignore lint/suspicious/noExplicitAny: rows of any statement, which tests look into
export function selectObjects(path: string, sql: string): any[] {
  const { columns, rows } = runSelect(path, sql)
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
}
