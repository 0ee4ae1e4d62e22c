/**
 * Makes one store of two: everything that the other one knows of is in ours afterwards, once. Merging again changes nothing.
 *
 *     the file ──► copy, our tables only ──► values, names, sentences checked ──► rows paired ──► disagreements? ──► rows brought
 *     read-only    (open-other.ts)           (check-*.ts)                         (pair-rows.ts)  all of them named  one transaction
 *
 * Not taken over: `request`, whose times are this machine's uptime; `service_reply`, the last words of a service to that store, which
 * age; `our_object` and `store_letters`, which are about the file itself.
 */
import type Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import { holdLock, type Lock } from '../lock.ts'
import { type Store, storeFailure } from '../store.ts'
import { isoTime } from '../times.ts'
import { bringDriftChecks } from './bring-drift-checks.ts'
import { bringExaminations } from './bring-examinations.ts'
import { bringLedger } from './bring-ledger.ts'
import {
  bringAllResults,
  bringLooks,
  bringResults,
  bringRevised,
  bringScreens,
  chooseResults,
} from './bring-results.ts'
import { bringOpenings, bringSearches } from './bring-searches.ts'
import { bringStudies } from './bring-studies.ts'
import { findFalseNames } from './check-names.ts'
import { findContradictions } from './check-values.ts'
import { findDisagreements } from './disagreements.ts'
import { mapPages, openOther, refuseDamage } from './open-other.ts'
import { dropPairs, isFirstMerge, pairRows } from './pair-rows.ts'
import { restIndexes, restTriggers, wake } from './put-to-rest.ts'
import { type MergeReport, nothingAdded } from './report.ts'
import { writeInPlace } from './write-in-place.ts'

export interface MergeRequest {
  /** The other store's file. */
  readonly path: string
  /** Folder of the locks; default beside the store. */
  readonly lockFolder?: string
  readonly tell: (text: string) => void
  readonly signal: AbortSignal
}

/** While it is written to by somebody else, this program waits so long, and blocks. */
const busyTimeoutMs = 60_000
/**
 * As SQLite counts it, in KiB with a minus: a quarter of the memory that is free, 64 to 512 MiB. Indexes are filled at random places, and a
 * page that is pushed out of memory is written more than once.
 */
function cacheSize(): number {
  const quarter = process.availableMemory() / 4 / 1024
  return -Math.round(Math.min(Math.max(quarter, 64 * 1024), 512 * 1024))
}

/**
 * @throws Failure mergeRefused when the file cannot be trusted or the stores disagree, with everything that is wrong; nothing has
 * changed then. keyBusy while somebody submits with a key of which the other store has attempts; storeUnusable; the signal's reason
 */
export async function mergeStore(store: Store, request: MergeRequest): Promise<MergeReport> {
  const { path, tell, signal } = request
  tell('copying the other store')
  const other = openOther(store, path)
  try {
    refuseDamage(path, findContradictions(other.db))
    const wrong = await findFalseNames(other.db, (replies) => {
      tell(`${replies} replies checked`)
      return store.clock.sleep(0, signal)
    })
    refuseDamage(path, wrong)
    const locks = holdLocks(store, other.db, request.lockFolder)
    try {
      return { other: path, layout: other.layout, ...(await bringAll(store, other.copy, request)) }
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
    for (const identity of identities)
      locks.push(holdLock(store, { identity, ...(folder === undefined ? {} : { folder }) }))
    return locks
  } catch (error) {
    for (const lock of locks) lock.release()
    throw error
  }
}

type Brought = Omit<MergeReport, 'other' | 'layout'>

async function bringAll(store: Store, copy: string, request: MergeRequest): Promise<Brought> {
  const { db } = store
  const patience = Number(db.pragma('busy_timeout', { simple: true }))
  const cacheBefore = Number(db.pragma('main.cache_size', { simple: true }))
  let takeUpLog = () => {}
  try {
    db.pragma(`main.cache_size = ${cacheSize()}`)
    takeUpLog = writeInPlace(db)
    db.prepare('attach ? as other').run(copy)
    db.pragma('other.journal_mode = MEMORY') // else SQLite would keep a third file for what both have to commit at once
    mapPages(db, 'other')
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
    db.pragma(`busy_timeout = ${patience}`)
    db.pragma(`main.cache_size = ${cacheBefore}`)
    dropPairs(db)
    db.exec('detach other')
    takeUpLog()
  }
}

async function bringInTransaction(store: Store, { path, tell, signal }: MergeRequest): Promise<Brought> {
  const { db, clock } = store
  tell('comparing the two stores')
  pairRows(db)
  const problems = findDisagreements(db)
  if (problems.length > 0) {
    throw new Failure('mergeRefused', `${path} and ${store.path} disagree, so that they stay two stores`, { problems })
  }
  const triggers = restTriggers(db)
  const whole = isFirstMerge(db)
  const indexes = whole ? [] : restIndexes(db)
  const studies = bringStudies(db, whole)
  const searches = bringSearches(db)
  const { openings, openedTwice } = bringOpenings(db)
  const ledger = bringLedger(db, { at: isoTime(clock.wall()), whole })
  const added = { ...nothingAdded(), ...studies, ...searches, openings, ...ledger.added }
  const jobs = chooseResults(db)
  for (const done of whole ? bringAllResults(db, { jobs, added }) : bringResults(db, added)) {
    tell(`results of ${Math.min(done, jobs)} of ${jobs} jobs`)
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  wake(db, indexes)
  bringRevised(db)
  added.screens = bringScreens(db)
  added.looks = bringLooks(db)
  added.examinations = bringExaminations(db)
  added.driftChecks = bringDriftChecks(db)
  forgetCounts(db)
  wake(db, triggers)
  return { added, advanced: ledger.advanced, parked: ledger.parked, openedTwice }
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
