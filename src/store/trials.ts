/** Readers of trials: one trial on one service identity, with its outcome as far as it is known. */
import { columnsToConfig } from './columns.ts'
import type { TrialRecord, TrialState } from './records.ts'
import { flagsFromColumns, metricsFromColumns, parsed } from './results.ts'
import type { Store } from './store.ts'
import { identitiesOf } from './studies.ts'
import { allRows, query, type Tables } from './tables.ts'
import { msOf } from './times.ts'

/**
 * Trials of a study's current definition in grid order. `identity` defaults to the one the study was last run on; a study that was
 * never run has no trials here.
 */
export function listTrials(store: Store, options: { study: string; identity?: string }): readonly TrialRecord[] {
  const identity = options.identity ?? identitiesOf(store, options.study).at(0)
  if (identity === undefined) return []
  const ofStudy = query
    .selectFrom('studies as d')
    .innerJoin('study_trial as m', (join) =>
      join.onRef('m.study', '=', 'd.study').onRef('m.study_fingerprint', '=', 'd.fingerprint'),
    )
    .innerJoin('trial as t', 't.fingerprint', 'm.fingerprint')
    .leftJoin('outcomes as o', (join) =>
      join.onRef('o.fingerprint', '=', 'm.fingerprint').on('o.identity', '=', identity),
    )
    .leftJoin('result as r', 'r.job_id', 'o.job_row')
    .innerJoin('service as s', (join) => join.on('s.identity', '=', identity))
    .where('d.study', '=', options.study)
    .orderBy('m.position')
    .selectAll('r')
    .selectAll('t')
    .select([
      's.identity',
      's.simulated',
      'o.state',
      'o.job_id as remoteId',
      'o.submitted_at',
      'o.finished_at',
      'o.failure',
    ])
  return allRows(store.db, ofStudy).map(toRecord)
}

/** Trials whose fingerprint begins with `prefix` (hex digits), on every identity that has tried them, by fingerprint and identity. */
export function findTrialsByPrefix(store: Store, prefix: string): readonly TrialRecord[] {
  if (!/^[0-9a-f]+$/.test(prefix)) return []
  const tried = query
    .selectFrom('outcomes as o')
    .innerJoin('trial as t', 't.fingerprint', 'o.fingerprint')
    .innerJoin('service as s', 's.identity', 'o.identity')
    .leftJoin('result as r', 'r.job_id', 'o.job_row')
    .where('o.fingerprint', '>=', prefix)
    .where('o.fingerprint', '<', `${prefix}g`)
    .orderBy('o.fingerprint')
    .orderBy('o.identity')
    .selectAll('r')
    .selectAll('t')
    .select([
      's.identity',
      's.simulated',
      'o.state',
      'o.job_id as remoteId',
      'o.submitted_at',
      'o.finished_at',
      'o.failure',
    ])
  return allRows(store.db, tried).map(toRecord)
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

/** A left-joined result: all of it or, when `reply_id` is null, none. */
type JoinedRow = Nullable<Tables['result']> &
  Tables['trial'] & {
    readonly identity: string
    readonly simulated: number
    readonly state: string | null
    readonly remoteId: string | null
    readonly submitted_at: string | null
    readonly finished_at: string | null
    readonly failure: string | null
  }

function toRecord(row: JoinedRow): TrialRecord {
  const result = row.reply_id === null ? null : (row as Tables['result']) // its columns are all there when its key is
  return {
    fingerprint: row.fingerprint,
    identity: row.identity,
    simulated: row.simulated === 1,
    market: { exchange: row.exchange, baseAsset: row.base_asset, quoteAsset: row.quote_asset },
    period: { from: msOf(row.period_from), to: msOf(row.period_to) },
    config: columnsToConfig(row),
    state: (row.state ?? 'planned') as TrialState, // the view `outcomes` spells exactly these
    jobId: row.remoteId,
    submittedAt: row.submitted_at,
    finishedAt: row.finished_at,
    failure: row.failure,
    metrics: result === null ? null : metricsFromColumns(result),
    metricFlags: result === null ? {} : flagsFromColumns(result),
    deals: parsed(result?.deals_json ?? null),
    openDeal: parsed(result?.open_deal_json ?? null),
    candles: candlesOf(result),
    conventions: parsed(result?.conventions_json ?? null),
    costs:
      result === null || result.fee_percent === null || result.slippage_percent === null
        ? null
        : { feePercent: result.fee_percent, slippagePercent: result.slippage_percent },
  }
}

function candlesOf(result: Tables['result'] | null): TrialRecord['candles'] {
  if (result === null || result.candle_interval === null) return null
  return {
    interval: result.candle_interval,
    count: result.candle_count,
    missing: result.candles_missing,
    hash: result.candles_hash,
    synthetic: result.candles_synthetic === null ? null : result.candles_synthetic === 1,
  }
}

/** States of these trials on one identity, without their results. Trials never tried, or set free again, are absent. */
export function readOutcomes(
  store: Store,
  { identity, fingerprints }: { identity: string; fingerprints: ReadonlySet<string> },
): ReadonlyMap<string, TrialState> {
  const rows = allRows(
    store.db,
    query.selectFrom('outcomes').select(['fingerprint', 'state']).where('identity', '=', identity),
  )
  return new Map(
    rows
      .filter(({ fingerprint }) => fingerprints.has(fingerprint))
      .map(({ fingerprint, state }) => [fingerprint, state as TrialState]), // the view `outcomes` spells exactly these
  )
}
