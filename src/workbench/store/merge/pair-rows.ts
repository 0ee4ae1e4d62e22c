/**
 * Which row of the other store is which of ours. Rows have numbers of their own in every store; what they are is known by the service's
 * id of a job, or by who sent what when. Rows that are new get numbers here, so that everything after is one statement per table.
 *
 * Our store is `main`, the other one is attached as `other`. The pairs are temporary tables: other_id, our_id, is_new.
 */
import type Database from 'better-sqlite3'
import { attemptName, readSentName } from '../attempts.ts'

export const PAIRED = ['settings', 'study_run', 'attempt', 'job', 'screen'] as const

type Paired = (typeof PAIRED)[number]

function makePairs(db: Database.Database, table: Paired, more = ''): void {
  db.exec(
    `create temp table paired_${table} (other_id integer primary key, our_id integer not null, is_new integer not null${more})`,
  )
}

/**
 * Pairs the rows that are in both stores, and numbers the rest behind ours. Settings are paired once theirs are among ours. A run is the
 * same whatever its study is called by now, so that what it cost counts once; it keeps our name.
 */
export function pairRows(db: Database.Database): void {
  makePairs(db, 'settings') // filled once theirs are among ours
  makePairs(db, 'study_run')
  db.exec(`
    insert into paired_study_run
      select o.id, min(r.id), 0 from other.study_run o cross join main.study_run r
      on r.identity = o.identity and r.study_fingerprint = o.study_fingerprint and r.started_at = o.started_at
      group by o.id;
    ${numberRest('study_run')}`)
  makePairs(db, 'screen')
  db.exec(`
    insert into paired_screen
      select o.id, min(s.id), 0 from other.screen o cross join main.screen s
      on s.study = o.study and s.saved_at = o.saved_at and s.study_fingerprint = o.study_fingerprint and s.market = o.market
        and s.period_from = o.period_from and s.period_to = o.period_to
      group by o.id;
    ${numberRest('screen')}`)
  makePairs(
    db,
    'job',
    ', duplicate integer, brings_result integer not null default 0, brings_series integer not null default 0',
  )
  db.exec(`
    insert into paired_job (other_id, our_id, is_new)
      select o.id, j.id, 0 from other.job o cross join main.job j on j.identity = o.identity and j.remote_id = o.remote_id`)
  makePairs(db, 'attempt')
  pairAttempts(db)
  db.exec(`
    insert into paired_job (other_id, our_id, is_new) ${restOf('job')};
    update paired_job set duplicate = (
      select o.duplicate or exists (select 1 from paired_attempt a cross join main.job j on j.attempt_id = a.our_id
        where a.other_id = o.attempt_id and a.is_new = 0 and j.duplicate = 0)
      from other.job o where o.id = paired_job.other_id)`)
}

function numberRest(table: Paired): string {
  return `insert into paired_${table} ${restOf(table)}`
}

/** Where ours has no rows theirs keep their numbers, which may have gaps: what was checked of them holds of ours (`isFirstMerge`). */
function restOf(table: Paired): string {
  return `select o.id, coalesce((select max(id) from main.${table}) + row_number() over (order by o.id), o.id), 1
      from other.${table} o where o.id not in (select other_id from paired_${table})`
}

/** Without this index every attempt would look through all jobs, so SQLite is told to refuse that. */
const jobsOfAttempt = 'other.job b indexed by job_of_attempt where b.attempt_id = o.id'

/**
 * An attempt is the same when its job is, or, while one of them has no job, when it was made by the same account for the same study and
 * trial in the same millisecond. The latest attempt, by number, is what became of a trial: one without a result never comes to stand above a result of ours.
 */
function pairAttempts(db: Database.Database): void {
  db.exec(`
    insert into paired_attempt
      select other_attempt, our_attempt, 0 from (
        select o.attempt_id as other_attempt, j.attempt_id as our_attempt, min(o.duplicate * 2 + j.duplicate)
        from paired_job p join other.job o on o.id = p.other_id join main.job j on j.id = p.our_id
        group by o.attempt_id);
    insert or ignore into paired_attempt
      select o.id, a.id, 0 from other.attempt o cross join main.attempt a
      on a.identity = o.identity and a.fingerprint = o.fingerprint and a.opened_at = o.opened_at and a.account = o.account and a.study = o.study
      where o.id not in (select other_id from paired_attempt)
        and not (exists (select 1 from ${jobsOfAttempt}) and exists (select 1 from main.job j where j.attempt_id = a.id));
    insert into paired_attempt
      select o.id, case when hidden then least - place else coalesce(most + place, o.id) end, 1 from (
        select o.id, row_number() over (order by o.id) as place,
          (select max(id) from main.attempt) as most, (select min(coalesce(min(id), 0), 0) from main.attempt) as least,
          exists (select 1 from main.job j where j.fingerprint = o.fingerprint and j.state = 'done' and j.identity = o.identity)
            and not exists (select 1 from ${jobsOfAttempt} and b.state = 'done') as hidden
        from other.attempt o where o.id not in (select other_id from paired_attempt)) o`)
  renameAttempts(db)
}

interface NameTaken {
  readonly id: number
  readonly identity: string
  readonly study: string
  readonly fingerprint: string
  readonly name: string
}

/**
 * Stores without letters number their tries of a trial alike, and so do copies of one store. Both were made and both count, so that the
 * other's gets the next free number.
 */
function renameAttempts(db: Database.Database): void {
  db.exec(
    'create temp table renamed_attempt (other_id integer primary key, number integer not null, name text not null)',
  )
  const taken = db.prepare<[], NameTaken>(
    `select o.id, o.identity, o.study, o.fingerprint, o.name from paired_attempt p join other.attempt o on o.id = p.other_id
     where p.is_new = 1 and exists (select 1 from main.attempt a where a.identity = o.identity and a.name = o.name) order by o.id`,
  )
  const isTaken = db.prepare<[{ identity: string; name: string }], unknown>(
    `select 1 from main.attempt where identity = :identity and name = :name
     union all select 1 from other.attempt where identity = :identity and name = :name
     union all select 1 from renamed_attempt r join other.attempt o on o.id = r.other_id where o.identity = :identity and r.name = :name`,
  )
  const rename = db.prepare<[number, number, string]>('insert into renamed_attempt values (?, ?, ?)')
  for (const { id, identity, study, fingerprint, name: theirs } of taken.all()) {
    const letters = readSentName(theirs)?.letters ?? null
    const nameOf = (number: number) => attemptName(study, fingerprint, number, letters)
    let number = 1
    while (isTaken.get({ identity, name: nameOf(number) }) !== undefined) number++
    rename.run(id, number, nameOf(number))
  }
}
