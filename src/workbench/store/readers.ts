/** Readers: one function per question, answers as `records.ts` spells them. */
import { type Market, marketName } from '../../contract/market.ts'
import { METRICS, type MetricRow } from '../../contract/metrics.ts'
import { firstRow, prepared } from '../../sqlite/statements.ts'
import type { Settings } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import type { TrialRecord, TrialState, WholeTrial } from './records.ts'
import { flagsFromColumns, metricsFromColumns, openDealFromColumns, parsedAsBefore, readDeals } from './results.ts'
import { listRevised } from './revised-results.ts'
import { type StagesQuestion, TRIED, triedParameters } from './settings.ts'
import { costsFromColumns } from './settings-row.ts'
import type { Store } from './store.ts'
import { chosenIdentity } from './study-counts.ts'
import { findStudy } from './study-records.ts'
import { columnsToConfig, msOf, query, type RowOf } from './tables.ts'
import { FATE_COLUMNS, JOB_AND_RESULT, latestAttempts } from './views/latest-attempt.ts'
import { ANY_REVISION, trialsOf, trialsView } from './views/trial-views.ts'

/** Of one revision on one service. */
const trialsOfRevision = `${trialsOf(ANY_REVISION)}
  where d.study = ? and d.fingerprint = ? and i.identity = ?`

/**
 * Trials of a study in grid order, or those of them that are named: of its current definition, or of the revision that `study` names.
 * `identity` defaults to the one that `chooseService` says; a study that was never run has no trials here. Daily equity is most of what there is to
 * read: `isEquityLater` reads it of a trial when it is asked for, for who looks at that of few while the store is open.
 */
export function listTrials(
  store: Store,
  {
    study,
    fingerprints,
    isEquityLater = false,
    ...options
  }: { study: string; identity?: string; fingerprints?: readonly string[]; isEquityLater?: boolean },
): TrialRecord[] {
  const record = findStudy(store, study)
  if (record === undefined) return []
  const identity = options.identity ?? chosenIdentity(store, record)
  if (identity === undefined) return []
  const wanted = fingerprints === undefined ? [] : [JSON.stringify(fingerprints)]
  // Those that are named are looked up one by one: the plus keeps SQLite from walking all of them in order.
  const among =
    fingerprints === undefined
      ? 'order by m.position'
      : 'and m.fingerprint in (select value from json_each(?)) order by +m.position'
  const columns = isEquityLater ? RECORD_COLUMNS.replace('r.daily_equity', 'null as daily_equity') : RECORD_COLUMNS
  const rows = prepared<string[], RecordRow>(store.db, `select ${columns} ${trialsOfRevision} ${among}`)
  // One by one: all rows of 10,000 trials at once are 50 MB more to hold and to collect.
  return Array.from(rows.iterate(record.name, record.fingerprint, identity, ...wanted), (row) => {
    const { job_row } = row // what is kept of a row to ask later
    return toRecord(row, isEquityLater ? () => equityOfJob(store, job_row) : undefined)
  })
}

const OF_VIEW = Object.entries(trialsView.columns).filter(
  ([name]) =>
    ![
      'trial',
      'study',
      'revision',
      'service',
      'is_current',
      'position',
      'roles',
      'market',
      'config_fingerprint',
    ].includes(name),
)

const OF_RESULT = [
  ...Object.values<MetricRow>(METRICS).map(({ column }) => column),
  ...['sample_size', 'metric_flags_json', 'safety_orders_histogram_json', 'monthly_returns_json', 'daily_equity_json'],
  ...['conventions_json', 'fee_percent', 'slippage_percent', 'candle_interval', 'candle_count', 'candles_missing'],
  ...['candles_hash', 'candles_synthetic', 'symbol_json', 'reply_id', 'deals_reported'],
]

/** What a record says, as the view `trials` computes it, and its result. */
const RECORD_COLUMNS = [
  ...OF_VIEW.map(([name, { sql }]) => `${sql} as ${name}`),
  ...OF_RESULT.map((name) => `r.${name}`),
  'j.id as job_row',
].join(', ')

/** A whole trial says more. */
const WHOLE_COLUMNS = `${RECORD_COLUMNS}, r.open_deal_json, r.engine_version, r.pruned_at`

