/**
 * The order of a study's configurations by its objective, without reading their trials: of each comes its value and whether it is inside the
 * bounds; `workbench/study/config-ranking.ts` says what the order is, and a test holds the two against each other. Only those that are shown
 * are read whole.
 */

import { allRows, itemsOf } from '../../sqlite/statements.ts'
import { placeConfig, type ValuedStanding } from '../study/config-ranking.ts'
import { bestFirst } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import { type OnService, readCompetitionTerms } from './competition.ts'
import {
  countStated,
  findTrials,
  type PlaceCounts,
  type PlaceRow,
  type PlacesQuestion,
  readBestPlaces,
  readPlaces,
  readUsual,
  type StatedCount,
  type Trials,
} from './ranking-rows.ts'
import { listTrials } from './readers.ts'
import type { TrialRecord } from './records.ts'
import type { Store } from './store.ts'
import { chosenIdentity, keepCounts } from './study-counts.ts'
import { findStudy } from './study-records.ts'
import { query } from './tables.ts'

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
  readonly unranked: number
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
  unranked: 0,
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
    unranked: counts.competing - counts.valued,
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
