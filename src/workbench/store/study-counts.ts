/**
 * How many trials of a study are in which state. Counting a study of ten thousand takes a while, and most studies are over: counts are kept
 * in `study_count`, from where triggers remove them with the change that makes them wrong.
 */
import type { TrialState } from './records.ts'
import { sqliteFailure } from './sqlite-failure.ts'
import type { Store } from './store.ts'
import { prepared, type Tables } from './tables.ts'
import { trialsView } from './views/trial-views.ts'

export interface StudyCount {
  readonly study: string
  readonly states: ReadonlyMap<TrialState, number>
  /** ISO 8601 UTC; null = none has ended. */
  readonly lastFinishedAt: string | null
}

/** Of every study in its current definition, latest first, or of one, each on the service it was last run on. */
export function countStudies(store: Store, { study }: { readonly study?: string } = {}): readonly StudyCount[] {
  const wanted = prepared<[{ study: string | null }], Wanted>(
    store.db,
    `select d.study, d.fingerprint,
       (select r.identity from study_run r where r.study = d.study order by r.id desc limit 1) as identity
     from studies d where :study is null or d.study = :study order by d.saved_at desc, d.study`,
  )
  return wanted.all({ study: study ?? null }).map((one) => {
    const known = readKept(store, one)
    const counted = known.length > 0 ? known : countAndKeep(store, one)
    const finished = counted.flatMap(({ last_finished_at: at }) => (at === null ? [] : [at]))
    return {
      study: one.study,
      states: new Map(counted.map(({ state, trials }) => [state, trials])),
      lastFinishedAt: finished.sort().at(-1) ?? null,
    }
  })
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

/** In one transaction, so that no change falls between counting and keeping. Where the store cannot be written the answer is not kept. */
function countAndKeep(store: Store, one: Wanted): readonly Counted[] {
  const keep = prepared<[Wanted & Counted], unknown>(
    store.db,
    `insert into study_count (study, study_fingerprint, identity, state, trials, last_finished_at)
     values (:study, :fingerprint, :identity, :state, :trials, :last_finished_at)`,
  )
  const work = store.db.transaction(() => {
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

const { state, finished_at } = trialsView.columns

function count({ db }: Store, one: Wanted): readonly Counted[] {
  return prepared<[Wanted], Counted>(
    db,
    `select ${state.sql} as state, count(*) as trials, max(${finished_at.sql}) as last_finished_at
     ${trialsView.from} where d.study = :study and i.identity = :identity group by 1`,
  ).all(one)
}
