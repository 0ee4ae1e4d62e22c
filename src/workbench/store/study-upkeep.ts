/**
 * Renames, archives and removes studies. What was paid for stays whatever happens to a study: attempts keep the name that they were sent
 * with, results belong to trials, looks to markets.
 */
import { Failure } from '../../errors.ts'
import { attemptsOf } from './spending.ts'
import { type Store, write } from './store.ts'
import { firstRow, prepared, query } from './tables.ts'
import { isoTime } from './times.ts'

/** Where else a study's name stands: every table and column that moves with it. */
const NAMED = [
  ['study', 'name'],
  ['study_trial', 'study'],
  ['study_settings', 'study'],
  ['study_run', 'study'],
  ['study_archive', 'name'],
  ['screen', 'study'],
] as const

/** All revisions, their trials, runs and screens move to the new name. @throws Failure notFound; usage where the new name is taken */
export function renameStudy(store: Store, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  return write(store, () => {
    requireKnown(store, from)
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

/** Removes every revision of a study: its definitions and which trials belong to it. @throws Failure notFound */
export function removeStudy(store: Store, name: string): Promise<RemovedStudy> {
  return write(store, () => {
    requireKnown(store, name)
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
    for (const table of ['study_settings', 'study_trial']) {
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

function requireKnown(store: Store, name: string): void {
  if (firstRow(store.db, query.selectFrom('study').select('name').where('name', '=', name)) !== undefined) return
  throw new Failure('notFound', `the store holds no study "${name}"`)
}
