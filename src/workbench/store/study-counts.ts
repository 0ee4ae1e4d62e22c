/**
 * How many trials of a study are in which state. Counting a study of ten thousand takes a while, and most studies are over: counts are kept
 * in `study_count`, from where triggers remove them with the change that makes them wrong. Whoever ranks a study keeps its places too, in
 * `study_place` and `study_ranking`, which are dropped with its counts.
 */

import { prepared, statement } from '../../sqlite/statements.ts'
import { chooseService, findNamedServices, type ServiceProgress, type ServiceQuestion } from './choose-service.ts'
import { type OnService, placesOf, readCompetitionTerms, type Trials } from './competition.ts'
import type { StudyRecord, TrialState } from './records.ts'
import { listServices, unknownToStore } from './services.ts'
import { sqlMatches } from './settings-row.ts'
import { sqliteFailure } from './sqlite-failure.ts'
import type { Store } from './store.ts'
import { findStudy, listStudies } from './study-records.ts'
import { query, type RowOf } from './tables.ts'
import { attemptOfPlace, JOB_AND_RESULT, JOB_OF_ATTEMPT, latestAttempt } from './views/latest-attempt.ts'
import { ANY_REVISION, trialsOf, trialsView } from './views/trial-views.ts'

/** How far a definition of a study is on a service. */
interface StudyService extends ServiceProgress {
  readonly states: ReadonlyMap<TrialState, number>
  /** Trials that are neither planned nor over. */
  readonly open: number
  /** ISO 8601 UTC; null = none has ended. */
  readonly lastFinishedAt: string | null
}

export interface StudyCount extends Pick<StudyService, 'states' | 'lastFinishedAt'> {
  readonly study: string
  /** Which definition it is, and how many the study has had. */
  readonly revision: number
  readonly revisions: number
  /** Whose trials are counted; null = it was run on no service. */
  readonly service: StudyService | null
  /** The others that it was run on, latest first. */
  readonly others: readonly StudyService[]
}

const numbered = statement(({ name }: Pick<StudyRecord, 'name'>) =>
  query
    .selectFrom('study')
    .select(({ fn }) => fn.max('number').as('revisions'))
    .where('name', '=', name),
)

/**
 * Of every study in its current definition, latest first, or of one, in the revision that the text names; each on the service that `chooseService`
 * says, those that were never run on the one that is asked for left out. `all`: archived studies too. `most`: the latest so many alone.
 * @throws Failure as `chooseService`; notFound for a service of which no study is there
 */
export function countStudies(
  store: Store,
  {
    study,
    all = false,
    most = Number.POSITIVE_INFINITY,
    ...question
  }: { readonly study?: string; readonly all?: boolean; readonly most?: number } & ServiceQuestion = {},
): readonly StudyCount[] {
  const { asked } = question
  const records = definitionsOf(store, study, all).slice(0, most)
  const names = namesIn(store)
  const counted = records.flatMap((record) => {
    const services = countServices(store, record, names)
    if (asked !== undefined && study === undefined && findNamedServices(services, asked).length === 0) return []
    const service = chooseService(record.name, services, question) ?? null
    return {
      study: study ?? record.name,
      revision: record.revision,
      revisions: numbered.first(store.db, record)?.revisions ?? record.revision,
      service,
      states: service?.states ?? new Map<TrialState, number>(),
      lastFinishedAt: service?.lastFinishedAt ?? null,
      others: services.filter((one) => one !== service),
    }
  })
  if (asked !== undefined && counted.length === 0 && records.length > 0) throw unknownToStore(store, asked)
  return counted
}

const AT_REST: ReadonlySet<TrialState> = new Set(['planned', 'done', 'failed', 'gone'])

const keptCounts = statement(({ study, fingerprint, identity }: OnService) =>
  query
    .selectFrom('study_count')
    .select(['state', 'trials', 'last_finished_at'])
    .where('study', '=', study)
    .where('study_fingerprint', '=', fingerprint)
    .where('identity', '=', identity),
)

/** The services that a study was run on, latest first, with what became of its trials there. */
export function countServices(
  store: Store,
  { name, fingerprint, identities }: Pick<StudyRecord, 'name' | 'fingerprint' | 'identities'>,
  names = namesIn(store),
): readonly StudyService[] {
  return identities.map((identity) => {
    const one = { study: name, fingerprint, identity }
    const known = keptCounts.all(store.db, one)
    const counted = known.length > 0 ? known : countAndKeep(store, one)
    const finished = counted.flatMap(({ last_finished_at: at }) => (at === null ? [] : [at]))
    const sum = (rows: readonly Counted[]) => rows.reduce((all, { trials }) => all + trials, 0)
    return {
      identity,
      name: names.get(identity) ?? identity,
      states: new Map(counted.map(({ state, trials }) => [state, trials])),
      done: sum(counted.filter(({ state }) => state === 'done')),
      open: sum(counted.filter(({ state }) => !AT_REST.has(state))),
      total: sum(counted),
      lastFinishedAt: finished.sort().at(-1) ?? null,
    }
  })
}

function namesIn(store: Store): ReadonlyMap<string, string> {
  return new Map(listServices(store).map(({ identity, name }) => [identity, name]))
}

/** The identity of the service that `chooseService` says; where there is one alone, nothing is counted. */
export function chosenIdentity(
  store: Store,
  record: Pick<StudyRecord, 'name' | 'fingerprint' | 'identities'>,
  question: ServiceQuestion = {},
): string | undefined {
  const { identities, name } = record
  const isCounted = identities.length > 1 || question.asked !== undefined || question.configuredOnly === true
  if (!isCounted) return identities.at(0)
  return chooseService(name, countServices(store, record), question)?.identity
}

