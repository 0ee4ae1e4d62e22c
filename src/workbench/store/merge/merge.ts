/**
 * Makes one store of two: everything that the other one knows of is in ours afterwards, once. Merging again changes nothing.
 *
 *     the file ──► copy, our tables only ──► values, names, sentences checked ──► rows paired ──► disagreements? ──► rows brought
 *     read-only    (open-other.ts)           (check-other.ts)                     (`pairRows`)     (both-stores.ts)   (take-rows.ts)
 *
 * Not taken over: `request`, whose times are this machine's uptime; `service_reply`, the last words of a service to that store, which
 * age; `our_object` and `store_letters`, which are about the file itself.
 */
import type Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import { attemptName, readSentName } from '../attempts.ts'
import { holdLock, type Lock } from '../lock.ts'
import type { ReadingRules } from '../reparse.ts'
import { type Store, storeFailure } from '../store.ts'
import { isoTime } from '../tables.ts'
import {
  advanceAttempts,
  advanceJobs,
  advancePromotions,
  findDisagreements,
  findOpenedTwice,
  findOtherNumbers,
} from './both-stores.ts'
import { findContradictions, findFalseNames, proveResults } from './check-other.ts'
import { openOther, refuseDamage } from './open-other.ts'
import { type Added, type MergeReport, MOST_NAMED } from './report.ts'
import { countOpen, PAIRED, STEPS, type TakeOptions, takeAll } from './take-rows.ts'

type Paired = (typeof PAIRED)[number]

/** Without this index every attempt would look through all jobs, so SQLite is told to refuse that. */
const jobsOfAttempt = 'other.job b indexed by job_of_attempt where b.attempt_id = o.id'

/** Of a job: its result, or that one may still come, is not to be hidden by an attempt of less. */
const worthOf = (job: string) =>
  `case ${job}.state when 'done' then 2 when 'running' then 1 when 'stalled' then 1 else 0 end`

interface NameTaken {
  readonly id: number
  readonly identity: string
  readonly study: string
  readonly fingerprint: string
  readonly name: string
}

interface MergeRequest {
  /** The other store's file. */
  readonly path: string
  /** Folder of the locks; default beside the store. */
  readonly lockFolder?: string | undefined
  /** By which replies are read again, to hold results against them. */
  readonly rules: ReadingRules
  readonly showProgress: (text: string) => void
  readonly signal: AbortSignal
}

/** While it is written to by somebody else, this program waits so long, and blocks. */
const busyTimeoutMs = 60_000
/** Of either store, in KiB: with it a merge takes the same memory whatever the size of the stores. */
const cacheKiB = 64 * 1024
const jobsAtOnce = 1_000

/**
 * @throws Failure mergeRefused when the file cannot be trusted or the stores disagree, with everything that is wrong; nothing has
 * changed then. keyBusy while somebody submits with a key of which the other store has attempts; storeUnusable; the signal's reason
 */
export async function mergeStore(store: Store, request: MergeRequest): Promise<MergeReport> {
  const { path, showProgress, signal } = request
  showProgress('copying the other store')
  const other = openOther(store, path)
  try {
    refuseDamage(path, findContradictions(other.db))
    refuseDamage(path, findFalseNames(other.db))
    const { damage, ...proof } = await proveResults(other.db, request.rules, (replies) => {
      showProgress(`${replies} replies checked`)
      return store.clock.sleep(0, signal)
    })
    refuseDamage(path, damage)
    other.db.pragma('shrink_memory') // its pages, which nothing asks for again
    const locks = holdLocks(store, other.db, request.lockFolder)
    try {
      return { other: path, layout: other.layout, ...proof, ...(await bringAll(store, other.copy, request)) }
    } finally {
      for (const lock of locks) lock.release()
    }
  } finally {
    other.close()
  }
}

/** Whoever submits keeps in mind what its attempts are; they must not change under its hands. */
function holdLocks(store: Store, other: Database.Database, folder: string | undefined): readonly Lock[] {
  const identities = other.prepare<[], string>('select distinct identity from attempt order by 1').pluck().all()
  const locks: Lock[] = []
  try {
    for (const identity of identities) locks.push(holdLock(store, { identity, folder }))
    return locks
  } catch (error) {
    for (const lock of locks) lock.release()
    throw error
  }
}

