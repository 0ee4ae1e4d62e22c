/** What SQLite does for every row that comes, and what is cheaper done once when all are there. */
import type Database from 'better-sqlite3'

interface Resting {
  readonly name: string
  readonly sql: string
}

/**
 * In the program, attempts, jobs and bots begin as intents and go on step by step; triggers hold it to that. What is brought here has
 * gone those steps elsewhere. Counts of studies that are no longer true are dropped once (`forgetCounts`) instead of for every new row;
 * trials come with revisions that nobody has counted yet.
 * Returns the triggers, for `wake` in the same transaction.
 */
export function restTriggers(db: Database.Database): readonly string[] {
  const triggers = db
    .prepare<[], Resting>(
      `select name, sql from main.sqlite_schema where type = 'trigger' and (name glob '*_begins' and tbl_name in ('attempt', 'job', 'promotion', 'bot_order')
         or name in ('count_after_attempt', 'count_after_job', 'count_after_trial'))`,
    )
    .all()
  for (const { name } of triggers) db.exec(`drop trigger main.${name}`)
  return triggers.map(({ sql }) => sql)
}

/** The tables with a row or more per result. */
const LARGE = ['trial', 'study_trial', 'attempt', 'job', 'reply', 'result'] as const

/**
 * Where as many rows may come as there are, an index is made of all of them at once: sorted, instead of each at its own place in a tree
 * that does not fit into memory. What makes rows unique stays.
 * Returns the indexes, for `wake` in the same transaction; none where somebody has gathered statistics, which go with an index. Not for an
 * empty store, which takes over what their indexes hold (`isFirstMerge`).
 */
export function restIndexes(db: Database.Database): readonly string[] {
  const hasStatistics =
    db.prepare("select 1 from main.sqlite_schema where name glob 'sqlite_stat*'").get() !== undefined
  if (hasStatistics) return []
  const indexesOf = db.prepare<[string], Resting>(
    "select name, sql from main.sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by rowid",
  )
  const resting = LARGE.filter((table) => count(db, `other.${table}`) >= count(db, `main.${table}`)).flatMap((table) =>
    indexesOf.all(table),
  )
  for (const { name } of resting) db.exec(`drop index main."${name.replaceAll('"', '""')}"`)
  return resting.map(({ sql }) => sql)
}

function count(db: Database.Database, table: string): number {
  return db.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0
}

/** Makes again what was put to rest. @throws Error of SQLite where rows break what an index promises */
export function wake(db: Database.Database, resting: readonly string[]): void {
  for (const sql of resting) db.exec(sql)
}
