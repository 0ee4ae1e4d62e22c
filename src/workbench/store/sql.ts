/** SQL for the program's own questions: one read-only statement in this process. Analysts' statements run in a process of their own (`sql/ask.ts`). */
import { refuseMoreRows } from './sql/row-limit.ts'
import { type Row, withRows } from './sql/select.ts'
import { requireStore, storeFailure } from './store.ts'

export interface Answer {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/**
 * Runs one statement that returns rows and changes nothing, on a read-only connection.
 * @throws Failure sqlInvalid for anything else, or for more than 100,000 rows; storeUnusable when the file cannot be read
 */
export function runSelect(path: string, sql: string): Answer {
  requireStore(path)
  try {
    return withRows(path, { sql, parameters: {} }, (columns, found) => {
      const rows: Row[] = []
      for (const row of found) {
        rows.push(row)
        refuseMoreRows(rows.length)
      }
      return { columns, rows }
    })
  } catch (error) {
    throw storeFailure(path, error)
  }
}
