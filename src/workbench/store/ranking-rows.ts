/** What a ranking reads of every trial: few and short columns, because bringing ten thousand rows into the program is a third of the work. */
import { METRICS } from '../../contract/metrics.ts'
import { prepared } from '../../sqlite/statements.ts'
import type { StatedByResult } from '../study/settings.ts'
import type { Objective } from '../study/study.ts'
import type { OnService } from './competition.ts'
import { STATED, type StatedColumns, toSettings } from './settings.ts'
import { sqlMatches } from './settings-row.ts'
import type { Store } from './store.ts'
import { CHOSEN_OF_STUDY, isChosen } from './views/competing.ts'
import { attemptOfPlace, JOB_AND_RESULT } from './views/latest-attempt.ts'
import { ANY_REVISION, trialsOf, trialsView } from './views/trial-views.ts'

/** Every trial of a revision on a service with its result: SQL from `from` on, and what it is asked with. */
export interface Trials {
  readonly from: string
  readonly parameters: OnService & { readonly settings?: number | null }
}

const ANY_SETTINGS = `${trialsOf(ANY_REVISION)}
    where d.study = :study and d.fingerprint = :fingerprint and i.identity = :identity`

/** The same where the study asks for one settings, on all its markets: then a trial need not be looked up to know which. */
const ONE_SETTINGS = `from study_trial m
  left join attempt a on a.id = ${attemptOfPlace({ identity: ':identity', agrees: (found) => sqlMatches(':settings', found) })}
  ${JOB_AND_RESULT}
  where m.study = :study and m.study_fingerprint = :fingerprint`

export function findTrials(store: Store, about: OnService): Trials {
  const asked = readAsked(store, about)
  return asked.isOne
    ? { from: ONE_SETTINGS, parameters: { ...about, settings: asked.settings } }
    : { from: ANY_SETTINGS, parameters: about }
}

/** What a revision asks for on a service; null on one that is not ours. */
function readAsked(
  store: Store,
  about: OnService,
): { readonly isOne: true; readonly settings: number | null } | { readonly isOne: false } {
  const asked = prepared<[typeof about], number>(
    store.db,
    `select distinct w.settings_id from study_settings w join service s on s.identity = :identity and s.simulated = 1
     where w.study = :study and w.study_fingerprint = :fingerprint`,
  )
  const [settings = null, ...others] = asked.pluck().all(about)
  return others.length === 0 ? { isOne: true, settings } : { isOne: false }
}

export interface PlaceRow {
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
export function readUsual({ db }: Store, { from, parameters }: Trials): StatedColumns {
  const first = prepared<[object], StatedColumns>(db, `select ${STATED} ${from} and r.job_id is not null limit 1`)
  return first.get(parameters) ?? NOTHING_STATED
}

export interface PlacesQuestion {
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

export function readPlaces({ db }: Store, trials: Trials, question: PlacesQuestion): readonly PlaceRow[] {
  const { sql, parameters } = placesOf(trials, question)
  return prepared<[object], PlaceRow>(db, sql).all(parameters)
}

export interface PlaceCounts {
  readonly places: number
  readonly competing: number
  /** Of those that compete. */
  readonly valued: number
  readonly ranked: number
  readonly partial: number
  readonly usual: number
  readonly unusual: number
}

export interface BestPlaces {
  readonly counts: PlaceCounts
  /** As good as the last of the top, or better; in no order. */
  readonly best: readonly { readonly position: number; readonly value: number }[]
}

/** The same counted by SQLite, with the best alone, where every place is one trial's. */
export function readBestPlaces(
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

export type StatedCount = StatedByResult & { readonly count: number }

/** What the results state they were computed under, each different statement with the number of its results. */
export function countStated(
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