type Brought = Omit<MergeReport, 'other' | 'layout' | 'denied' | 'unproved'>

async function bringAll(store: Store, copy: string, request: MergeRequest): Promise<Brought> {
  const { db } = store
  const timeoutBefore = Number(db.pragma('busy_timeout', { simple: true }))
  const cacheBefore = Number(db.pragma('main.cache_size', { simple: true }))
  try {
    db.pragma(`main.cache_size = -${cacheKiB}`)
    db.prepare('attach ? as other').run(copy)
    db.pragma('other.journal_mode = MEMORY') // else SQLite would keep a third file for what both have to commit at once
    db.pragma(`busy_timeout = ${busyTimeoutMs}`)
    // Theirs were checked as a whole (`findDamage`), and pairing gives every number that is referred to its number here.
    db.pragma('foreign_keys = OFF')
    db.exec('begin immediate')
    const brought = await bringInTransaction(store, request)
    db.exec('commit')
    return brought
  } catch (error) {
    if (db.inTransaction) db.exec('rollback')
    throw storeFailure(store.path, refusedRow(request.path, error))
  } finally {
    db.pragma('foreign_keys = ON')
    db.pragma(`busy_timeout = ${timeoutBefore}`)
    db.pragma(`main.cache_size = ${cacheBefore}`)
    dropPairs(db)
    db.exec('detach other')
  }
}

/** Removes what a merge kept in mind of the two stores. */
function dropPairs(db: Database.Database): void {
  const tables = db.prepare<[], string>("select name from temp.sqlite_schema where type = 'table'").pluck().all()
  for (const table of tables) db.exec(`drop table temp.${table}`)
}

/** Configurations tried on a service are counted again from the results, which are exact. */
const RECOUNT_PAID = `
  insert into main.tried (market, period_from, period_to, source, key, configs, first_at, last_at)
  select t.market, t.period_from, t.period_to, 'paid', '', count(distinct j.fingerprint),
    min(coalesce(j.finished_at, j.submitted_at)), max(coalesce(j.finished_at, j.submitted_at))
  from (select distinct market, period_from, period_to from other.tried where source = 'paid') s
  cross join main.trial t on t.market = s.market and t.period_from = s.period_from and t.period_to = s.period_to
  cross join main.job j on j.fingerprint = t.fingerprint and j.state = 'done'
  join main.result r on r.job_id = j.id
  where true group by 1, 2, 3
  on conflict do update set configs = excluded.configs, first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
  where configs <> excluded.configs`

