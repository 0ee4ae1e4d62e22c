/**
 * The order of a study's trials by its objective, in SQL: `workbench/study/objective.ts` says what the order is, and a test holds the two
 * against each other. Only the trials that are shown are read whole, so that ten thousand are ranked as fast as ten.
 */
import { METRICS } from '../../contract/metrics.ts'
import type { StatedByResult } from '../study/settings.ts'
import type { Objective } from '../study/study.ts'
import { listTrials } from './readers.ts'
import type { TrialRecord } from './records.ts'
import { STATED, type StatedColumns, toSettings } from './settings.ts'
import { sqlMatches } from './settings-row.ts'
import type { Store } from './store.ts'
import { findStudy } from './study-records.ts'
import { prepared } from './tables.ts'
import { JOB_AND_RESULT, latestAttempt } from './views/latest-attempt.ts'
import { ANY_REVISION, trialsOf, trialsView } from './views/trial-views.ts'

export interface RankingQuestion {
  /** Its current definition, or the revision that the text names. */
  readonly study: string
  /** Default: the one the study was last run on. */
  readonly identity?: string
  readonly objective: Objective
  readonly top: number
}

export interface StoredRanking {
  /** The best inside the objective's bounds, best first; ties by lower fingerprint. */
  readonly top: readonly TrialRecord[]
  /** How many are inside the bounds, outside of some, and without a value of the objective. */
  readonly ranked: number
  readonly outside: number
  readonly unranked: number
  /** What the results state they were computed under, each different statement with the number of its results. */
  readonly stated: readonly (StatedByResult & { readonly count: number })[]
}

export function rankStored(store: Store, { study, objective, top, ...question }: RankingQuestion): StoredRanking {
  const record = findStudy(store, study)
  const identity = question.identity ?? record?.identities.at(0)
  const counts = { ranked: 0, outside: 0, unranked: 0 }
  if (record === undefined || identity === undefined) return { top: [], ...counts, stated: [] }
  const about = { study: record.name, fingerprint: record.fingerprint, identity }
  const { sql, bounds } = placesOf(objective)
  const asked = readAsked(store, about)
  const rows = asked.isOne
    ? prepared<[object], Place>(store.db, sql(ONE_SETTINGS)).all({ ...bounds, ...about, top, settings: asked.settings })
    : prepared<[object], Place>(store.db, sql(ANY_SETTINGS)).all({ ...bounds, ...about, top })
  const fingerprints = rows.flatMap(({ fingerprint }) => (fingerprint === null ? [] : [fingerprint]))
  const groups = rows.filter(({ fingerprint }) => fingerprint === null)
  for (const { place, count } of groups) counts[place] += count
  const known = new Map(
    listTrials(store, { study, identity, fingerprints }).map((record) => [record.fingerprint, record]),
  )
  return {
    top: fingerprints.flatMap((fingerprint) => known.get(fingerprint) ?? []),
    ...counts,
    stated: groups
      .filter(({ is_done }) => is_done === 1)
      .map((group) => ({ ...toSettings(group), count: group.count })),
  }
}

const ANY_SETTINGS = `${trialsOf({ definitions: ANY_REVISION })}
    where d.study = :study and d.fingerprint = :fingerprint and i.identity = :identity`

/** The same where the study asks for one settings, on all its markets: then a trial need not be looked up to know which. */
const ONE_SETTINGS = `from study_trial m
  left join attempt a on a.id = ${latestAttempt({ identity: ':identity', fingerprint: 'm.fingerprint', agrees: (found) => sqlMatches(':settings', found) })}
  ${JOB_AND_RESULT}
  where m.study = :study and m.study_fingerprint = :fingerprint`

/** What a revision asks for on a service; null on one that is not ours. */
function readAsked(
  store: Store,
  about: { readonly study: string; readonly fingerprint: string; readonly identity: string },
): { readonly isOne: true; readonly settings: number | null } | { readonly isOne: false } {
  const asked = prepared<[typeof about], number>(
    store.db,
    `select distinct w.settings_id from study_settings w join service s on s.identity = :identity and s.simulated = 1
     where w.study = :study and w.study_fingerprint = :fingerprint`,
  )
  const [settings = null, ...others] = asked.pluck().all(about)
  return others.length === 0 ? { isOne: true, settings } : { isOne: false }
}

/** One of the best, or, without a fingerprint, how many share a place, a state and what they state. */
interface Place extends StatedColumns {
  readonly fingerprint: string | null
  readonly place: 'ranked' | 'outside' | 'unranked'
  readonly is_done: number
  readonly count: number
}

/** The study's trials are walked once; what is asked of them is asked of the short table that comes of it. */
function placesOf({ metric, direction, where }: Objective): {
  readonly sql: (from: string) => string
  readonly bounds: Readonly<Record<string, number>>
} {
  const value = `r.${METRICS[metric].column}`
  const inside = where.map(({ metric: bound }, n) => `r.${METRICS[bound].column} between :min${n} and :max${n}`)
  const sql = (from: string) => `with scored as materialized (
    select m.fingerprint, ${value} as value, ${trialsView.columns.state.sql} = 'done' as is_done,
      case when ${value} is null then 'unranked' when ${[...inside, '1'].join(' and ')} then 'ranked' else 'outside' end as place,
      ${STATED}
    ${from})
  select * from (
    select fingerprint, place, is_done, 1 as count, null as conventions_json, null as fee_percent, null as slippage_percent, null as candle_interval
    from scored where place = 'ranked' order by value ${direction === 'maximize' ? 'desc' : 'asc'}, fingerprint limit :top)
  union all
  select null, place, is_done, count(*), conventions_json, fee_percent, slippage_percent, candle_interval
  from scored group by place, is_done, conventions_json, fee_percent, slippage_percent, candle_interval`
  const bounds = where.flatMap(({ bounds: { min = -Infinity, max = Infinity } }, n) => [
    [`min${n}`, min],
    [`max${n}`, max],
  ])
  return { sql, bounds: Object.fromEntries(bounds) }
}
