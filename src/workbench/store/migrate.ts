/** The layouts of the store: the first that this program knows, and what brings a store from each to the next, applied completely or not at all. */
import Database from 'better-sqlite3'
import { attemptTables, ledgerTables } from './schema/attempt-tables.ts'
import { LATER_LAYOUTS } from './schema/later-layouts.ts'
import { resultTables } from './schema/result-tables.ts'
import { trialTables } from './schema/trial-tables.ts'
import { compareViews, findForeign, makeViews, readObjects, recordOurs, type StoredObject } from './views.ts'

// Whether a store is of an older version, for readers that do not bring it forward.

/** Its layout, or the views of it, are those of an older version. False for a file that is no store. */
export function isOfOlderVersion(path: string): boolean {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    const version = storeVersion(db)
    return version > 0 && version <= STORE_VERSION && !isOfThisVersion(db)
  } finally {
    db.close()
  }
}

/** Layout and views are what this version makes them. */
export function isOfThisVersion(db: Database.Database): boolean {
  return storeVersion(db) === STORE_VERSION && compareViews(db).current
}

// An analyst's own views, indexes and triggers leave the file while its tables are made anew, and come back afterwards.

/** In this order they are dropped; in the other they come back. */
const ORDER: readonly StoredObject['type'][] = ['trigger', 'index', 'view']

/** Drops them and returns them in the order in which they come back. Tables stay where they are. Call inside a transaction. */
function setAside(db: Database.Database, objects: readonly StoredObject[]): readonly StoredObject[] {
  const dropped = ORDER.flatMap((type) => objects.filter((object) => object.type === type))
  for (const { type, name } of dropped) db.exec(`drop ${type} ${quoted(name)}`)
  return dropped.toReversed()
}

/**
 * Makes them again. What does not fit the file any more is left out, for a trigger that cannot be run would keep us from writing results.
 * Call inside a transaction. Returns a sentence for each that was left out.
 */
function putBack(db: Database.Database, objects: readonly StoredObject[]): readonly string[] {
  return objects.flatMap((object) => {
    try {
      db.exec(object.sql)
      if (object.type === 'trigger') compile(db, object)
      return []
    } catch (error) {
      db.exec(`drop ${object.type} if exists ${quoted(object.name)}`)
      const reason = error instanceof Error ? error.message : String(error)
      return [`your ${object.type} ${object.name} no longer fits the store and was left out: ${reason}`]
    }
  })
}

