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
import type { Store } from './store.ts'
import { findStudy } from './study-records.ts'
import { prepared } from './tables.ts'
import { trialsOfRevision, trialsView } from './views/trial-views.ts'

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
  const { sql, bounds } = placesOf(objective)
  const rows = prepared<unknown[], Place>(store.db, sql).all(...bounds, record.name, record.fingerprint, identity, top)
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

/** One of the best, or, without a fingerprint, how many share a place, a state and what they state. */
interface Place extends StatedColumns {
  readonly fingerprint: string | null
  readonly place: 'ranked' | 'outside' | 'unranked'
  readonly is_done: number
  readonly count: number
}

/** The study's trials are walked once; what is asked of them is asked of the short table that comes of it. */
function placesOf({ metric, direction, where }: Objective): {
  readonly sql: string
  readonly bounds: readonly number[]
} {
  const value = `r.${METRICS[metric].column}`
  const inside = where.map(({ metric: bound }) => `r.${METRICS[bound].column} between ? and ?`)
  const sql = `with scored as materialized (
    select m.fingerprint, ${value} as value, ${trialsView.columns.state.sql} = 'done' as is_done,
      case when ${value} is null then 'unranked' when ${[...inside, '1'].join(' and ')} then 'ranked' else 'outside' end as place,
      ${STATED}
    ${trialsOfRevision})
  select * from (
    select fingerprint, place, is_done, 1 as count, null as conventions_json, null as fee_percent, null as slippage_percent, null as candle_interval
    from scored where place = 'ranked' order by value ${direction === 'maximize' ? 'desc' : 'asc'}, fingerprint limit ?)
  union all
  select null, place, is_done, count(*), conventions_json, fee_percent, slippage_percent, candle_interval
  from scored group by place, is_done, conventions_json, fee_percent, slippage_percent, candle_interval`
  const bounds = where.flatMap(({ bounds: { min = -Infinity, max = Infinity } }) => [min, max])
  return { sql, bounds }
}
