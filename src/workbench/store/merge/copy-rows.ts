/** Copies rows of `other` into the table of the same name in `main`, every column that both have and that is not said otherwise as it is. */
import type Database from 'better-sqlite3'
import type { Tables } from '../table-types.ts'
import type { TakenWhole } from './pair-rows.ts'

export interface Copy<T> {
  /** SQL of columns whose value is not that of the row `o`. */
  readonly set?: Readonly<Record<string, string>>
  /** Columns that the table numbers itself. */
  readonly without?: readonly string[]
  /** What follows `from other.<table> o`: joins, and a `where`. */
  readonly rest: string
  readonly parameters?: Readonly<Record<string, string | number>>
  /**
   * Nothing but numbers of rows is set: what the table checks was checked in the copy (`findDamage`), whose tables are the same, and is not
   * computed again.
   */
  readonly asChecked?: boolean
  /**
   * Ours has no rows yet and takes over all of theirs, numbers too, whatever else is said here: SQLite then copies rows, and what its
   * indexes hold of them, without taking them apart. Both were checked in the copy (`findDamage`).
   */
  readonly whole?: T extends TakenWhole ? boolean : false
}

/** Returns how many rows are new. Call inside a transaction. */
export function copyRows<T extends keyof Tables | OtherTable>(db: Database.Database, table: T, copy: Copy<T>): number {
  const { set = {}, without = [], rest, parameters = {}, asChecked = false, whole = false } = copy
  if (whole && isLaidOutAlike(db, table)) {
    return withoutChecks(db, () => db.prepare(`insert into main.${table} select * from other.${table}`).run().changes)
  }
  const theirs = columnsOf(db, table, 'other')
  const columns = columnsOf(db, table).filter((name) => theirs.includes(name) && !without.includes(name))
  const values = columns.map((name) => (Object.hasOwn(set, name) ? set[name] : `o.${name}`))
  const insert = `insert into main.${table} (${columns.join(', ')}) select ${values.join(', ')} from other.${table} o ${rest}`
  const run = () => db.prepare<[object], unknown>(insert).run(parameters).changes
  return asChecked ? withoutChecks(db, run) : run()
}

function withoutChecks<T>(db: Database.Database, work: () => T): T {
  db.pragma('ignore_check_constraints = ON')
  try {
    return work()
  } finally {
    db.pragma('ignore_check_constraints = OFF')
  }
}

/** Tables that no query of the program needs types for. */
type OtherTable =
  | 'study_archive'
  | 'promotion'
  | 'bot_order'
  | 'screen'
  | 'screen_result'
  | 'screen_parameter'
  | 'look'
  | 'tag'
  | 'note'
  | 'calibration'
  | 'examination'
  | 'examination_check'
  | 'verdict'
  | 'drift_check'
  | 'revised_result'
  | 'result_check'

function columnsOf(db: Database.Database, table: string, schema: 'main' | 'other' = 'main'): readonly string[] {
  return db.prepare<[string, string], string>('select name from pragma_table_info(?, ?)').pluck().all(table, schema)
}

/** An analyst may have added a column to ours, which their rows then leave at its default. */
function isLaidOutAlike(db: Database.Database, table: string): boolean {
  return columnsOf(db, table).join() === columnsOf(db, table, 'other').join()
}
