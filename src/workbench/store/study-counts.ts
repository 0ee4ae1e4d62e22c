/**
 * How many trials of a study are in which state. Counting a study of ten thousand takes a while, and most studies are over: counts are kept
 * in `study_count`, from where triggers remove them with the change that makes them wrong.
 * `study_place` is kept and dropped with them.
 */
import type { StudyRecord, TrialState } from './records.ts'
import { sqliteFailure } from './sqlite-failure.ts'
import type { Store } from './store.ts'
import { findStudy, listStudies } from './study-records.ts'
import { prepared, type Tables } from './tables.ts'
import { trialsOfRevision, trialsView } from './views/trial-views.ts'

export interface StudyCount {
  readonly study: string
  readonly states: ReadonlyMap<TrialState, number>
  /** ISO 8601 UTC; null = none has ended. */
  readonly lastFinishedAt: string | null
}

/**
 * Of every study in its current definition, latest first, or of one, in the revision that the text names; each on the service it was last
 * run on. `all`: archived studies too.
 */
export function countStudies(
  store: Store,
  { study, all = false }: { readonly study?: string; readonly all?: boolean } = {},
): readonly StudyCount[] {
  return definitionsOf(store, study, all).map(({ name, fingerprint, identities }) => {
    const one = { study: name, fingerprint, identity: identities.at(0) ?? null }
    const known = readKept(store, one)
    const counted = known.length > 0 ? known : countAndKeep(store, one)
    const finished = counted.flatMap(({ last_finished_at: at }) => (at === null ? [] : [at]))
    return {
      study: study ?? name,
      states: new Map(counted.map(({ state, trials }) => [state, trials])),
      lastFinishedAt: finished.sort().at(-1) ?? null,
    }
  })
}

function definitionsOf(store: Store, study: string | undefined, all: boolean): readonly StudyRecord[] {
  if (study === undefined) return listStudies(store).filter(({ archivedAt }) => all || archivedAt === null)
  const record = findStudy(store, study)
  return record === undefined ? [] : [record]
}

interface Wanted {
  readonly study: string
  readonly fingerprint: string
  readonly identity: string | null
}

type Counted = Pick<Tables['study_count'], 'state' | 'trials' | 'last_finished_at'>

function readKept({ db }: Store, one: Wanted): readonly Counted[] {
  return prepared<[Wanted], Counted>(
    db,
    `select state, trials, last_finished_at from study_count
     where study = :study and study_fingerprint = :fingerprint and identity = :identity`,
  ).all(one)
}

/**
 * Counts a revision on a service, unless its counts are kept. With them it is kept which attempt each of its trials stands for: whoever ranks the
 * study afterwards, an analyst too, need not look for them. Where the store cannot be written nothing is kept.
 */
export function keepCounts(store: Store, one: Wanted): void {
  if (readKept(store, one).length === 0) countAndKeep(store, one)
}

/** In one transaction, so that no change falls between counting and keeping. Where the store cannot be written the answer is not kept. */
function countAndKeep(store: Store, one: Wanted): readonly Counted[] {
  const keepPlaces = prepared<unknown[], unknown>(
    store.db,
    `insert into study_place (study, study_fingerprint, identity, position, attempt_id)
     select d.study, d.fingerprint, i.identity, m.position, a.id ${trialsOfRevision} and a.id is not null
     on conflict do nothing`, // another process may have counted the same meanwhile
  )
  const keep = prepared<[Wanted & Counted], unknown>(
    store.db,
    `insert into study_count (study, study_fingerprint, identity, state, trials, last_finished_at)
     values (:study, :fingerprint, :identity, :state, :trials, :last_finished_at)
     on conflict do nothing`,
  )
  const work = store.db.transaction(() => {
    keepPlaces.run(...valuesOf(one))
    const counted = count(store, one)
    for (const row of counted) keep.run({ ...one, ...row })
    return counted
  })
  try {
    return work.immediate()
  } catch (error) {
    if (sqliteFailure(store.path, error) === undefined) throw error
    return count(store, one)
  }
}

function valuesOf({ study, fingerprint, identity }: Wanted) {
  return [study, fingerprint, identity]
}

const { state, finished_at } = trialsView.columns

function count({ db }: Store, one: Wanted): readonly Counted[] {
  return prepared<unknown[], Counted>(
    db,
    `select ${state.sql} as state, count(*) as trials, max(${finished_at.sql}) as last_finished_at
     ${trialsOfRevision} group by 1`,
  ).all(...valuesOf(one))
}
