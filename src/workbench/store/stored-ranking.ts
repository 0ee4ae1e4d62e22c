/**
 * The order of a study's configurations by its objective, without reading their trials: of each comes its value and whether it is inside the
 * bounds; `workbench/study/objective.ts` says what the order is, and a test holds the two against each other. Only those that are shown
 * are read whole.
 */

import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'
import { allRows, itemsOf, prepared } from '../../sqlite/statements.ts'
import type { StatedByResult } from '../study/settings.ts'
import type { Objective } from '../study/study.ts'
import { type OnService, placesOf, readCompetitionTerms } from './competition.ts'
import { listTrials } from './readers.ts'
import type { TrialRecord } from './records.ts'
import { STATED, type StatedColumns, toSettings } from './settings.ts'
import { sqliteFailure } from './sqlite-failure.ts'
import type { Store } from './store.ts'
import { chosenIdentity, findTrials, keepPlaces, rowsOfPlaces } from './study-counts.ts'
import { findStudy } from './study-records.ts'
import { CONFIG_COLUMNS, columnsToConfig, query } from './tables.ts'
import { FATE_COLUMNS } from './views/latest-attempt.ts'

type RankingTerms = ReturnType<typeof readCompetitionTerms>

type StatedCount = StatedByResult & { readonly count: number }

interface RankingQuestion {
  /** Its current definition, or the revision that the text names. */
  readonly study: string
  /** Default: the one that `chooseService` says. */
  readonly identity?: string
  readonly objective: Objective
  readonly top: number
  /** What the study varies, in the order in which it decides the objective, by the best configurations; asked once, and kept with the ranking. */
  readonly orderVaried?: (best: readonly WeighedConfig[]) => readonly ConfigField[]
  /** Nothing but the top is asked for: totals that are not kept are left at 0. */
  readonly isTopAlone?: boolean
}

/** So many configurations say what decides the objective. */
const WEIGHED = 500

export interface WeighedConfig {
  readonly config: DcaSpotConfig
  readonly value: number
}

/** A configuration with its trials, in the order of the markets; at least one. */
export interface RankedConfig {
  /** Of the objective, made of its values on the markets. */
  readonly value: number
  readonly trials: readonly TrialRecord[]
}

export interface StoredRanking {
  /** On how many markets every configuration is tried. */
  readonly markets: number
  /** The best inside the objective's bounds, best first; ties by lower fingerprint, on several markets that of the configuration. */
  readonly top: readonly RankedConfig[]
  /** As `orderVaried` says; empty where it is not asked. */
  readonly varied: readonly ConfigField[]
  /** How many configurations are inside the bounds, outside of some, and without a value of the objective. */
  readonly ranked: number
  readonly outside: number
  readonly noValue: number
  /** Of those without a value, how many are not done on every market. */
  readonly partial: number
  /** How many others were tried and do not compete: the samples of a screen. */
  readonly compared: number
  /** What the results state they were computed under, each different statement with the number of its results. */
  readonly stated: readonly StatedCount[]
}

const NO_TOTALS = { ranked: 0, outside: 0, noValue: 0, partial: 0, compared: 0, stated: [], varied: [] }
const NOTHING: StoredRanking = { markets: 1, top: [], ...NO_TOTALS }

export function rankStored(
  store: Store,
  { study, objective, top, orderVaried, isTopAlone = false, ...question }: RankingQuestion,
): StoredRanking {
  const record = findStudy(store, study)
  if (record === undefined) return NOTHING
  const identity = question.identity ?? chosenIdentity(store, record)
  if (identity === undefined) return NOTHING
  const about = { study: record.name, fingerprint: record.fingerprint, identity }
  const terms = readCompetitionTerms(store, about)
  const asked = { ...terms, objective: JSON.stringify(objective) }
  const isKept = keepPlaces(store, about) && asked.objective === terms.objective
  const read = (most: number) => (isKept ? readKept(store, about, most) : readBest(store, about, asked, most))
  const configs = [...Map.groupBy(read(top), ({ rank }) => rank).values()]
  const fingerprints = configs.flatMap((places) => places.map((place) => place.fingerprint))
  const known = new Map(listTrials(store, { study, identity, fingerprints }).map((trial) => [trial.fingerprint, trial]))
  const kept = isKept ? keptSummary(store, about) : undefined
  const isWhole = isTopAlone || (kept !== undefined && (orderVaried === undefined || kept.varied !== undefined))
  const count = (): Summary => ({
    ...((isKept ? keptSummary(store, about) : undefined) ?? countPlaces(store, about, asked)),
    ...(orderVaried === undefined ? {} : { varied: orderVaried(readWeighed(store, read(WEIGHED))) }),
  })
  const totals = isWhole ? kept : isKept ? keepSummary(store, about, count) : store.db.transaction(count)()
  return {
    ...{ markets: terms.markets, ...NO_TOTALS, ...totals },
    top: configs.map((places) => ({
      value: places[0].value,
      trials: places.flatMap((place) => known.get(place.fingerprint) ?? []),
    })),
  }
}

interface BestPlace {
  readonly fingerprint: string
  /** Of its configuration. */
  readonly value: number
  readonly rank: number
}

function readKept({ db }: Store, about: OnService, top: number): readonly BestPlace[] {
  return prepared<[object], BestPlace>(
    db,
    `select m.fingerprint, p.value, p.rank from study_place p join study_trial m using (study, study_fingerprint, position)
     where p.study = :study and p.study_fingerprint = :fingerprint and p.identity = :identity and p.rank <= :top order by p.rank, p.position`,
  ).all({ ...about, top })
}

