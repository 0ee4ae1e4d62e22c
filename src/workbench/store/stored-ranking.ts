/**
 * The order of a study's configurations by its objective, without reading their trials: of each comes its value and whether it is inside the
 * bounds; `workbench/study/config-ranking.ts` says what the order is, and a test holds the two against each other. Only those that are shown
 * are read whole.
 */

import { METRICS } from '../../contract/metrics.ts'
import { allRows, itemsOf, prepared } from '../../sqlite/statements.ts'
import { placeConfig, type ValuedStanding } from '../study/config-ranking.ts'
import { bestFirst } from '../study/objective.ts'
import type { StatedByResult } from '../study/settings.ts'
import type { Objective } from '../study/study.ts'
import { type OnService, readCompetitionTerms } from './competition.ts'
import { listTrials } from './readers.ts'
import type { TrialRecord } from './records.ts'
import { STATED, type StatedColumns, toSettings } from './settings.ts'
import type { Store } from './store.ts'
import { chosenIdentity, findTrials, keepCounts, type Trials } from './study-counts.ts'
import { findStudy } from './study-records.ts'
import { query } from './tables.ts'
import { CHOSEN_OF_STUDY, isChosen } from './views/current-study.ts'
import { trialsView } from './views/trial-views.ts'

// What a ranking reads of every trial: few and short columns, because bringing ten thousand rows into the program is a third of the work.

interface PlaceRow {
  readonly position: number
  readonly value: number | null
  /** Of the objective's bounds; null = a bounded metric has no value, which is outside. */
  readonly inside: number | null
  readonly is_done: number
  /** Whether its result states what is usual in this study. */
  readonly is_usual: number
  /** The fingerprint of its configuration; only where there are several markets. */
  readonly config?: string
  readonly is_chosen: number
}

const NOTHING_STATED: StatedColumns = {
  conventions_json: null,
  fee_percent: null,
  slippage_percent: null,
  candle_interval: null,
}

/** What the first result states. Nearly always all others state the same, so that asking whether they do takes the place of sorting texts. */
function readUsual({ db }: Store, { from, parameters }: Trials): StatedColumns {
  const first = prepared<[object], StatedColumns>(db, `select ${STATED} ${from} and r.job_id is not null limit 1`)
  return first.get(parameters) ?? NOTHING_STATED
}

interface PlacesQuestion {
  readonly objective: Objective
  readonly usual: StatedColumns
  readonly markets: number
  readonly isScreen: boolean
}

/** One row for every trial, as a statement and what it is asked with. */
function placesOf(
  { from, parameters }: Trials,
  { objective, usual, markets, isScreen }: PlacesQuestion,
): { readonly sql: string; readonly parameters: object } {
  const { metric, where } = objective
  const inside = where.map(({ metric: bound }, n) => `r.${METRICS[bound].column} between :min${n} and :max${n}`)
  const bounds = where.flatMap(({ bounds: { min = -Infinity, max = Infinity } }, n) => [
    [`min${n}`, min],
    [`max${n}`, max],
  ])
  const columns = [
    `m.position, r.${METRICS[metric].column} as value, ${[...inside, '1'].join(' and ')} as inside`,
    `${IS_DONE} as is_done, ${isUsual(usual)} as is_usual`,
    ...(markets > 1
      ? ['(select c.config_fingerprint from trial c where c.fingerprint = m.fingerprint) as config']
      : []),
    `${isScreen ? isChosen(CHOSEN_OF_STUDY) : '1'} as is_chosen`,
  ]
  return {
    sql: `select ${columns.join(', ')} ${from}`,
    parameters: { ...parameters, ...usual, ...Object.fromEntries(bounds) },
  }
}

const IS_DONE = `${trialsView.columns.state.sql} = 'done'`

function isUsual(usual: StatedColumns): string {
  return Object.keys(usual)
    .map((column) => `r.${column} is :${column}`)
    .join(' and ')
}

function readPlaces({ db }: Store, trials: Trials, question: PlacesQuestion): readonly PlaceRow[] {
  const { sql, parameters } = placesOf(trials, question)
  return prepared<[object], PlaceRow>(db, sql).all(parameters)
}

