/**
 * The views: what analysts are promised. Tables have a history, views have a present: they are rebuilt at open whenever
 * their text has changed. Only features of SQLite 3.40 and older, so that any client can read the file.
 */
import type Database from 'better-sqlite3'
import { METRICS } from '../../contract/metrics.ts'
import { CONFIG_COLUMNS } from './columns.ts'

const configColumns = list('t', Object.values(CONFIG_COLUMNS))
const metricColumns = list(
  'r',
  Object.values(METRICS).map(({ column }) => column),
)
const restOfResult = list('r', [
  'confidence',
  'metric_flags_json',
  'safety_orders_histogram_json',
  'monthly_returns_json',
  'daily_equity_json',
  'deals_json',
  'open_deal_json',
  'conventions_json',
  'fee_percent',
  'slippage_percent',
  'candle_interval',
  'candle_count',
  'candles_missing',
  'candles_hash',
  'candles_synthetic',
  'engine_version',
])

/** In the order in which they are made: later ones may read earlier ones. */
export const VIEWS: Readonly<Record<string, string>> = {
  studies: `create view studies as
  -- One row per study name, in its current definition. known_trials: trials of it that some service has finished.
  select name as study, fingerprint, saved_at,
    (select count(*) from study_trial m where m.study = s.name and m.study_fingerprint = s.fingerprint) as trial_count,
    (select count(distinct j.fingerprint) from job j join study_trial m on m.fingerprint = j.fingerprint
      where m.study = s.name and m.study_fingerprint = s.fingerprint and j.state = 'done') as known_trials,
    definition_json, source
  from study s
  where s.fingerprint = (select l.fingerprint from study l where l.name = s.name order by l.saved_at desc, l.fingerprint limit 1)`,

  runs: `create view runs as
  -- One row per backtest job of a service: what was asked (times UTC, period_from <= open time < period_to), its state and
  -- every metric. Amounts in quote, percentages as percent. simulated = 1: our embedded service, not a real one.
  -- study is the study that paid for it. duplicate = 1: a second job of the same request, to be left out of counts.
  select j.identity, s.simulated, a.study, j.fingerprint, substr(j.fingerprint, 1, 12) as trial,
    j.remote_id as job_id, coalesce(j.name, a.name) as job_name, j.state, j.remote_state, j.failure, j.duplicate,
    j.submitted_at, j.finished_at,
    t.market, t.exchange, t.base_asset, t.quote_asset, t.period_from, t.period_to,
    ${configColumns},
    ${metricColumns},
    ${restOfResult}
  from job j
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity
  left join result r on r.job_id = j.id`,

  outcomes: `create view outcomes as
  -- One row per trial and service identity that was ever tried and not set free again: what became of it.
  select a.identity, a.fingerprint, a.id as attempt_id, j.id as job_row,
    case a.state when 'intent' then 'submitting' when 'ambiguous' then 'unknown' when 'parked' then 'parked'
      when 'rejected' then 'failed' else coalesce(j.state, 'unknown') end as state,
    j.remote_id as job_id, coalesce(j.submitted_at, a.opened_at) as submitted_at,
    coalesce(j.finished_at, case when a.state = 'rejected' then a.settled_at end) as finished_at,
    case when a.state = 'rejected' then a.reason else j.failure end as failure
  from attempt a
  left join job j on j.attempt_id = a.id and j.duplicate = 0
  where a.id = (select max(l.id) from attempt l where l.identity = a.identity and l.fingerprint = a.fingerprint
    and l.state not in ('released', 'absent'))`,

  trials: `create view trials as
  -- One row per trial of a study's current definition and service identity the study was run on; position is the grid order.
  -- state: planned, submitting, unknown, running, done, failed, stalled, gone or parked.
  select d.study, m.position, i.identity, s.simulated, m.fingerprint, substr(m.fingerprint, 1, 12) as trial,
    coalesce(o.state, 'planned') as state, o.job_id, o.submitted_at, o.finished_at, o.failure,
    t.market, t.exchange, t.base_asset, t.quote_asset, t.period_from, t.period_to,
    ${configColumns},
    ${metricColumns},
    ${restOfResult}
  from studies d
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint
  join (select distinct study, identity from study_run) i on i.study = d.study
  join service s on s.identity = i.identity
  left join outcomes o on o.identity = i.identity and o.fingerprint = m.fingerprint
  left join result r on r.job_id = o.job_row`,

  leaderboard: `create view leaderboard as
  -- Finished trials of each study on each service identity, best net profit first, ties by lower fingerprint. The study's own
  -- objective and bounds are applied by \`dcalab leaderboard\`, not here.
  select row_number() over (partition by study, identity order by net_profit desc, fingerprint) as rank, *
  from trials
  where state = 'done' and net_profit is not null`,

  attempts: `create view attempts as
  -- One row per try to send a trial: the spending behind the allowance. counted = 1: it may have used up one unit.
  select identity, account, study, fingerprint, substr(fingerprint, 1, 12) as trial, number, name, state,
    case when state = 'released' then 0 else 1 end as counted,
    opened_at, unsure_since, counted_at, settled_at, reply_status, reply_code, reason
  from attempt`,

  allowance: `create view allowance as
  -- Per service identity and account: backtests that may have been counted in the last 24 hours (and a minute) by this machine's clock, those
  -- of other clients included, and when the oldest of them stops counting.
  select c.identity, c.account, s.simulated, count(*) as used, min(c.at) as oldest_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', min(c.at), '+86460 seconds') as oldest_free_at
  from (
    select identity, account, coalesce(counted_at, opened_at) as at from attempt where state <> 'released'
    union all
    select identity, account, counted_at from foreign_job
  ) c
  join service s on s.identity = c.identity
  where c.at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-86460 seconds')
  group by c.identity, c.account`,

  screens: `create view screens as
  -- One row per saved screen: a study on the local engine. complete = 0: interrupted, the best of a part of the grid.
  -- configs: points looked at; distinct_configs: simulations it took.
  select id as screen, study, study_fingerprint, saved_at, complete, configs, distinct_configs, workers, elapsed_ms,
    config_years_per_minute, market, period_from, period_to, candle_interval, candle_count, candles_missing, candles_hash,
    candles_synthetic, conventions_json, symbol_json, fee_percent, slippage_percent, engine_version, definition_json, source
  from screen`,

  screen_top: `create view screen_top as
  -- The best of every saved screen by the study's own objective and bounds, with every metric. fingerprint names the same
  -- configuration as in trials and runs. Amounts in quote, percentages as percent.
  select r.screen_id as screen, s.study, s.saved_at, r.rank, r.fingerprint, substr(r.fingerprint, 1, 12) as trial,
    s.market, s.period_from, s.period_to, ${list('r', Object.values(CONFIG_COLUMNS))},
    ${metricColumns},
    r.confidence, r.safety_orders_histogram_json, r.monthly_returns_json, r.daily_equity_json,
    s.conventions_json, s.fee_percent, s.slippage_percent, s.candle_interval, s.candle_count, s.candles_missing,
    s.candles_hash, s.candles_synthetic, s.engine_version
  from screen_result r
  join screen s on s.id = r.screen_id`,

  screen_parameters: `create view screen_parameters as
  -- One row per value of a varied field of every saved screen, over all trials that have it. Objective values count where they
  -- are defined, inside the objective's bounds or not.
  select p.screen_id as screen, s.study, s.saved_at, p.field, p.value, p.trials, p.profitable,
    p.net_profit_average, p.net_profit_best, p.objective_average, p.objective_best
  from screen_parameter p
  join screen s on s.id = p.screen_id`,
}

/** Views of ours only: an analyst's own views are left alone. */
export function dropViews(db: Database.Database): void {
  for (const name of Object.keys(VIEWS)) db.exec(`drop view if exists ${name}`)
}

export function makeViews(db: Database.Database): void {
  for (const text of Object.values(VIEWS)) db.exec(text)
}

export function viewsAreCurrent(db: Database.Database): boolean {
  const select = db.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where type = 'view'",
  )
  const stored = new Map(select.all().map(({ name, sql }) => [name, normal(sql)]))
  return Object.entries(VIEWS).every(([name, text]) => stored.get(name) === normal(text))
}

/** SQLite writes `CREATE VIEW` in capitals and keeps the rest as given. */
function normal(sql: string): string {
  return sql.replace(/^create view/i, 'create view').trim()
}

function list(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${table}.${column}`).join(', ')
}
