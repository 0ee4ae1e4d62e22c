/** An analyst's own views, indexes and triggers leave the file while its tables are made anew, and come back afterwards. */
import type Database from 'better-sqlite3'
import type { StoredObject } from './own-objects.ts'

/** In this order they are dropped; in the other they come back. */
const ORDER: readonly StoredObject['type'][] = ['trigger', 'index', 'view']

/** Drops them and returns them in the order in which they come back. Tables stay where they are. Call inside a transaction. */
export function setAside(db: Database.Database, objects: readonly StoredObject[]): readonly StoredObject[] {
  const dropped = ORDER.flatMap((type) => objects.filter((object) => object.type === type))
  for (const { type, name } of dropped) db.exec(`drop ${type} ${quoted(name)}`)
  return dropped.toReversed()
}

/**
 * Makes them again. What does not fit the file any more is left out, for a trigger that cannot be run would keep us from writing results.
 * Call inside a transaction. Returns a sentence for each that was left out.
 */
export function putBack(db: Database.Database, objects: readonly StoredObject[]): readonly string[] {
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