interface PlaceCounts {
  readonly places: number
  readonly competing: number
  /** Of those that compete. */
  readonly valued: number
  readonly ranked: number
  readonly partial: number
  readonly usual: number
  readonly unusual: number
}

interface BestPlaces {
  readonly counts: PlaceCounts
  /** As good as the last of the top, or better; in no order. */
  readonly best: readonly { readonly position: number; readonly value: number }[]
}

/** The same counted by SQLite, with the best alone, where every place is one trial's. */
function readBestPlaces(
  { db }: Store,
  trials: Trials,
  { top, ...question }: PlacesQuestion & { readonly top: number },
): BestPlaces {
  const { sql, parameters } = placesOf(trials, question)
  const [isAsGood, order, worst] =
    question.objective.direction === 'maximize' ? ['>=', 'desc', '-9e999'] : ['<=', 'asc', '9e999']
  type Answer =
    | { readonly counts: string; readonly position: null; readonly value: null }
    | { readonly counts: null; readonly position: number; readonly value: number }
  const rows = prepared<[object], Answer>(
    db,
    `with place as materialized (${sql}),
     ranked as (select position, value from place where is_chosen and value is not null and inside = 1)
     select json_object('places', count(*), 'competing', total(is_chosen), 'valued', total(is_chosen and value is not null),
         'ranked', total(is_chosen and value is not null and inside is 1), 'partial', total(is_chosen and not is_done),
         'usual', total(is_done and is_usual), 'unusual', total(is_done and not is_usual)) as counts,
       null as position, null as value from place
     union all select null, position, value from ranked
       where value ${isAsGood} coalesce((select value from ranked order by value ${order} limit 1 offset :last), ${worst})`,
  ).all({ ...parameters, last: top - 1 })
  const counts: PlaceCounts = JSON.parse(rows.map((row) => row.counts).find((text) => text !== null) ?? '{}')
  return { counts, best: rows.flatMap(({ position, value }) => (position === null ? [] : [{ position, value }])) }
}

type StatedCount = StatedByResult & { readonly count: number }

/** What the results state they were computed under, each different statement with the number of its results. */
function countStated(
  { db }: Store,
  { from, parameters }: Trials,
  { usual, counts }: { readonly usual: StatedColumns; readonly counts: Pick<PlaceCounts, 'usual' | 'unusual'> },
): readonly StatedCount[] {
  const counted = counts.usual === 0 ? [] : [{ ...toSettings(usual), count: counts.usual }]
  if (counts.unusual === 0) return counted
  const others = prepared<[object], StatedColumns & { count: number }>(
    db,
    `select count(*) as count, ${STATED} ${from} and ${IS_DONE} and not (${isUsual(usual)})
     group by ${STATED} order by count desc`,
  ).all({ ...parameters, ...usual })
  return [...counted, ...others.map((group) => ({ ...toSettings(group), count: group.count }))]
}

