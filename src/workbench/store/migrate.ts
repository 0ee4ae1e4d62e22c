/** The migrations of the store: every one ever released, in order, applied completely or not at all. */
import type Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { firstLayout } from './migrations/0001-first-store.ts'
import { secondLayout } from './migrations/0002-request-owner.ts'
import { thirdLayout } from './migrations/0003-screens.ts'
import { fourthLayout } from './migrations/0004-missing-in-deals.ts'
import { fifthLayout } from './migrations/0005-bot-orders.ts'
import { sixthLayout } from './migrations/0006-nulls-in-json-checks.ts'
import { seventhLayout } from './migrations/0007-unplaced-orders.ts'
import { eighthLayout } from './migrations/0008-settings-and-revisions.ts'
import { ninthLayout } from './migrations/0009-searches.ts'
import { tenthLayout } from './migrations/0010-companions.ts'
import { eleventhLayout } from './migrations/0011-examinations.ts'
import { twelfthLayout } from './migrations/0012-drift.ts'
import { thirteenthLayout } from './migrations/0013-study-places.ts'
import { fourteenthLayout } from './migrations/0014-agent-runs.ts'
import { fifteenthLayout } from './migrations/0015-store-letters.ts'
import { addMigrationFunctions } from './migrations/functions.ts'
import { findForeign, recordOurs, type StoredObject } from './own-objects.ts'
import { putBack, setAside } from './set-aside.ts'
import { compareViews, dropViews, makeViews } from './views.ts'

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
  ninthLayout,
  tenthLayout,
  eleventhLayout,
  twelfthLayout,
  thirteenthLayout,
  fourteenthLayout,
  fifteenthLayout,
]

export const STORE_VERSION = MIGRATIONS.length

export function storeVersion(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/** Views that are made anew may say something else of a state than those that were counted by. */
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
  if (storeVersion(db) === steps.length && compareViews(db).current) return []
  const upgrade = db.transaction(() => {
    // Read again inside the transaction: another process may have migrated it meanwhile.
    const from = storeVersion(db)
    const foreign = findForeign(db, MIGRATIONS.slice(0, from))
    // A column cannot be dropped while a view, an index or a trigger mentions it, and a table that is made anew loses its indexes and
    // triggers; a view that is made anew loses its triggers.
    const remakes = from < steps.length
    const away = setAside(db, remakes ? foreign : foreign.filter(({ type }) => type === 'trigger'))
    dropViews(db, foreign)
    for (const step of steps.slice(from)) db.exec(step)
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
    db.pragma(`user_version = ${steps.length}`)
    return [...left, ...putBack(db, away.filter(isTrigger))]
  })
  // To remake a table, the old one is dropped. Without these settings SQLite would treat that as deleting rows to which other
  // tables refer. `foreign_keys` cannot be set inside a transaction.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  addMigrationFunctions(db)
  try {
    return upgrade.immediate()
  } finally {
    db.pragma('legacy_alter_table = OFF')
    db.pragma('foreign_keys = ON')
  }
}

/**
 * Before a store of an older layout is touched.
 * @throws Failure storeUnusable when an analyst's own table, index or trigger has a name that a newer layout needs
 */
export function refuseTakenNames(db: Database.Database): void {
  const from = storeVersion(db)
  const needed = MIGRATIONS.slice(from).flatMap((step) =>
    [...step.matchAll(/^create (?:unique )?(?:table|index|trigger) (\w+)/gm)].map(([, name]) => name),
  )
  const taken = findForeign(db, MIGRATIONS.slice(0, from)).filter(({ name }) => needed.includes(name.toLowerCase()))
  if (taken.length === 0) return
  const named = taken.map(({ type, name }) => `${type} ${name}`).join(', ')
  throw new Failure('storeUnusable', `${db.name} has something of your own under a name that dcalab needs: ${named}`, {
    hint: 'rename it (`alter table … rename to …`), or drop it; the store was left as it is',
  })
}