function readBest(store: Store, about: OnService, terms: RankingTerms, top: number): readonly BestPlace[] {
  const { parts, places, parameters } = placesOf(findTrials(store, about), terms)
  return prepared<[object], BestPlace>(
    store.db,
    `with ${parts} select fingerprint, coalesce(value, objective) as value, rank from ${places} where rank <= :top order by rank, position`,
  ).all({ ...parameters, top })
}

/** Configurations with their value, without their results: five hundred of these take a tenth of the time. */
function readWeighed({ db }: Store, best: readonly BestPlace[]): readonly WeighedConfig[] {
  const configs = best.filter(({ rank }, n) => rank !== best[n - 1]?.rank) // each on its first market
  const names = itemsOf<string>(JSON.stringify(configs.map(({ fingerprint }) => fingerprint)))
  const rows = allRows(
    db,
    query
      .selectFrom('trial')
      .select(['fingerprint', ...Object.values(CONFIG_COLUMNS)])
      .where('fingerprint', 'in', names),
  )
  const byName = new Map(rows.map((row) => [row.fingerprint, columnsToConfig(row)]))
  return configs.flatMap(({ fingerprint, value }) => {
    const config = byName.get(fingerprint)
    return config === undefined ? [] : [{ config, value }]
  })
}

type Summary = Omit<StoredRanking, 'markets' | 'top' | 'varied'> & Partial<Pick<StoredRanking, 'varied'>>

function keptSummary({ db }: Store, about: OnService): Summary | undefined {
  const json = prepared<[object], string>(
    db,
    'select summary_json from study_ranking where study = :study and study_fingerprint = :fingerprint and identity = :identity',
  )
  const kept = json.pluck().get(about)
  return kept === undefined ? undefined : JSON.parse(kept)
}

/** Where the store cannot be written it is not kept. */
function keepSummary(store: Store, about: OnService, count: () => Summary): Summary {
  const work = store.db.transaction(() => {
    const summary = count()
    prepared<[object], unknown>(
      store.db,
      `insert into study_ranking select :study, :fingerprint, :identity, :summary
       where exists (select 1 from study_place where study = :study and study_fingerprint = :fingerprint and identity = :identity)
       on conflict do update set summary_json = excluded.summary_json`,
    ).run({ ...about, summary: JSON.stringify(summary) })
    return summary
  })
  try {
    return work.immediate()
  } catch (error) {
    if (sqliteFailure(store.path, error) === undefined) throw error
    return count()
  }
}

/** Counts configurations and what their results state. */
function countPlaces(store: Store, about: OnService, terms: RankingTerms): Summary {
  const trials = findTrials(store, about)
  const { parts, places, parameters } = placesOf(trials, terms)
  const configs =
    terms.markets === 1
      ? `select competes, coalesce(value, objective) as value, rank, is_done as is_whole from ${places}`
      : `select max(competes) as competes, max(value) as value, max(rank) as rank, total(is_done) = :markets as is_whole from ${places} group by config`
  const counts = prepared<[object], Record<'places' | 'competing' | 'valued' | 'ranked' | 'partial', number>>(
    store.db,
    `with ${parts} select count(*) as places, total(competes) as competing, total(competes and value is not null) as valued,
       count(rank) as ranked, total(competes and not is_whole) as partial from (${configs})`,
  ).get(parameters)
  const { places: all = 0, competing = 0, valued = 0, ranked = 0, partial = 0 } = counts ?? {}
  const stated = prepared<[object], StatedColumns & { readonly count: number }>(
    store.db,
    `select count(*) as count, ${STATED} ${trials.from} and ${FATE_COLUMNS.state.sql} = 'done' group by ${STATED} order by 1 desc`,
  ).all(trials.parameters)
  return {
    ...{ ranked, outside: valued - ranked, noValue: competing - valued, partial, compared: all - competing },
    stated: stated.map((group) => ({ ...toSettings(group), count: group.count })),
  }
}

/** Rankings that are kept, and their totals, that are not those of their results: a sentence for each. Reads all results of the studies whose rankings are kept. */
export function findFalseRankings(store: Store): readonly string[] {
  const { db } = store
  const kept = db
    .prepare<[], OnService>('select distinct study, study_fingerprint as fingerprint, identity from study_place')
    .all()
  // Stands before the table of that name, so that nothing that is kept is used.
  db.exec('create temp table study_place as select * from main.study_place where 0')
  try {
    return kept.flatMap((one) => [
      ...(hasTruePlaces(store, one) ? [] : [`the ranking of ${one.study} that is kept is not that of its results`]),
      ...(hasTrueSummary(store, one) ? [] : [`the totals of ${one.study} that are kept are not those of its results`]),
    ])
  } finally {
    db.exec('drop table temp.study_place')
  }
}

function hasTruePlaces(store: Store, one: OnService): boolean {
  const { sql, parameters } = rowsOfPlaces(store, one)
  const ours =
    'select * from main.study_place where study = :study and study_fingerprint = :fingerprint and identity = :identity'
  const differ = `select count(*) from (select * from (${sql}) except ${ours} union all select * from (${ours} except select * from (${sql})))`
  return store.db.prepare<[object], number>(differ).pluck().get(parameters) === 0
}

function hasTrueSummary(store: Store, one: OnService): boolean {
  const kept = keptSummary(store, one)
  if (kept === undefined) return true
  // Statements as common as each other come in any order.
  const textOf = ({ stated, ranked, outside, noValue, partial, compared }: Summary) =>
    JSON.stringify([ranked, outside, noValue, partial, compared, ...stated.map((each) => JSON.stringify(each)).sort()])
  return textOf(kept) === textOf(countPlaces(store, one, readCompetitionTerms(store, one)))
}