function equityOfJob({ db }: Store, job: number | null): string | null {
  const [text] = prepared<[number | null], string | null>(db, 'select daily_equity_json from result where job_id = ?')
    .pluck()
    .all(job)
  return text ?? null
}

/** Without position and definition: a trial on every service and under every settings that it was tried with. */
const triedTrials = `select ${WHOLE_COLUMNS}
  from trial t join service s
  join attempt a on a.id in ${latestAttempts({ identity: 's.identity', fingerprint: 't.fingerprint' })}
  ${JOB_AND_RESULT}
  where t.fingerprint = ?
  order by s.identity, a.id desc`

/** A trial by its whole fingerprint, on every identity that has tried it, by identity; of several settings the latest first. */
export function readTried(store: Store, fingerprint: string): WholeTrial[] {
  const rows = prepared<[string], WholeRow>(store.db, triedTrials).all(fingerprint)
  return rows.map((row) => ({
    ...toRecord(row),
    deals:
      row.job_row === null || row.deals_reported !== 1 || row.pruned_at !== null
        ? null
        : readDeals(store.db, row.job_row),
    openDeal: openDealFromColumns(row),
    engineVersion: row.engine_version,
    prunedAt: row.pruned_at,
    revised: row.job_row === null ? [] : listRevised(store.db, row.job_row),
  }))
}

/** A record with its deals. */
export function readWhole(store: Store, record: TrialRecord): WholeTrial {
  const whole = readTried(store, record.fingerprint).find(
    ({ identity, settings }) => identity === record.identity && settings === record.settings,
  )
  return whole ?? { ...record, deals: null, openDeal: null, engineVersion: null, prunedAt: null, revised: [] }
}

const recordsOfAttempts = `select ${RECORD_COLUMNS}
  from json_each(?) f join attempt a on a.id = f.value
  join trial t on t.fingerprint = a.fingerprint
  join service s on s.identity = a.identity
  ${JOB_AND_RESULT}`

