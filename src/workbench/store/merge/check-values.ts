/**
 * What is wrong with the values of a store that nobody vouches for. Its tables are ours, so SQLite itself checks types, checks and
 * references; the rest is what our program would never write.
 */
import type Database from 'better-sqlite3'

/** No reply of a service is read beyond 8 MiB, and no series is longer than its reply; everything else is written by people or names something. */
const LONG = /^(body|.*_json)$/
const mostBytes = (column: string) => (LONG.test(column) ? 16e6 : 4e6)

/**
 * In any layout: values that break a rule of their table or refer to nothing, and such as are too long. The whole check, not the quick one:
 * an index that tells other than its table would answer every later question falsely, and a copy takes indexes over as they are.
 */
export function findDamage(db: Database.Database): readonly string[] {
  const broken = db.pragma('integrity_check(20)') as { readonly integrity_check: string }[] // the one column of its rows
  const found = broken.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  if (found.length > 0) return found
  const tables = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all()
  return [...findDangling(db), ...tables.flatMap((table) => findTooLong(db, table))]
}

function findDangling(db: Database.Database): string[] {
  const rows = db.pragma('foreign_key_check') as { readonly table: string; readonly parent: string }[] // its documented columns
  return [...new Set(rows.map(({ table, parent }) => `a row of ${table} refers to none of ${parent}`))]
}

/** One pass over the table for all of its columns; only where it finds something, one more for each. */
function findTooLong(db: Database.Database, table: string): string[] {
  const columns = db
    .prepare<[string], string>("select name from pragma_table_info(?) where type in ('TEXT', 'BLOB')")
    .pluck()
    .all(table)
  const isLonger = (column: string) => `octet_length(${column}) > ${mostBytes(column)}`
  const isAny = (conditions: readonly string[]) =>
    db.prepare<[], unknown>(`select 1 from ${table} where ${conditions.join(' or ')} limit 1`).get() !== undefined
  if (columns.length === 0 || !isAny(columns.map(isLonger))) return []
  return columns
    .filter((column) => isAny([isLonger(column)]))
    .map((column) => `${table}.${column} holds more than ${mostBytes(column) / 1e6} MB`)
}

/** Sentences our program never breaks: each a statement that finds rows of the newest layout that do. */
const NEVER: readonly (readonly [says: string, find: string])[] = [
  [
    'a job belongs to the attempt of another trial or service',
    'select 1 from job j join attempt a on a.id = j.attempt_id where j.identity <> a.identity or j.fingerprint <> a.fingerprint',
  ],
  [
    'an attempt has two jobs that both came first',
    'select 1 from job where duplicate = 0 group by attempt_id having count(*) > 1',
  ],
  [
    'a submission without an outcome has a second job',
    "select 1 from job j join attempt a on a.id = j.attempt_id where j.duplicate = 1 and a.state not in ('acked', 'adopted', 'rejected', 'released', 'absent')",
  ],
  [
    'a result is read from the reply of another job',
    'select 1 from result r join reply p on p.id = r.reply_id where p.job_id <> r.job_id',
  ],
  [
    'what a service said later of a result is the reply of another job',
    'select 1 from revised_result v join reply p on p.id = v.reply_id where p.job_id <> v.job_id',
  ],
  [
    'a result is of a job that is not done',
    "select 1 from result r join job j on j.id = r.job_id where j.state <> 'done'",
  ],
  [
    'an attempt was made by a run of another service', // its study may have been renamed since, and it keeps the name it was sent with
    'select 1 from attempt a join study_run r on r.id = a.study_run_id where r.identity <> a.identity',
  ],
  ...[
    'study.name',
    'study_archive.name',
    'attempt.study',
    'screen.study',
    'proposal.study',
    'holdout_opening.study',
  ].map((place) => {
    const [table, column] = place.split('.')
    return [
      `${place} is no name of a study`,
      `select 1 from ${table} where ${column} glob '*[^a-z0-9-]*' or ${column} = '' or length(${column}) > 64`,
    ] as const
  }),
]

/** In the newest layout. */
export function findContradictions(db: Database.Database): readonly string[] {
  return NEVER.filter(([, find]) => db.prepare<[], unknown>(`${find} limit 1`).get() !== undefined).map(
    ([says]) => says,
  )
}
