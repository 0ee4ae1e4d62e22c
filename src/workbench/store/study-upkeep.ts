/**
 * Renames, archives and removes studies. What was paid for stays whatever happens to a study: attempts keep the name that they were sent
 * with, results belong to trials, looks to markets. While a study runs, it is neither renamed nor removed.
 */
import { Failure } from '../../errors.ts'
import { holdLock } from './lock.ts'
import { attemptsOf } from './spending.ts'
import { type Store, write } from './store.ts'
import { firstRow, prepared, query } from './tables.ts'
import { isoTime } from './times.ts'
import { unknownStudy } from './unknown-study.ts'
import { HOLDOUT_ROLES } from './views/closed-results.ts'

/** Where else a study's name stands: every table and column that moves with it. */
const NAMED = [
  ['study', 'name'],
  ['study_trial', 'study'],
  ['study_settings', 'study'],
  ['study_run', 'study'],
  ['study_archive', 'name'],
  ['screen', 'study'],
  ['proposal', 'study'],
  ['search_memory', 'study'],
  ['calibration', 'study'],
  ['holdout_opening', 'study'],
  ['examination', 'study'],
] as const

/** Where the locks of those who submit are. */
interface Locks {
  /** Default: beside the store. */
  readonly lockFolder?: string
}

/**
 * All revisions, their trials, runs and screens move to the new name.
 * @throws Failure notFound; usage where the new name is taken; keyBusy while the study runs
 */
export function renameStudy(
  store: Store,
  { from, to, ...locks }: { readonly from: string; readonly to: string } & Locks,
): Promise<void> {
  return write(store, () => {
    requireKnown(store, from)
    refuseWhileRunning(store, from, locks)
    const taken = NAMED.find(([table, column]) => countRows(store, table, column, to) > 0)
    if (taken !== undefined) {
      throw new Failure('usage', `the store holds a study, runs or screens named "${to}" already`, {
        hint: 'choose a name that was never used in this store',
      })
    }
    store.db.pragma('defer_foreign_keys = ON') // until the commit, when all have the new name
    for (const [table, column] of NAMED) {
      store.db.prepare(`update ${table} set ${column} = :to where ${column} = :from`).run({ from, to })
    }
    store.db
      .prepare(
        `update study set definition_json = json_set(definition_json, '$.name', :to) where name = :to and definition_json is not null`,
      )
      .run({ to })
  })
}

/** @throws Failure notFound */
export function archiveStudy(store: Store, name: string): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    requireKnown(store, name)
    store.db.prepare('insert into study_archive (name, archived_at) values (?, ?) on conflict do nothing').run(name, at)
  })
}

/** @throws Failure notFound, usage where it is not archived */
export function unarchiveStudy(store: Store, name: string): Promise<void> {
  return write(store, () => {
    requireKnown(store, name)
    if (store.db.prepare('delete from study_archive where name = ?').run(name).changes > 0) return
    throw new Failure('usage', `"${name}" is not archived`, { hint: 'see `dcalab study list --all`' })
  })
}

export interface RemovedStudy {
  readonly revisions: number
  /** What stays in the store. */
  readonly kept: {
    readonly results: number
    readonly attempts: number
    readonly runs: number
    readonly screens: number
  }
}

/**
 * Removes every revision of a study: its definitions, which trials belong to it, and what its search keeps in mind. That its hold-out was
 * opened stays with its name, and so does what was run on it. @throws Failure notFound; keyBusy while the study runs;
 * usage while its hold-out is being opened
 */
export function removeStudy(store: Store, name: string, locks: Locks = {}): Promise<RemovedStudy> {
  return write(store, () => {
    requireKnown(store, name)
    refuseWhileRunning(store, name, locks)
    refuseHalfOpened(store, name)
    const removed = {
      revisions: countRows(store, 'study', 'name', name),
      kept: {
        results: countResults(store, name),
        attempts:
          firstRow(
            store.db,
            attemptsOf(name).select(({ fn }) => fn.countAll<number>().as('n')),
          )?.n ?? 0,
        runs: countRows(store, 'study_run', 'study', name),
        screens: countRows(store, 'screen', 'study', name),
      },
    }
    store.db.prepare(`delete from proposal where study = ? and role not in ${HOLDOUT_ROLES}`).run(name)
    for (const table of ['study_settings', 'study_trial', 'search_memory']) {
      store.db.prepare(`delete from ${table} where study = ?`).run(name)
    }
    for (const table of ['study_archive', 'study']) store.db.prepare(`delete from ${table} where name = ?`).run(name)
    return removed
  })
}

function countResults(store: Store, name: string): number {
  const counted = prepared<[string], { n: number }>(
    store.db,
    `select count(*) as n from result r join job j on j.id = r.job_id
     where j.fingerprint in (select fingerprint from study_trial where study = ?)`,
  )
  return counted.get(name)?.n ?? 0
}

function countRows(store: Store, table: string, column: string, name: string): number {
  return (
    prepared<[string], { n: number }>(store.db, `select count(*) as n from ${table} where ${column} = ?`).get(name)
      ?.n ?? 0
  )
}

/** Without its definition the opening could not be finished, and its results would be hidden for good. @throws Failure usage */
function refuseHalfOpened(store: Store, name: string): void {
  const half = firstRow(
    store.db,
    query.selectFrom('holdout_opening').select('study').where('study', '=', name).where('completed_at', 'is', null),
  )
  if (half === undefined) return
  throw new Failure('usage', `the hold-out of "${name}" is being opened, and not all of its results are in`, {
    hint: `finish it first: dcalab holdout open ${name} --reason …`,
  })
}

function requireKnown(store: Store, name: string): void {
  if (firstRow(store.db, query.selectFrom('study').select('name').where('name', '=', name)) !== undefined) return
  throw unknownStudy(store, name)
}

/**
 * A run holds its key from before it is recorded until after its end is, and one at a time: where the last run with a key has no end and
 * the key is held, that run goes on. One that was killed holds nothing. Call inside a transaction, so that none begins meanwhile.
 */
function refuseWhileRunning(store: Store, name: string, { lockFolder }: Locks): void {
  const unended = prepared<[string], string>(
    store.db,
    `select identity from study_run r where study = ? and ended_at is null
     and id = (select max(l.id) from study_run l where l.identity = r.identity)`,
  )
  for (const identity of unended.pluck().all(name)) {
    try {
      holdLock(store, { identity, ...(lockFolder === undefined ? {} : { folder: lockFolder }) }).release()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'keyBusy') throw error
      const { details, cause } = error
      throw new Failure('keyBusy', `the study "${name}" is running: ${error.message}`, {
        hint: 'wait for it to end or stop it, and say it again; nothing was changed',
        cause,
        ...(details === undefined ? {} : { details }),
      })
    }
  }
}
