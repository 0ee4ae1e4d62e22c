/** The rows of a promised view with the type of every column, one at a time, as they are when the first is read. */
import type Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import type { Store } from '../store.ts'
import { unknownStudy } from '../unknown-study.ts'
import type { Unit } from '../views/column.ts'
import { VIEW_ROWS } from '../views.ts'

export type ColumnType = 'integer' | 'number' | 'yesNo' | 'time' | 'text'

export interface TypedColumn {
  readonly name: string
  readonly type: ColumnType
}

export type Cell = string | number | bigint | null

export interface ViewRows {
  readonly view: string
  readonly columns: readonly TypedColumn[]
  /** Integers as bigint; in the order of `columns`. While they are read, nothing else can use the store's connection. */
  readonly rows: Iterable<readonly Cell[]>
}

/** The view with every result that was paid for. */
const EVERY_RESULT = 'results'
const OF_A_STUDY = 'leaderboard'

/**
 * The rows of a study, or of the whole store. `view`: default the leaderboard of a study, and every result of a store.
 * @throws Failure notFound for a study that the store does not hold, usage for a view that is not promised or knows no studies
 */
export function readView(store: Store, wanted: { readonly study?: string; readonly view?: string }): ViewRows {
  const { study } = wanted
  const view = promised(wanted.view ?? (study === undefined ? EVERY_RESULT : OF_A_STUDY))
  const units = VIEW_ROWS[view].columns
  if (study !== undefined) requireStudy(store, study, view)
  const where = study === undefined ? '' : 'where study = ?'
  const statement = store.db.prepare<string[], Cell[]>(`select * from ${view} ${where}`).raw().safeIntegers()
  return {
    view,
    columns: statement.columns().map(({ name, type }) => ({ name, type: typeOf(units[name].unit, type) })),
    rows: lazily(statement, study === undefined ? [] : [study]),
  }
}

function promised(view: string): string {
  if (Object.hasOwn(VIEW_ROWS, view)) return view
  throw new Failure('usage', `--view expects a view, found "${view}"`, {
    hint: `name one of ${Object.keys(VIEW_ROWS).join(', ')}`,
  })
}

function requireStudy(store: Store, study: string, view: string): void {
  if (!Object.hasOwn(VIEW_ROWS[view].columns, 'study')) {
    throw new Failure('usage', `the view ${view} has no column for a study`, {
      hint: `export all of it: \`dcalab export store --view ${view} --out <file>\``,
    })
  }
  if (store.db.prepare<[string], unknown>('select 1 from study where name = ?').get(study) === undefined) {
    throw unknownStudy(store, study)
  }
}

/** `declared`: the type of the table's column; null where the view computes it. */
function typeOf(unit: Unit, declared: string | null): ColumnType {
  if (unit === 'time') return 'time'
  if (unit === 'yes/no') return 'yesNo'
  if (unit === 'text' || unit === 'json') return 'text'
  if (declared === 'INTEGER') return 'integer'
  return declared === null && unit === 'count' ? 'integer' : 'number'
}

/** Nothing is read, and the connection is free, until the first row is asked for. */
function* lazily(statement: Database.Statement<string[], Cell[]>, parameters: string[]): Generator<readonly Cell[]> {
  yield* statement.iterate(...parameters)
}
