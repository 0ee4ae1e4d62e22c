/** Who competes in the ranking of a study on a service, as the store knows it. */

import { isMetricName, METRICS } from '../../contract/metrics.ts'
import { prepared } from '../../sqlite/statements.ts'
import type { Competition } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import type { Store } from './store.ts'
import { COMPETITION_TERMS, FATE_COLUMNS, isChosen } from './views/latest-attempt.ts'
import { onSeveralMarkets, rankingOf } from './views/result-views.ts'

/** A definition of a study on a service. */
export interface OnService {
  readonly study: string
  readonly fingerprint: string
  readonly identity: string
}

/** How a definition ranks: `objective` as JSON, as it is kept. */
interface RankingTerms {
  readonly markets: number
  readonly isScreen: boolean
  readonly objective: string
}

interface TermsRow extends Pick<RankingTerms, 'markets' | 'objective'> {
  readonly is_screen: number
}

export function readCompetitionTerms({ db }: Store, { study, fingerprint }: Omit<OnService, 'identity'>): RankingTerms {
  const row = prepared<[string, string], TermsRow>(
    db,
    `select ${COMPETITION_TERMS}, coalesce(definition_json -> '$.objective', '{}') as objective
     from study where name = ? and fingerprint = ?`,
  ).get(study, fingerprint)
  return { markets: row?.markets ?? 1, isScreen: row?.is_screen === 1, objective: row?.objective ?? '{}' }
}

/** Every trial of a revision on a service with its result: SQL from `from` on, and what it is asked with. */
export interface Trials {
  readonly from: string
  readonly parameters: OnService & { readonly settings?: number | null }
}

const IS_DONE = `${FATE_COLUMNS.state.sql} = 'done'`

/** For a statement over `study_trial m` that is asked about an `OnService`. */
const CHOSEN_OF_STUDY = {
  study: ':study',
  definition: ':fingerprint',
  identity: ':identity',
  trial: 'm.fingerprint',
}

/**
 * SQL for every trial with its place, as the view `answers` computes it of all studies, with what a reader counts: `is_done`, `competes`, `config`.
 * Here the metrics are named, which is faster than asking every row which one is meant.
 */
export function placesOf(
  { from, parameters }: Trials,
  { markets, isScreen, objective }: RankingTerms,
): { readonly parts: string; readonly places: string; readonly parameters: object } {
  // An older program may have kept it another way, and another store anything: what is no objective has no value, as in the view.
  const stated: Partial<Objective> = JSON.parse(objective) ?? {}
  const where = Array.isArray(stated.where) ? stated.where : []
  const inside = where.map(({ metric }, n) => `coalesce(${columnOf(metric)} between :min${n} and :max${n}, 0)`)
  const bounds = where.flatMap(({ bounds }, n) => [
    [`min${n}`, numberOr(bounds?.min, -Infinity)],
    [`max${n}`, numberOr(bounds?.max, Infinity)],
  ])
  const value = columnOf(stated.metric)
  const isHighest = stated.direction === 'maximize'
  const competes = isScreen ? isChosen(CHOSEN_OF_STUDY) : '1'
  const own = `m.fingerprint, m.position, a.id as attempt_id, r.job_id as result_id, r.net_profit, ${IS_DONE} as is_done, ${competes} as competes,
      case when ${IS_DONE} then ${value} end as objective, ${[IS_DONE, `${value} is not null`, competes, ...inside].join(' and ')} as inside`
  const asked = { ...parameters, ...Object.fromEntries(bounds) }
  if (markets === 1) {
    // No two rows have the same fingerprint, so the view's dense_rank is their number, which is counted in less time.
    const first = `inside desc, ${isHighest ? '-' : ''}objective, fingerprint`
    const places = `(select *, case when inside then row_number() over (order by ${first}) end as rank from on_one)`
    return { parts: `on_one as (select ${own}, null as config, null as value ${from})`, places, parameters: asked }
  }
  const config = '(select c.config_fingerprint from trial c where c.fingerprint = m.fingerprint) as config'
  return {
    parts: `on_several as (select m.study, null as revision, :identity as identity, ${own}, '${isHighest ? 'maximize' : 'minimize'}' as direction,
      :markets as markets, :across as across, ${config} ${from})`,
    places: rankingOf(onSeveralMarkets(', is_done, competes')),
    parameters: { ...asked, markets, across: String(stated.across ?? 'median') },
  }
}

function columnOf(metric: unknown): string {
  return typeof metric === 'string' && isMetricName(metric) ? `r.${METRICS[metric].column}` : 'null'
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

export function readCompetition(store: Store, about: OnService): Competition {
  const { markets, isScreen } = readCompetitionTerms(store, about)
  if (!isScreen) return { markets, chosen: null }
  const chosen = prepared<[object], string>(
    store.db,
    `select m.fingerprint from study_trial m where m.study = :study and m.study_fingerprint = :fingerprint
     and ${isChosen(CHOSEN_OF_STUDY)}`,
  ).pluck()
  return { markets, chosen: new Set(chosen.all(about)) }
}
