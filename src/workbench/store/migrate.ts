/** The layouts of the store: the first that this program knows, and what brings a store from each to the next, applied completely or not at all. */
import type Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { findForeign, recordOurs, type StoredObject } from './own-objects.ts'
import { attemptTables } from './schema/attempt-tables.ts'
import { ledgerTables } from './schema/ledger-tables.ts'
import { namesAndDays, sampleSizes } from './schema/names-and-days.ts'
import { resultTables } from './schema/result-tables.ts'
import { revisedResultTables } from './schema/revised-result-tables.ts'
import { secondJobs } from './schema/second-jobs.ts'
import { storeLetters } from './schema/store-letters.ts'
import { trialTables } from './schema/trial-tables.ts'
import { verdictTable } from './schema/verdict-table.ts'
import { putBack, setAside } from './set-aside.ts'
import { compareViews, dropViews, makeViews } from './views.ts'

/** Marks the file as ours: "DCLB". */
export const APPLICATION_ID = 0x44434c42

/** A new store has this layout first. Stores of earlier ones are refused. */
export const FIRST_LAYOUT = 14

/** The last commit that brings a store of an earlier layout forward. */
const LAST_WITH_EARLIER_LAYOUTS = 'b76b226'

/**
 * SQL text of each layout, from `FIRST_LAYOUT` on: the first makes it, each of the others brings a store of the one before to it. What was
 * released is never edited or reordered; a new layout is one entry more. One that only adds a column, as a new metric does to
 * `result` and `screen_result`, may stand here as it is.
 */
export const MIGRATIONS: readonly string[] = [
  trialTables + attemptTables + resultTables + ledgerTables, // 14
  storeLetters, // 15
  secondJobs, // 16
  revisedResultTables, // 17
  'alter table screen drop column score;\nalter table screen_result drop column score;', // 18
  verdictTable, // 19
  'alter table result add column stressed_per_used_percent real;\nalter table screen_result add column stressed_per_used_percent real;', // 20
  'alter table examination drop column doubts_json;', // 21
  namesAndDays, // 22
  sampleSizes, // 23
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
    return [...left, ...putBack(db, away.filter(isTrigger))]
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

/**
 * Before a store of an older layout is touched.
 * @throws Failure storeUnusable when an analyst's own table, index or trigger has a name that a newer layout needs
 */
export function refuseTakenNames(db: Database.Database, steps: readonly string[] = MIGRATIONS): void {
  const done = stepsUpTo(storeVersion(db), steps)
  const needed = steps
    .slice(done.length)
    .flatMap((step) =>
      [...step.matchAll(/^create (?:unique )?(?:table|index|trigger) (\w+)/gm)].map(([, name]) => name),
    )
  const taken = findForeign(db, done).filter(({ name }) => needed.includes(name.toLowerCase()))
  if (taken.length === 0) return
  const named = taken.map(({ type, name }) => `${type} ${name}`).join(', ')
  throw new Failure('storeUnusable', `${db.name} has something of your own under a name that dcalab needs: ${named}`, {
    hint: 'rename it (`alter table … rename to …`), or drop it; the store was left as it is',
  })
}