/** What these attempts came to, by trial. */
export function readOfAttempts(store: Store, ids: readonly number[]): ReadonlyMap<string, TrialRecord> {
  const rows = prepared<[string], RecordRow>(store.db, recordsOfAttempts).all(JSON.stringify(ids))
  return new Map(rows.map((row) => [row.fingerprint, toRecord(row)]))
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

type WholeColumn = 'open_deal_json' | 'engine_version' | 'pruned_at'

/** A left-joined result: all of it or, when `reply_id` is null, none. */
type WholeRow = Nullable<Omit<RowOf<'result'>, 'behaviour_hash' | 'cost_sensitivity_json'>> &
  Omit<RowOf<'trial'>, 'market' | 'config_fingerprint'> & {
    readonly identity: string
    readonly simulated: number
    readonly state: TrialState
    readonly job_row: number | null
    readonly job_id: string | null
    readonly settings: string | null
    readonly submitted_at: string | null
    readonly finished_at: string | null
    readonly failure: string | null
  }

type RecordRow = Omit<WholeRow, WholeColumn>
type ResultRow = Omit<RowOf<'result'>, WholeColumn | 'behaviour_hash' | 'cost_sensitivity_json'>

const conventionsOf = parsedAsBefore<NonNullable<TrialRecord['conventions']>>()

const symbolOf = parsedAsBefore<NonNullable<TrialRecord['symbol']>>()

function toRecord(row: RecordRow, readEquity?: () => string | null): TrialRecord {
  const result = row.reply_id === null ? null : (row as unknown as ResultRow) // its columns are all there when its key is
  return {
    fingerprint: row.fingerprint,
    identity: row.identity,
    simulated: row.simulated === 1,
    settings: row.settings,
    ...plannedTrial(row),
    state: row.state,
    jobId: row.job_id,
    submittedAt: row.submitted_at,
    finishedAt: row.finished_at,
    failure: row.failure,
    metrics: result === null ? null : metricsFromColumns(result, readEquity),
    metricFlags: result === null ? {} : flagsFromColumns(result),
    candles: candlesOf(result),
    conventions: conventionsOf(result?.conventions_json ?? null),
    costs: result === null ? null : costsFromColumns(result),
    symbol: symbolOf(result?.symbol_json ?? null),
  }
}

function candlesOf(result: ResultRow | null): TrialRecord['candles'] {
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

function plannedTrial(row: Omit<RowOf<'trial'>, 'market' | 'config_fingerprint'>): Omit<Trial, 'fingerprint'> {
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
  /** The service took no job for it: nothing was computed. */
  readonly isRejected: boolean
}

/**
 * What became of these trials on one identity, under settings that agree with those given. Trials never tried, or set free again, are
 * absent.
 */
export function readStages(store: Store, question: StagesQuestion): ReadonlyMap<string, TrialStage> {
  const stages = prepared<[object], { fingerprint: string; state: TrialState; attemptId: number; rejected: number }>(
    store.db,
    `select f.value as fingerprint, ${FATE_COLUMNS.state.sql} as state, a.id as attemptId, a.state = 'rejected' as rejected ${TRIED}`,
  )
  const rows = stages.all(triedParameters(store, question))
  return new Map(
    rows.map(({ fingerprint, state, attemptId, rejected }) => [
      fingerprint,
      { state, attemptId, isRejected: rejected === 1 },
    ]),
  )
}

/** The same of trials on several markets, each under the settings that are asked for there; null = any, on every market. */
export function readStagesByMarket(
  store: Store,
  { identity, trials, settingsOn }: MarketStagesQuestion,
): ReadonlyMap<string, TrialStage> {
  return new Map(
    [...Map.groupBy(trials, ({ market }) => marketName(market)).values()].flatMap((ofMarket) => {
      const fingerprints = ofMarket.map(({ fingerprint }) => fingerprint)
      return [...readStages(store, { identity, fingerprints, settings: settingsOn(ofMarket[0].market) })]
    }),
  )
}

export interface MarketStagesQuestion {
  readonly identity: string
  readonly trials: readonly Pick<Trial, 'market' | 'fingerprint'>[]
  readonly settingsOn: (market: Market) => Settings | null
}

/** Trials of a study, on every service, whose result can be read and lacks a stress test. A run without used capital has none, and is listed again. */
export function listUnstressed(
  { db }: Store,
  study: string,
): readonly { readonly jobId: number; readonly trial: TrialRecord }[] {
  const rows = prepared<[string], { jobId: number; attemptId: number }>(
    db,
    `select j.id as jobId, j.attempt_id as attemptId from study_trial m join job j on j.fingerprint = m.fingerprint
     join result r on r.job_id = j.id
     where m.study = ? and j.attempt_id is not null and r.stressed_per_used_percent is null and r.net_profit is not null`,
  ).all(study)
  return rows.flatMap(({ jobId, attemptId }) => {
    const [row] = prepared<[string], RecordRow>(db, recordsOfAttempts).all(JSON.stringify([attemptId]))
    return row === undefined ? [] : [{ jobId, trial: toRecord(row) }]
  })
}

/** A period of a market that results of a study rest on. */
interface ResultPeriod {
  /** exchange/BASE-QUOTE. */
  readonly market: string
  /** ISO 8601 UTC. */
  readonly period_from: string
  readonly period_to: string
  readonly candle_interval: string | null
}

/** Those whose first or last day is not kept; of our own service also those whose candles are others than any that were read. */
export function listPeriodsWithoutDays({ db }: Store, study: string): readonly ResultPeriod[] {
  return prepared<[string], ResultPeriod>(
    db,
    `with span as (
       select distinct t.market, t.period_from, t.period_to, r.candle_interval, case s.simulated when 1 then r.candles_hash end as hash
       from study_trial m join trial t on t.fingerprint = m.fingerprint join job j on j.fingerprint = m.fingerprint
       join result r on r.job_id = j.id join service s on s.identity = j.identity where m.study = ?),
     kept as (select p.*, (select count(*) from market_day d where d.market = p.market
         and d.date in (date(p.period_from), date(p.period_to, '-1 second'))) as ends,
       hash is null or exists (select 1 from market_day d where d.market = p.market and d.candles_hash = p.hash) as is_same
       from span p)
     select distinct market, period_from, period_to, candle_interval from kept
     where not is_same or ends < 1 + (date(period_from) < date(period_to, '-1 second'))`,
  ).all(study)
}