/** SQLite looks at a trigger's body when a statement that starts it is compiled. @throws SqliteError when it does not fit */
function compile(db: Database.Database, { tbl_name }: StoredObject): void {
  const isTable =
    db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(tbl_name) !== undefined
  if (!isTable) return
  const table = quoted(tbl_name)
  const names = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(tbl_name)
  const set = names.map((name) => `${quoted(name)} = ${quoted(name)}`).join(', ')
  for (const text of [`insert into ${table} default values`, `update ${table} set ${set}`, `delete from ${table}`]) {
    db.prepare(text)
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Marks the file as ours: "DCLB". */
export const APPLICATION_ID = 0x44434c42

/** A new store has this layout first. Stores of earlier ones are refused. */
export const FIRST_LAYOUT = 14

/** The last commit that brings a store of an earlier layout forward. */
const LAST_WITH_EARLIER_LAYOUTS = 'b76b226'

/**
 * SQL text of each layout, from `FIRST_LAYOUT` on: the first makes it, each of the others brings a store of the one before to it. What was
 * released is never reordered, nor edited but to bring the same store further; a new layout is one entry more of `LATER_LAYOUTS`.
 */
export const MIGRATIONS: readonly string[] = [
  trialTables + attemptTables + resultTables + ledgerTables, // 14
  ...LATER_LAYOUTS,
]

export const STORE_VERSION = versionAfter(MIGRATIONS)

/** The version of a store that these steps have made. */
export function versionAfter(steps: readonly string[]): number {
  return FIRST_LAYOUT - 1 + steps.length
}

/** The steps that have made a store of that version; none of an empty file. */
export function stepsUpTo(version: number, steps: readonly string[] = MIGRATIONS): readonly string[] {
  return steps.slice(0, Math.max(0, version - FIRST_LAYOUT + 1))
}

/** What is wrong with a store of a layout before the first, and what to do. Null for others. */
export function describeEarlierLayout(path: string, version: number): { message: string; hint: string } | null {
  if (version < 1 || version >= FIRST_LAYOUT) return null
  return {
    message: `${path} has layout ${version}, and this version reads stores from layout ${FIRST_LAYOUT} on`,
    hint: `open it once with dcalab built from commit ${LAST_WITH_EARLIER_LAYOUTS}, which brings it to layout ${FIRST_LAYOUT}; the file was left as it is`,
  }
}

export function storeVersion(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/** Remade views may count otherwise than those behind the kept counts, so these are counted again. */
function forgetCounts(db: Database.Database): void {
  const has = db.prepare("select 1 from sqlite_schema where name = 'study_count'").get() !== undefined
  if (has) db.exec('delete from study_count')
}

/**
 * Brings the store to the newest version and the views to their present text, in one immediate transaction: after a crash at any
 * statement the file is completely old or completely new. `steps` is for tests. Returns a sentence for each object of an analyst's own
 * that could not stay.
 */
export function migrate(db: Database.Database, steps: readonly string[] = MIGRATIONS): readonly string[] {
  const version = versionAfter(steps)
  if (storeVersion(db) === version && compareViews(db).current) return []
  const upgrade = db.transaction(() => {
    // Read again inside the transaction: another process may have migrated it meanwhile.
    const from = storeVersion(db)
    const done = stepsUpTo(from, steps)
    const foreign = findForeign(db, done)
    // A column cannot be dropped while a view, an index or a trigger mentions it, and a table that is made anew loses its indexes and
    // triggers; a view that is made anew loses its triggers.
    const remakes = from < version
    const away = setAside(db, remakes ? foreign : foreign.filter(({ type }) => type === 'trigger'))
    dropViews(db, foreign)
    const added = remakes && done.length > 0 ? addedColumns(db, done) : []
    for (const step of steps.slice(done.length)) db.exec(step)
    // An analyst's own view or index that has the name of a view of ours keeps it; a trigger may belong to one of our views.
    const isTrigger = ({ type }: StoredObject) => type === 'trigger'
    const left = putBack(
      db,
      away.filter((object) => !isTrigger(object)),
    )
    makeViews(db)
    recordOurs(db, foreign)
    forgetCounts(db)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${version}`)
    return [...left, ...sayLost(db, added), ...putBack(db, away.filter(isTrigger))]
  })
  // To remake a table, the old one is dropped. Without these settings SQLite would treat that as deleting rows to which other
  // tables refer. `foreign_keys` cannot be set inside a transaction.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  try {
    return upgrade.immediate()
  } finally {
    db.pragma('legacy_alter_table = OFF')
    db.pragma('foreign_keys = ON')
  }
}

/** Columns of our tables that an analyst added. `layouts`: the steps that have made the file. */
function addedColumns(db: Database.Database, layouts: readonly string[]): readonly TableColumn[] {
  const made = new Database(':memory:')
  try {
    for (const layout of layouts) made.exec(layout)
    return without(columnsIn(db), columnsIn(made))
  } finally {
    made.close()
  }
}

/** A table that is made anew has none of an analyst's columns: a sentence for each. */
function sayLost(db: Database.Database, added: readonly TableColumn[]): readonly string[] {
  const lost = without(added, columnsIn(db))
  return lost.map(
    ({ table, column }) => `your column ${column} of ${table} was left out; the copy of the older store has it`,
  )
}

/** Columns that tables of `others` lack. */
function without(columns: readonly TableColumn[], others: readonly TableColumn[]): readonly TableColumn[] {
  return columns.filter(({ table, column }) => {
    const ofTable = others.filter((other) => other.table === table)
    return ofTable.length > 0 && !ofTable.some((other) => other.column === column)
  })
}

interface TableColumn {
  readonly table: string
  readonly column: string
}

function columnsIn(db: Database.Database): readonly TableColumn[] {
  return db
    .prepare<[], TableColumn>(
      `select m.name as "table", c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'`,
    )
    .all()
}

/** Drops the views that are ours. Call inside a transaction. */
function dropViews(db: Database.Database, foreign: readonly StoredObject[]): void {
  const isForeign = new Set(foreign.map(({ name }) => name))
  for (const { type, name } of readObjects(db)) {
    if (type === 'view' && !isForeign.has(name)) db.exec(`drop view "${name}"`)
  }
}
