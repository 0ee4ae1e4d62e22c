/**
 * Renames, archives and removes studies. What was paid for stays whatever happens to a study: attempts keep the name that they were sent
 * with, results belong to trials, counts of what was tried to markets. While a study runs, it is neither renamed nor removed.
 */
import { sql } from 'kysely'
import { Failure } from '../../errors.ts'
import { allRows, firstRow, runBuilt } from '../../sqlite/statements.ts'
import { holdLock } from './lock.ts'
import { attemptsOf } from './spending.ts'
import { type Store, write } from './store.ts'
import { unknownStudy } from './study-records.ts'
import type { Tables } from './table-types.ts'
import { isoTime, query } from './tables.ts'
import { triedKey } from './tried-count.ts'

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
  ['verdict', 'study'],
] as const satisfies readonly { [T in keyof Tables]: readonly [T, keyof Tables[T]] }[keyof Tables][]

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
    const taken = NAMED.find((named) => countRows(store, named, to) > 0)
    if (taken !== undefined) {
      throw new Failure('usage', `the store holds a study, runs or screens named "${to}" already`, {
        hint: 'choose a name that was never used in this store',
      })
    }
    store.db.pragma('defer_foreign_keys = ON') // until the commit, when all have the new name
    for (const named of NAMED) {
      const [table, column] = oneOfMany(named)
      runBuilt(store.db, query.updateTable(table).set(column, to).where(column, '=', from))
    }
    const definition_json = sql<string>`json_set(definition_json, '$.name', ${to})`
    runBuilt(store.db, query.updateTable('study').set({ definition_json }).where('name', '=', to))
    runBuilt(
      store.db,
      query
        .updateTable('tried')
        .set({ key: triedKey(to) })
        .where('key', '=', triedKey(from)),
    )
  })
}

/** @throws Failure notFound */
export function archiveStudy(store: Store, name: string): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    requireKnown(store, name)
    const archived = query.insertInto('study_archive').values({ name, archived_at: at })
    runBuilt(
      store.db,
      archived.onConflict((known) => known.doNothing()),
    )
  })
}

/** @throws Failure notFound, usage where it is not archived */
export function unarchiveStudy(store: Store, name: string): Promise<void> {
  return write(store, () => {
    requireKnown(store, name)
    if (runBuilt(store.db, query.deleteFrom('study_archive').where('name', '=', name)).changes > 0) return
    throw new Failure('usage', `"${name}" is not archived`, { hint: 'see `dcalab study list --all`' })
  })
}

interface RemovedStudy {
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
      revisions: countRows(store, ['study', 'name'], name),
      kept: {
        results: countResults(store, name),
        attempts:
          firstRow(
            store.db,
            attemptsOf(name).select(({ fn }) => fn.countAll<number>().as('n')),
          )?.n ?? 0,
        runs: countRows(store, ['study_run', 'study'], name),
        screens: countRows(store, ['screen', 'study'], name),
      },
    }
    const ofStudy = query.deleteFrom('proposal').where('study', '=', name)
    runBuilt(store.db, ofStudy.where('role', 'not in', ['winner', 'finalist']))
    for (const table of ['study_settings', 'study_trial', 'search_memory'] as const) {
      runBuilt(store.db, query.deleteFrom(table).where('study', '=', name))
    }
    for (const table of ['study_archive', 'study'] as const) {
      runBuilt(store.db, query.deleteFrom(table).where('name', '=', name))
    }
    return removed
  })
}

function countResults(store: Store, name: string): number {
  const trials = query.selectFrom('study_trial').select('fingerprint').where('study', '=', name)
  const results = query
    .selectFrom('result as r')
    .innerJoin('job as j', 'j.id', 'r.job_id')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('j.fingerprint', 'in', trials)
  return firstRow(store.db, results)?.n ?? 0
}

type Named = (typeof NAMED)[number]

/** Kysely’s types know one table at a time; that each has its column is checked where they are listed. */
function oneOfMany(named: Named) {
  return named as readonly string[] as readonly ['study', 'name']
}

function countRows(store: Store, named: Named, name: string): number {
  const [table, column] = oneOfMany(named)
  const rows = query.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('n'))
  return firstRow(store.db, rows.where(column, '=', name))?.n ?? 0
}

/** Without its definition the opening could not be finished, and its results would be hidden for good. @throws Failure usage */
function refuseHalfOpened(store: Store, name: string): void {
  const half = firstRow(
    store.db,
    query.selectFrom('holdout_opening').select('study').where('study', '=', name).where('completed_at', 'is', null),
  )
  if (half === undefined) return
  throw new Failure('usage', `the hold-out of "${name}" is being opened, and not all of its results are in`, {
    hint: `finish it first: dcalab holdout ${name} --test --reason …`,
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
  const unended = query
    .selectFrom('study_run as r')
    .select('r.identity')
    .where('r.study', '=', name)
    .where('r.ended_at', 'is', null)
    .where('r.id', '=', ({ selectFrom }) =>
      selectFrom('study_run as l')
        .select(({ fn }) => fn.max('l.id').as('last'))
        .whereRef('l.identity', '=', 'r.identity'),
    )
  for (const { identity } of allRows(store.db, unended)) {
    try {
      holdLock(store, { identity, folder: lockFolder }).release()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'keyBusy') throw error
      const { details, cause } = error
      throw new Failure('keyBusy', `the study "${name}" is running: ${error.message}`, {
        hint: 'wait for it to end or stop it, and say it again; nothing was changed',
        cause,
        details,
      })
    }
  }
}