export interface RankingQuestion {
  /** Its current definition, or the revision that the text names. */
  readonly study: string
  /** Default: the one that `chooseService` says. */
  readonly identity?: string
  readonly objective: Objective
  readonly top: number
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

const NOTHING: StoredRanking = {
  markets: 1,
  top: [],
  ranked: 0,
  outside: 0,
  noValue: 0,
  partial: 0,
  compared: 0,
  stated: [],
}

export function rankStored(store: Store, { study, objective, top, ...question }: RankingQuestion): StoredRanking {
  const record = findStudy(store, study)
  if (record === undefined) return NOTHING
  const identity = question.identity ?? chosenIdentity(store, record)
  if (identity === undefined) return NOTHING
  const about = { study: record.name, fingerprint: record.fingerprint, identity }
  keepCounts(store, about)
  const { markets, isScreen } = readCompetitionTerms(store, about)
  const trials = findTrials(store, about)
  const usual = readUsual(store, trials)
  const asked = { objective, usual, markets, isScreen, top }
  const { counts, good } = markets === 1 ? rankTrials(store, trials, asked) : rankMarkets(store, trials, asked)
  const best = nameBest(store, about, { good, objective }).slice(0, top)
  const fingerprints = best.flatMap((config) => config.trials)
  const known = new Map(
    listTrials(store, { study, identity, fingerprints }).map((record) => [record.fingerprint, record]),
  )
  return {
    markets,
    top: best.map(({ value, trials }) => ({ value, trials: trials.flatMap((name) => known.get(name) ?? []) })),
    ranked: counts.ranked,
    outside: counts.valued - counts.ranked,
    noValue: counts.competing - counts.valued,
    partial: counts.partial,
    compared: counts.places - counts.competing,
    stated: countStated(store, trials, { usual, counts }),
  }
}

/** The places in number, and those that can be among the best: as good as the last of the top, or better. */
interface Ranked {
  readonly counts: PlaceCounts
  readonly good: readonly ValuedPlace[]
}

type Asked = PlacesQuestion & { readonly top: number }

/** Ten thousand rows brought into the program take longer than SQLite takes to count them. */
function rankTrials(store: Store, trials: Trials, asked: Asked): Ranked {
  const { counts, best } = readBestPlaces(store, trials, asked)
  return { counts, good: best.map(({ position, value }) => ({ positions: [position], value })) }
}

function rankMarkets(store: Store, trials: Trials, asked: Asked): Ranked {
  const rows = readPlaces(store, trials, asked)
  const places = placeConfigs(rows, asked.objective, asked.markets)
  const competing = places.filter(({ competes }) => competes)
  const valued = competing.filter(hasValue)
  const ranked = valued.filter(({ isInside }) => isInside)
  const done = rows.filter(({ is_done }) => is_done === 1)
  const usual = done.filter(({ is_usual }) => is_usual === 1).length
  const counts = {
    places: places.length,
    competing: competing.length,
    valued: valued.length,
    ranked: ranked.length,
    partial: competing.filter(({ isWhole }) => !isWhole).length,
    usual,
    unusual: done.length - usual,
  }
  const isHigher = asked.objective.direction === 'maximize'
  const values = Float64Array.from(ranked, ({ value }) => value).sort()
  const last = values.at(isHigher ? -asked.top : asked.top - 1) ?? (isHigher ? -Infinity : Infinity)
  return { counts, good: ranked.filter(({ value }) => (isHigher ? value >= last : value <= last)) }
}

/** Where a configuration stands. */
interface ValuedPlace {
  /** Of its trials in the study. */
  readonly positions: readonly number[]
  /** Its fingerprint; only where there are several markets. */
  readonly config?: string
  readonly value: number
}

interface Place extends Omit<ValuedPlace, 'value'> {
  readonly value: number | null
  readonly isInside: boolean
  /** Done on every market. */
  readonly isWhole: boolean
  readonly competes: boolean
}

function hasValue<T extends Place>(place: T): place is T & ValuedPlace {
  return place.value !== null
}

function placeConfigs(rows: readonly PlaceRow[], objective: Objective, markets: number): readonly Place[] {
  return [...Map.groupBy(rows, ({ config }) => config)].map(([config, ofConfig]) => {
    const done = ofConfig.filter(({ is_done }) => is_done === 1)
    const places = done.map(({ value, inside }) => ({ value, isInside: inside === 1 }))
    return {
      positions: ofConfig.map(({ position }) => position),
      ...(config === undefined ? {} : { config }),
      ...placeConfig(places, objective, markets),
      isWhole: done.length === markets,
      competes: ofConfig.some(({ is_chosen }) => is_chosen === 1),
    }
  })
}

/** Best first, with the fingerprints of their trials. */
function nameBest(
  { db }: Store,
  { study, fingerprint }: OnService,
  { good, objective }: { readonly good: readonly ValuedPlace[]; readonly objective: Objective },
): readonly ValuedStanding<string>[] {
  const positions = itemsOf<number>(JSON.stringify(good.flatMap((place) => place.positions)))
  const ofStudy = query
    .selectFrom('study_trial')
    .where('study', '=', study)
    .where('study_fingerprint', '=', fingerprint)
  const named = allRows(db, ofStudy.select(['position', 'fingerprint']).where('position', 'in', positions))
  const names = new Map(named.map((row) => [row.position, row.fingerprint]))
  return good
    .map(({ positions, config, value }) => {
      const trials = positions.toSorted((a, b) => a - b).flatMap((position) => names.get(position) ?? [])
      return { fingerprint: config ?? trials[0], value, trials }
    })
    .sort(bestFirst(objective))
}