async function bringInTransaction(store: Store, { path, showProgress, signal }: MergeRequest): Promise<Brought> {
  const { db, clock } = store
  showProgress('comparing the two stores')
  pairRows(db)
  const problems = findDisagreements(db)
  if (problems.length > 0) {
    throw new Failure('mergeRefused', `${path} and ${store.path} disagree, so that they stay two stores`, { problems })
  }
  const differing = findOtherNumbers(db)
  const at = isoTime(clock.wall())
  const added = nothingAdded()
  const options = { isEmpty: isFirstMerge(db), parameters: { at } }
  const triggers = restTriggers(db)
  const openedTwice = findOpenedTwice(db)
  takeAll(db, STEPS.studies, added, options)
  const attempts = advanceAttempts(db, at)
  const promotions = advancePromotions(db, at)
  const undecided = countOpen(db)
  takeAll(db, STEPS.ledger, added, options)
  const jobs = advanceJobs(db)
  for (const words of takeResults(db, added, options)) {
    showProgress(words)
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  takeAll(db, STEPS.afterResults, added, options)
  added.tried += db.prepare(RECOUNT_PAID).run().changes
  forgetCounts(db)
  for (const sql of triggers) db.exec(sql)
  return { added, advanced: { attempts, jobs, promotions }, undecided, openedTwice, differing }
}

function nothingAdded(): Added {
  return {
    services: 0,
    settings: 0,
    trials: 0,
    revisions: 0,
    runs: 0,
    attempts: 0,
    jobs: 0,
    replies: 0,
    results: 0,
    deals: 0,
    foreignJobs: 0,
    promotions: 0,
    botOrders: 0,
    screens: 0,
    tried: 0,
    tags: 0,
    notes: 0,
    proposals: 0,
    calibrations: 0,
    examinations: 0,
    driftChecks: 0,
    openings: 0,
  }
}

/** Whether ours has nothing that theirs could be the same as, or refer to: then its large tables take over all rows of theirs as they are. */
function isFirstMerge(db: Database.Database): boolean {
  const tables = [...PAIRED, 'trial', 'study', 'study_trial', 'reply', 'result', 'deal']
  return tables.every((table) => db.prepare(`select 1 from main.${table} limit 1`).get() === undefined)
}

/**
 * Which jobs bring a result: those that are done and have none here. Which bring its deals and daily equity alone: those of a result that
 * was pruned here and not there.
 */
const CHOOSE_RESULTS = `
  update temp.paired_job set brings_result = 1
    where exists (select 1 from other.result r where r.job_id = other_id)
      and exists (select 1 from main.job j where j.id = our_id and j.state = 'done')
      and (is_new = 1 or not exists (select 1 from main.result r where r.job_id = our_id));
  update temp.paired_job set brings_series = 1
    where is_new = 0 and exists (select 1 from main.result r where r.job_id = our_id and r.pruned_at is not null)
      and exists (select 1 from other.result r where r.job_id = other_id and r.pruned_at is null)`

const JOBS_AT_ONCE = 'o.job_id > :after and o.job_id <= :until'

/** Of results that were pruned here: what comes back with the deals. */
const UNPRUNE = `update main.result set daily_equity_json = o.daily_equity_json, pruned_at = null
  from other.result o join temp.paired_job q on q.other_id = o.job_id
  where main.result.job_id = q.our_id and q.brings_series = 1 and ${JOBS_AT_ONCE}`

/** Results of some jobs at a time, of all where ours is empty; each step is a step of the generator, which says how far it is. */
function* takeResults(db: Database.Database, added: Added, options: TakeOptions): Generator<string> {
  db.exec(CHOOSE_RESULTS)
  const [jobs, least] = db
    .prepare<[], [number, number | null]>('select count(*), min(other_id) from temp.paired_job')
    .raw()
    .get() ?? [0, null]
  if (options.isEmpty) {
    for (const [step, table] of STEPS.results.entries()) {
      takeAll(db, [table], added, options)
      yield `results of ${Math.floor((jobs * (step + 1)) / STEPS.results.length)} of ${jobs} jobs`
    }
    return
  }
  const last = db
    .prepare<[number, number], number | null>(
      'select max(other_id) from (select other_id from temp.paired_job where other_id > ? order by 1 limit ?)',
    )
    .pluck()
  const unprune = db.prepare<[object], unknown>(UNPRUNE)
  let done = 0
  for (let after = (least ?? 0) - 1; ; ) {
    const until = last.get(after, jobsAtOnce) ?? null
    if (until === null) return
    takeAll(db, STEPS.results, added, { ...options, parameters: { after, until }, which: JOBS_AT_ONCE })
    added.results += unprune.run({ after, until }).changes
    done += jobsAtOnce
    yield `results of ${Math.min(done, jobs)} of ${jobs} jobs`
    after = until
  }
}

/**
 * In the program, attempts, jobs and bots begin as intents and go on step by step; triggers hold it to that. What is brought here has
 * gone those steps elsewhere. Counts of studies that are no longer true are dropped once (`forgetCounts`) instead of for every new row;
 * trials come with revisions that nobody has counted yet. Returns the triggers, to be made again in the same transaction.
 */
function restTriggers(db: Database.Database): readonly string[] {
  const triggers = db
    .prepare<[], { readonly name: string; readonly sql: string }>(
      `select name, sql from main.sqlite_schema where type = 'trigger' and (name glob '*_begins' and tbl_name in ('attempt', 'job', 'promotion', 'bot_order')
         or name in ('count_after_attempt', 'count_after_job', 'count_after_trial', 'count_after_result'))`,
    )
    .all()
  for (const { name } of triggers) db.exec(`drop trigger main.${name}`)
  return triggers.map(({ sql }) => sql)
}

/** What the triggers on new attempts and jobs would have dropped: the counts of all studies that have a trial of one of them. */
function forgetCounts(db: Database.Database): void {
  if (db.prepare('select 1 from main.study_count limit 1').get() === undefined) return
  db.exec(`delete from main.study_count where (identity, study, study_fingerprint) in (
    select a.identity, m.study, m.study_fingerprint from main.attempt a join main.study_trial m on m.fingerprint = a.fingerprint
    where a.id in (
      select our_id from temp.paired_attempt where is_new = 1
      union all select j.attempt_id from temp.paired_job p join main.job j on j.id = p.our_id where p.is_new = 1))`)
}

/** A row that a rule of our tables refuses: two attempts of theirs that claim one place. */
function refusedRow(path: string, error: unknown): unknown {
  const refused = error instanceof Error && 'code' in error && /^SQLITE_CONSTRAINT/.test(String(error.code))
  if (!refused) return error
  return new Failure('mergeRefused', `${path} holds rows that no store may hold: ${error.message}`, { cause: error })
}

/** What a person should know of a merge, a sentence each; of what is named one by one, the first. */
export function notesOf({ undecided, openedTwice, denied, differing, unproved }: MergeReport): readonly string[] {
  const first = openedTwice.slice(0, MOST_NAMED)
  const jobOf = ({ job, trial }: { readonly job: string; readonly trial: string }) =>
    `job ${job} of trial ${trial.slice(0, 12)}`
  const more = (count: number, listed: readonly unknown[], what: string) =>
    count > listed.length ? [`${count - listed.length} more ${what}`] : []
  return [
    ...(undecided > 0
      ? [`submissions without an answer there: ${undecided}; decide: dcalab service jobs resolve`]
      : []),
    ...first.map(
      ({ study, kept, dropped }) =>
        `the hold-out of ${study} was opened in both stores; the opening of ${kept.at} by ${kept.by} stays, that of ${dropped.at} by ${dropped.by} was later`,
    ),
    ...more(openedTwice.length, first, 'hold-outs, opened in both stores; --json has them all'),
    ...denied.first.map(
      (one) =>
        `${jobOf(one)}: ${one.column} was ${one.stored} there and is ${one.reply} in its reply; the reply counts`,
    ),
    ...more(denied.count, denied.first, 'results that contradict their replies'),
    ...differing.first.map(
      (one) =>
        `${jobOf(one)}: ${one.column} is ${one.ours} here and ${one.theirs} there; the value of this store is kept`,
    ),
    ...more(differing.count, differing.first, 'results that differ'),
    ...(unproved > 0
      ? [`results without a reply that can be read here: ${unproved}; their numbers were taken as stored`]
      : []),
  ]
}

function makePairs(db: Database.Database, table: Paired, more = ''): void {
  db.exec(
    `create temp table paired_${table} (other_id integer primary key, our_id integer not null, is_new integer not null${more})`,
  )
}

/**
 * Which row of the other store is which of ours. Rows have numbers of their own in every store; what they are is known by the service's
 * id of a job, or by who sent what when. Rows that are new get numbers here, so that everything after is one statement per table.
 *
 * Our store is `main`, the other one is attached as `other`. The pairs are temporary tables: other_id, our_id, is_new.
 *
 * Pairs the rows that are in both stores, and numbers the rest behind ours. Settings are paired once theirs are among ours. A run is the
 * same whatever its study is called by now, so that what it cost counts once; it keeps our name.
 */
function pairRows(db: Database.Database): void {
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

/**
 * An attempt is the same when its job is, or, while one of them has no job, when it was made by the same account for the same study and
 * trial in the same millisecond. The latest attempt, by number, is what became of a trial: one without a result never comes to stand above a result of ours, nor one that was refused above a job of ours that still runs.
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
          (select max(${worthOf('j')}) from main.job j where j.fingerprint = o.fingerprint and j.identity = o.identity)
            > coalesce((select max(${worthOf('b')}) from ${jobsOfAttempt}), 0) as hidden
        from other.attempt o where o.id not in (select other_id from paired_attempt)) o`)
  renameAttempts(db)
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
