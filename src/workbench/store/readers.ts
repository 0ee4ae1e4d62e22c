/** Readers: one function per question, answers as `records.ts` spells them. */
import { METRIC_NAMES, METRICS } from '../../contract/metrics.ts'
import type { Trial } from '../study/study.ts'
import { columnsToConfig } from './config-columns.ts'
import type { StudyRecord, TrialRecord, TrialState } from './records.ts'
import { flagsFromColumns, metricsFromColumns, parsed } from './results.ts'
import type { Store } from './store.ts'
import { allRows, firstRow, query, type Tables } from './tables.ts'
import { msOf } from './times.ts'

/** The current definition of a study. */
export function findStudy(store: Store, name: string): StudyRecord | undefined {
  return readStudies(store, name).at(0)
}

/** Every study in its current definition, latest first. */
export function listStudies(store: Store): StudyRecord[] {
  return readStudies(store, undefined)
}

function readStudies(store: Store, name: string | undefined): StudyRecord[] {
  const all = query.selectFrom('studies').select(['study', 'fingerprint', 'source', 'saved_at'])
  const wanted = name === undefined ? all : all.where('study', '=', name)
  return allRows(store.db, wanted.orderBy('saved_at', 'desc').orderBy('study')).map((row) => ({
    name: row.study,
    fingerprint: row.fingerprint,
    source: row.source,
    savedAt: row.saved_at,
    identities: identitiesOf(store, row.study),
  }))
}

/** Service identities a study was run on, latest first. */
function identitiesOf(store: Store, study: string): readonly string[] {
  const runs = query
    .selectFrom('study_run')
    .select(({ fn }) => ['identity', fn.max('id').as('last')])
    .where('study', '=', study)
    .groupBy('identity')
    .orderBy('last', 'desc')
  return allRows(store.db, runs).map(({ identity }) => identity)
}

/**
 * Trials of a study's current definition in grid order. `identity` defaults to the one the study was last run on; a study that was
 * never run has no trials here.
 */
export function listTrials(store: Store, options: { study: string; identity?: string }): TrialRecord[] {
  const identity = options.identity ?? identitiesOf(store, options.study).at(0)
  if (identity === undefined) return []
  const ofStudy = trialsOf(options.study, identity).selectAll('r').selectAll('t').select(OUTCOME_COLUMNS)
  return allRows(store.db, ofStudy).map(toRecord)
}

/** What a record says of a trial beside its plan (`t`) and its result (`r`). */
const OUTCOME_COLUMNS = [
  's.identity',
  's.simulated',
  'o.state',
  'o.job_id as remoteId',
  'o.submitted_at',
  'o.finished_at',
  'o.failure',
] as const

function trialsOf(study: string, identity: string) {
  return query
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
    .where('d.study', '=', study)
    .orderBy('m.position')
}

/** Trials whose fingerprint begins with `prefix` (hex digits), on every identity that has tried them, by fingerprint and identity. */
export function findTrialsByPrefix(store: Store, prefix: string): TrialRecord[] {
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
    .select(OUTCOME_COLUMNS)
  return allRows(store.db, tried).map(toRecord)
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

/** A left-joined result: all of it or, when `reply_id` is null, none. */
type JoinedRow = Nullable<Tables['result']> &
  Tables['trial'] & {
    readonly identity: string
    readonly simulated: number
    readonly state: TrialState | null
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
    ...plannedTrial(row),
    state: row.state ?? 'planned',
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

/** A trial by its whole fingerprint, as it was planned. */
export function findTrial(store: Store, fingerprint: string): Trial | undefined {
  const row = firstRow(store.db, query.selectFrom('trial').selectAll().where('fingerprint', '=', fingerprint))
  return row === undefined ? undefined : { fingerprint, ...plannedTrial(row) }
}

function plannedTrial(row: Tables['trial']): Omit<Trial, 'fingerprint'> {
  return {
    market: { exchange: row.exchange, baseAsset: row.base_asset, quoteAsset: row.quote_asset },
    period: { from: msOf(row.period_from), to: msOf(row.period_to) },
    config: columnsToConfig(row),
  }
}

export interface TrialStage {
  readonly state: TrialState
  /** The attempt that decided it; higher = later. */
  readonly attemptId: number
}

/** What became of these trials on one identity. Trials never tried, or set free again, are absent. */
export function readStages(
  store: Store,
  { identity, fingerprints }: { identity: string; fingerprints: readonly string[] },
): ReadonlyMap<string, TrialStage> {
  // All of the identity's and then a choice: one walk along an index, where asking for each would be a search per trial.
  const all = query
    .selectFrom('outcomes')
    .select(['fingerprint', 'state', 'attempt_id as attemptId'])
    .where('identity', '=', identity)
  const wanted = new Set(fingerprints)
  const found = allRows(store.db, all).filter(({ fingerprint }) => wanted.has(fingerprint))
  return new Map(found.map(({ fingerprint, state, attemptId }) => [fingerprint, { state, attemptId }]))
}

export type ScoredTrial = Pick<TrialRecord, 'fingerprint' | 'state' | 'config' | 'metrics'>

/** The same trials as `listTrials`, without deals and series: to count and rank thousands. `metrics.dailyEquity` is empty. */
export function listScores(store: Store, { study, identity }: { study: string; identity: string }): ScoredTrial[] {
  const metricColumns = METRIC_NAMES.map((name) => `r.${METRICS[name].column}` as const)
  const scores = trialsOf(study, identity)
    .selectAll('t')
    .select(['o.state', 'r.reply_id', 'r.confidence', 'r.metric_flags_json', ...metricColumns])
  return allRows(store.db, scores).map((row) => ({
    fingerprint: row.fingerprint,
    state: row.state ?? 'planned',
    config: columnsToConfig(row),
    metrics: row.reply_id === null ? null : metricsFromColumns({ ...noSeries, ...row }),
  }))
}

const noSeries = { safety_orders_histogram_json: null, monthly_returns_json: null, daily_equity_json: null }