function definitionsOf(store: Store, study: string | undefined, all: boolean): readonly StudyRecord[] {
  if (study === undefined) return listStudies(store).filter(({ archivedAt }) => all || archivedAt === null)
  const record = findStudy(store, study)
  return record === undefined ? [] : [record]
}

type Counted = Pick<RowOf<'study_count'>, 'state' | 'trials' | 'last_finished_at'>

const ANY_SETTINGS = `${trialsOf(ANY_REVISION)}
    where d.study = :study and d.fingerprint = :fingerprint and i.identity = :identity`

/** The same where the study asks for one settings, on all its markets: then a trial need not be looked up to know which. */
const oneSettings = (attempt: string, joins: string) => `from study_trial m left join attempt a on a.id = ${attempt}
  ${joins}
  where m.study = :study and m.study_fingerprint = :fingerprint`

const ASKED = { identity: ':identity', agrees: (found: string) => sqlMatches(':settings', found) }

/** Without a look at the places that are kept. */
const LATEST_ATTEMPT = latestAttempt({ ...ASKED, fingerprint: 'm.fingerprint' })

/** `joins`: what is read of a trial beside its attempt, where that is not its result too; `attempt`: which it is, where no place is kept. */
export function findTrials(
  store: Store,
  about: OnService,
  { joins = JOB_AND_RESULT, attempt = attemptOfPlace(ASKED) } = {},
): Trials {
  const settings = readAsked(store, about)
  return settings === undefined
    ? { from: ANY_SETTINGS, parameters: about }
    : { from: oneSettings(attempt, joins), parameters: { ...about, settings } }
}

/** The settings that a revision asks for on a service; null on one that is not ours, undefined where they are several. */
function readAsked(store: Store, about: OnService): number | null | undefined {
  const asked = prepared<[typeof about], number>(
    store.db,
    `select distinct w.settings_id from study_settings w join service s on s.identity = :identity and s.simulated = 1
     where w.study = :study and w.study_fingerprint = :fingerprint`,
  )
  const [settings = null, ...others] = asked.pluck().all(about)
  return others.length === 0 ? settings : undefined
}

/**
 * Ranks a revision on a service, unless its places are kept: which attempt each of its trials stands for and what place it has, so that whoever asks
 * for its ranking, an analyst too, need not look for them. Where the store cannot be written nothing is kept.
 * @returns whether they are
 */
export function keepPlaces(store: Store, one: OnService): boolean {
  const kept = prepared<[OnService], number>(
    store.db,
    'select 1 from study_place where study = :study and study_fingerprint = :fingerprint and identity = :identity limit 1',
  )
  const isKept = () => kept.get(one) !== undefined
  if (isKept()) return true
  const { sql, parameters } = rowsOfPlaces(store, one)
  const keep = prepared<[object], unknown>(
    store.db,
    `insert into study_place (study, study_fingerprint, identity, position, attempt_id, result_id, net_profit, objective, value, rank)
     ${sql} on conflict do nothing`, // another process may have ranked the same meanwhile
  )
  whereWritable(store, () => {
    if (keptCounts.first(store.db, one) === undefined) insertCounts(store, one) // with which places are dropped
    keep.run(parameters)
  })
  return isKept()
}

/** The same of every study in its current definition on every service that it was run on, as after a merge. */
export function keepAllPlaces(store: Store): void {
  for (const { name, fingerprint, identities } of listStudies(store))
    for (const identity of identities) keepPlaces(store, { study: name, fingerprint, identity })
}

function countAndKeep(store: Store, one: OnService): readonly Counted[] {
  return whereWritable(store, () => insertCounts(store, one)) ?? count(store, one)
}

function insertCounts(store: Store, one: OnService): readonly Counted[] {
  const keep = prepared<[object], unknown>(
    store.db,
    'insert into study_count values (:study, :fingerprint, :identity, :state, :trials, :last_finished_at) on conflict do nothing',
  )
  const counted = count(store, one)
  for (const row of counted) keep.run({ ...one, ...row })
  return counted
}

/** Does it in one transaction, so that no change falls between what is read and what is kept of it; undefined where the store cannot be written. */
function whereWritable<T>(store: Store, work: () => T): T | undefined {
  try {
    store.db.pragma('foreign_keys = OFF') // to check that what was just read is there takes a quarter of the time
    return store.db.transaction(work).immediate()
  } catch (error) {
    if (sqliteFailure(store.path, error) === undefined) throw error
    return undefined
  } finally {
    store.db.pragma('foreign_keys = ON')
  }
}

/** What `study_place` keeps of a revision on a service. */
export function rowsOfPlaces(store: Store, one: OnService): { readonly sql: string; readonly parameters: object } {
  const trials = findTrials(store, one, { attempt: LATEST_ATTEMPT })
  const { parts, places, parameters } = placesOf(trials, readCompetitionTerms(store, one))
  return {
    sql: `with ${parts} select :study, :fingerprint, :identity, position, attempt_id, case when is_done then result_id end,
       case when is_done then net_profit end, objective, coalesce(value, case when config is null then objective end), rank
     from ${places} where attempt_id is not null`,
    parameters,
  }
}

const { state, finished_at } = trialsView.columns

function count(store: Store, one: OnService): readonly Counted[] {
  const { from, parameters } = findTrials(store, one, { joins: JOB_OF_ATTEMPT, attempt: LATEST_ATTEMPT })
  return prepared<[object], Counted>(
    store.db,
    `select ${state.sql} as state, count(*) as trials, max(${finished_at.sql}) as last_finished_at ${from} group by 1`,
  ).all(parameters)
}
