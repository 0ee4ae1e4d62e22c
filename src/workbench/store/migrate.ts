/** The migrations of the store: every one ever released, in order, applied completely or not at all. */
import type Database from 'better-sqlite3'
import { firstLayout } from './migrations/0001-first-store.ts'
import { secondLayout } from './migrations/0002-request-owner.ts'
import { thirdLayout } from './migrations/0003-screens.ts'
import { fourthLayout } from './migrations/0004-missing-in-deals.ts'
import { fifthLayout } from './migrations/0005-bot-orders.ts'
import { sixthLayout } from './migrations/0006-nulls-in-json-checks.ts'
import { seventhLayout } from './migrations/0007-unplaced-orders.ts'
import { eighthLayout } from './migrations/0008-settings-and-revisions.ts'
import { addMigrationFunctions } from './migrations/functions.ts'
import { dropViews, makeViews, viewsAreCurrent } from './views.ts'

/** Marks the file as ours: "DCLB". */
export const APPLICATION_ID = 0x44434c42

/**
 * Migration n brings a store from version n − 1 to n. Never edited, never reordered. One that only adds a column, as a new metric does to
 * `result` and `screen_result`, may stand here as it is.
 */
export const MIGRATIONS: readonly string[] = [
  firstLayout,
  secondLayout,
  thirdLayout,
  fourthLayout,
  fifthLayout,
  sixthLayout,
  seventhLayout,
  eighthLayout,
]

export const STORE_VERSION = MIGRATIONS.length

export function storeVersion(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/**
 * Brings the store to the newest version and the views to their present text, in one immediate transaction: after a crash at any
 * statement the file is completely old or completely new. `steps` is for tests.
 */
export function migrate(db: Database.Database, steps: readonly string[] = MIGRATIONS): void {
  if (storeVersion(db) === steps.length && viewsAreCurrent(db)) return
  const upgrade = db.transaction(() => {
    // Read again inside the transaction: another process may have migrated it meanwhile.
    const from = storeVersion(db)
    // A column cannot be dropped while a view mentions it, so the views go first, an analyst's own among them.
    dropViews(db)
    const setAside = from < steps.length ? takeViews(db) : []
    for (const step of steps.slice(from)) db.exec(step)
    makeViews(db)
    for (const text of setAside) db.exec(text)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${steps.length}`)
  })
  // To remake a table, the old one is dropped. Without these settings SQLite would treat that as deleting rows to which other
  // tables refer. `foreign_keys` cannot be set inside a transaction.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  addMigrationFunctions(db)
  try {
    upgrade.immediate()
  } finally {
    db.pragma('legacy_alter_table = OFF')
    db.pragma('foreign_keys = ON')
  }
}

/** Drops the views there are and returns their texts. */
function takeViews(db: Database.Database): readonly string[] {
  const views = db.prepare<[], { name: string; sql: string }>("select name, sql from sqlite_schema where type = 'view'")
  return views.all().map(({ name, sql }) => {
    db.exec(`drop view "${name.replaceAll('"', '""')}"`)
    return sql
  })
}
