/** What a test asks of a store: one read-only statement. */
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
