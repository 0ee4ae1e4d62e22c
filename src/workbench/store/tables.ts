/**
 * The types of tables, and the query builder for them. Kysely only writes the SQL: statements run synchronously on
 * better-sqlite3, so that nothing else can happen between a read and the decision that depends on it.
 */
import type Database from 'better-sqlite3'
import {
  type Compilable,
  DummyDriver,
  type Generated,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { DealBody } from '../../contract/bodies.ts'
import type { METRICS } from '../../contract/metrics.ts'
import type { ProposalRole } from '../study/proposals.ts'
import type { ConfigColumns } from './config-columns.ts'
import type { TrialState } from './records.ts'
import type { SettingsColumns } from './settings-row.ts'
import type { AttemptState, JobState } from './states.ts'

type MetricColumns = { readonly [Name in keyof typeof METRICS as (typeof METRICS)[Name]['column']]: number | null }

interface TrialColumns extends ConfigColumns {
  market: string
  exchange: string
  base_asset: string
  quote_asset: string
  period_from: string
  period_to: string
}

export interface ResultColumns {
  confidence: string | null
  metric_flags_json: string
  safety_orders_histogram_json: string | null
  monthly_returns_json: string | null
  daily_equity_json: string | null
  deals_told: number
  open_deal_json: string | null
  conventions_json: string | null
  fee_percent: number | null
  slippage_percent: number | null
  symbol_json: string | null
  candle_interval: string | null
  candle_count: number | null
  candles_missing: number | null
  candles_hash: string | null
  candles_synthetic: number | null
  engine_version: string | null
  behaviour_hash: string | null
}

/** What a result row has beside what is derived from its reply. */
interface ResultKeys {
  job_id: number
  reply_id: number
  pruned_at: string | null
}

export interface Tables {
  service: { identity: string; simulated: number; origin: string; first_seen_at: string }
  settings: SettingsColumns & { id: Generated<number>; hash: string }
  study: {
    name: string
    fingerprint: string
    number: number
    source: string
    definition_json: string
    first_saved_at: string
    saved_at: string
    rerun_json: string | null
  }
  study_settings: { study: string; study_fingerprint: string; market: string; settings_id: number }
  trial: TrialColumns & { fingerprint: string; config_fingerprint: string }
  study_trial: { study: string; study_fingerprint: string; position: number; fingerprint: string }
  study_count: {
    study: string
    study_fingerprint: string
    identity: string
    state: TrialState
    trials: number
    last_finished_at: string | null
  }
  study_run: {
    id: Generated<number>
    study: string
    study_fingerprint: string
    identity: string
    started_at: string
    ended_at: string | null
    requests: Generated<number>
    stopped_by: string | null
  }
  proposal: {
    study: string
    study_fingerprint: string
    identity: string
    account: string
    position: number
    batch: number
    role: ProposalRole
    reason: string
    fingerprint: string
    proposed_at: string
  }
  search_memory: {
    study: string
    study_fingerprint: string
    identity: string
    account: string
    name: string
    value_json: string
    written_at: string
  }
  holdout_opening: {
    study: string
    study_fingerprint: string
    identity: string
    account: string
    span_from: string
    span_to: string
    opened_at: string
    opened_by: string
    reason: string
    seen_configs: number
    completed_at: string | null
  }
  attempt: {
    id: Generated<number>
    identity: string
    account: string
    study: string
    fingerprint: string
    number: number
    name: string
    state: AttemptState
    opened_at: string
    unsure_since: string | null
    counted_at: string | null
    settled_at: string | null
    reply_status: number | null
    reply_code: string | null
    reply_text: string | null
    reason: string | null
    settings_id: number | null
    study_run_id: number | null
  }
  job: {
    id: Generated<number>
    identity: string
    remote_id: string
    fingerprint: string
    attempt_id: number
    duplicate: Generated<number>
    name: string | null
    state: JobState
    remote_state: string | null
    submitted_at: string
    finished_at: string | null
    last_seen_at: string | null
    missing_since: string | null
    deleted_at: string | null
    failure: string | null
  }
  result: MetricColumns & ResultColumns & ResultKeys
  deal: {
    job_id: number
    n: number
    opened_ms: number
    closed_ms: number
    exit: DealBody['exit']
    safety_orders: number
    quantity: number
    cost: number
    proceeds: number
    profit: number
    price: number
    lowest_value: number | null
  }
  reply: {
    id: Generated<number>
    job_id: number
    sha256: string
    body: Uint8Array | null
    final: number
    received_at: string
    pruned_at: string | null
  }
  service_reply: {
    identity: string
    endpoint: string
    object: string
    status: number
    received_at: string
    bytes: number
    body: Uint8Array | null
  }
  foreign_job: { identity: string; account: string; remote_id: string; name: string | null; counted_at: string }
  request: {
    id: Generated<number>
    rate_key: string
    started_ms: number
    finished_ms: number | null
    owner: string | null
  }
  study_archive: { name: string; archived_at: string }
  tag: { fingerprint: string; tag: string; added_at: string }
  note: { id: Generated<number>; fingerprint: string; note: string; added_at: string }
  screen: { id: Generated<number>; study: string }
}

/** Builds queries; `allRows` and `firstRow` run them. */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** Attempts that are not settled, spelled as their index spells them, or SQLite would not use it. */
export const IS_OPEN = sql<boolean>`state in ('intent', 'ambiguous', 'parked')`

export function allRows<Row>(db: Database.Database, built: Compilable<Row>): Row[] {
  const { sql: text, parameters } = built.compile()
  return prepared<unknown[], Row>(db, text).all(...parameters)
}

export function firstRow<Row>(db: Database.Database, built: Compilable<Row>): Row | undefined {
  const { sql: text, parameters } = built.compile()
  return prepared<unknown[], Row>(db, text).get(...parameters)
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>()

/** A statement, prepared once per connection: a run uses the same few statements at every step. */
export function prepared<Parameters extends unknown[], Row>(
  db: Database.Database,
  sql: string,
): Database.Statement<Parameters, Row> {
  const known = statements.get(db) ?? new Map<string, Database.Statement>()
  statements.set(db, known)
  const statement = known.get(sql) ?? db.prepare(sql)
  known.set(sql, statement)
  return statement as Database.Statement<Parameters, Row> // the SQL text decides its parameters and rows
}
