/**
 * Which objects of the file are ours. Everything else is an analyst's: it is neither replaced nor lost, and where it has the name of one of
 * our views, that view is left out of the file. Tables, indexes and triggers of ours are those that the migrations make; views are those
 * that `our_object` records with the hash of their text.
 */
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { allRows, runBuilt, runEach } from '../../sqlite/statements.ts'
import { query } from './tables.ts'

export interface StoredObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  /** The table or view that it belongs to; of tables and views itself. */
  readonly tbl_name: string
  readonly sql: string
}

/** Objects that SQLite made by itself, as for a primary key, have no text and are left out. */
export function readObjects(db: Database.Database): readonly StoredObject[] {
  return db
    .prepare<[], StoredObject>(
      "select type, name, tbl_name, sql from sqlite_schema where sql is not null and name not like 'sqlite^_%' escape '^'",
    )
    .all()
}

/** @param layouts the steps of `migrate.ts` that have made the file */
export function findForeign(db: Database.Database, layouts: readonly string[]): readonly StoredObject[] {
  if (layouts.length === 0) return readObjects(db) // where nothing records what is ours, nothing is
  const made = namesMadeBy(layouts)
  const isOurView = isRecorded(db)
  return readObjects(db).filter((object) =>
    object.type === 'view' ? !isOurView(object) : !made.has(object.name.toLowerCase()),
  )
}

/** Whether a view is one that we made, in whatever text. */
export function isRecorded(db: Database.Database): (view: StoredObject) => boolean {
  const rows = allRows(db, query.selectFrom('our_object').selectAll())
  const hashes = new Map(rows.map(({ name, text_hash }) => [name, text_hash]))
  return ({ name, sql }) => hashes.get(name) === hashOf(sql)
}

/** Call inside a transaction, when the file is as this program wants it. */
export function recordOurs(db: Database.Database, foreign: readonly StoredObject[]): void {
  const isForeign = new Set(foreign.map(keyOf))
  const ours = readObjects(db).filter((object) => object.type !== 'table' && !isForeign.has(keyOf(object)))
  const rows = ours.map(({ name, sql }) => ({ name, text_hash: hashOf(sql) }))
  runBuilt(db, query.deleteFrom('our_object'))
  runEach(db, rows, (row) => query.insertInto('our_object').values(row))
}

const keyOf = ({ type, name }: StoredObject) => `${type} ${name}`

function namesMadeBy(layouts: readonly string[]): ReadonlySet<string> {
  const db = new Database(':memory:')
  try {
    for (const layout of layouts) db.exec(layout)
    return new Set(readObjects(db).map(({ name }) => name))
  } finally {
    db.close()
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
