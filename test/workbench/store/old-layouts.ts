/** Stores of every layout that is brought forward, with rows in most tables, and a made-up next layout that does what later ones may do. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { DealBody } from '../../../src/contract/bodies.ts'
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import {
  APPLICATION_ID,
  FIRST_LAYOUT,
  MIGRATIONS,
  STORE_VERSION,
  stepsUpTo,
} from '../../../src/workbench/store/migrate.ts'
import { packed } from '../../../src/workbench/store/replies.ts'
import { trialTables } from '../../../src/workbench/store/schema/trial-tables.ts'
import { configToColumns } from '../../../src/workbench/store/tables.ts'
import { recordOurs } from '../../../src/workbench/store/views.ts'
import { configFingerprint, trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** Layouts that this version brings forward: of released ones those before the newest. */
export const EARLIER = MIGRATIONS.slice(1).map((_, n) => FIRST_LAYOUT + n)

const [trialTable = ''] = /^create table trial \([\s\S]*?;$/m.exec(trialTables) ?? []
const trialIndexes = trialTables.match(/^create index trial_of_.*;$/gm) ?? []

/** A table made anew to which others refer, a column that comes, one that goes, a table and an index. */
const NEXT_LAYOUT = `
create table later (id integer primary key, words text not null) strict;
create index later_by_words on later (words);
${trialTable.replace('create table trial (', 'create table trial_anew (')}
insert into trial_anew select * from trial;
drop table trial;
alter table trial_anew rename to trial;
${trialIndexes.join('\n')}
alter table result add column later_metric real;
alter table bot_order drop column reason;
`

/** The layouts there are and the next. */
export const STEPS: readonly string[] = [...MIGRATIONS, NEXT_LAYOUT]

const at = '2026-01-01T00:00:00.000Z'
const identity = 'https://bots.example#1'
const study = 'ladder'
const study_fingerprint = 'f'.repeat(64)
const span = { market: 'binance/BTC-USDT', period_from: at, period_to: '2026-01-02T00:00:00.000Z' }

function trialWith(takeProfit: number) {
  const config: DcaSpotConfig = {
    ...{ investment: 1000, ...CONFIG_DEFAULTS, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3 },
    ...{ dcaPriceScalePercent: 1, dcaVolumeScale: 1.3, dcaPriceStepMultiplier: 1.2, takeProfit, stopLoss: 0 },
  }
  const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  const period = { from: Date.parse(span.period_from), to: Date.parse(span.period_to) }
  return { config, fingerprint: trialFingerprint({ market, period, config }) }
}

/** Three trials: two done, of which one is told in full, one on its way. */
export const OLD_TRIALS = { stated: trialWith(1), open: trialWith(2), whole: trialWith(3) }

/** The one deal of the trial that is told in full. */
export const DEAL: DealBody = {
  ...{ openedAt: at, closedAt: '2026-01-01T08:30:00.000Z', exit: 'takeProfit', safetyOrders: 2, quantity: 0.25 },
  ...{ cost: 100, proceeds: 100.1, profit: 0.1, price: 400.5, lowestValue: null },
}

type Row = Readonly<Record<string, string | number | null | Uint8Array>>

function fill(db: Database.Database): void {
  const insert = (table: string, row: Row) => {
    const names = Object.keys(row)
    db.prepare(`insert into ${table} (${names}) values (${names.map((name) => `:${name}`)})`).run(row)
  }
  const whose = { study, study_fingerprint }
  const revision = { source: 'name: ladder', definition_json: '{}' }
  insert('service', { identity, simulated: 0, origin: 'https://bots.example', first_seen_at: at })
  insert('study', {
    ...{ name: study, fingerprint: study_fingerprint, number: 1, ...revision, first_saved_at: at, saved_at: at },
  })
  for (const [position, { config, fingerprint }] of Object.values(OLD_TRIALS).entries()) {
    const named = { fingerprint, config_fingerprint: configFingerprint(config) }
    const coins = { exchange: 'binance', base_asset: 'BTC', quote_asset: 'USDT' }
    insert('trial', { ...named, ...span, ...coins, ...configToColumns(config) })
    insert('study_trial', { ...whose, position, fingerprint })
  }
  insert('study_run', { ...whose, identity, started_at: at, requests: 7 })
  insertDone({ db, insert, fingerprint: OLD_TRIALS.stated.fingerprint, id: 1 })
  insert('result', { job_id: 1, reply_id: 1, net_profit: 12.5, closed_deals: 30 })
  insertDone({ db, insert, fingerprint: OLD_TRIALS.whole.fingerprint, id: 2 })
  const lists = { safety_orders_histogram_json: '[1,0]', monthly_returns_json: '[]', daily_equity_json: '[]' }
  insert('result', {
    ...{ job_id: 2, reply_id: 2, net_profit: 0.1, closed_deals: 1, deals_told: 1, conventions_json: '{}' },
    ...lists,
  })
  const { openedAt, closedAt, safetyOrders, lowestValue, ...deal } = DEAL
  insert('deal', {
    ...{ job_id: 2, n: 1, opened_ms: Date.parse(openedAt), closed_ms: Date.parse(closedAt), ...deal },
    ...{ safety_orders: safetyOrders, lowest_value: lowestValue },
  })
  insert('attempt', attemptOf(OLD_TRIALS.open.fingerprint, 3))
  insert('foreign_job', { identity, account: '', remote_id: 'other', counted_at: at })
  insert('request', { rate_key: 'k', started_ms: 1000, finished_ms: 2000 })
  insert('promotion', {
    ...{ identity, account: 'a@b', fingerprint: OLD_TRIALS.stated.fingerprint, name: 'bot', plan_hash: 'h' },
    ...{ state: 'intent', opened_at: at },
  })
  insert('bot_order', { identity, account: 'a@b', name: 'from-a-file', state: 'intent', opened_at: at })
  insertScreen(insert)
}

type Insert = (table: string, row: Row) => void

function attemptOf(fingerprint: string, id: number) {
  const named = { id, name: `dcalab-${study}-${fingerprint.slice(0, 12)}-1`, number: 1 }
  return { ...named, identity, account: '', study, fingerprint, state: 'intent', opened_at: at }
}

interface Done {
  readonly db: Database.Database
  readonly insert: Insert
  readonly fingerprint: string
  readonly id: number
}

function insertDone({ db, insert, fingerprint, id }: Done): void {
  insert('attempt', attemptOf(fingerprint, id))
  db.prepare("update attempt set state = 'acked', settled_at = :at, counted_at = :at where id = :id").run({ at, id })
  const job = { remote_id: `job-${id}`, attempt_id: id, state: 'running', submitted_at: at }
  insert('job', { id, identity, fingerprint, ...job })
  db.prepare("update job set state = 'done', finished_at = :at where id = :id").run({ at, id })
  const body = `{"id":"job-${id}"}`
  const sha256 = createHash('sha256').update(body).digest('hex')
  insert('reply', { id, job_id: id, sha256, body: packed(body), final: 1, received_at: at })
}

function insertScreen(insert: Insert): void {
  insert('screen', {
    ...{ id: 4, study, study_fingerprint, source: 'name: ladder', definition_json: '{}', ...span, saved_at: at },
    ...{ complete: 1, configs: 9, distinct_configs: 9, workers: 1, elapsed_ms: 5, config_years_per_minute: 100 },
    ...{ candle_interval: '1m', candle_count: 1440, candles_missing: 0, candles_hash: 'h', candles_synthetic: 0 },
    ...{ conventions_json: '{}', symbol_json: '{}', fee_percent: 0.1, slippage_percent: 0, engine_version: '1' },
  })
  for (const [index, { config, fingerprint }] of [OLD_TRIALS.stated, OLD_TRIALS.open].entries()) {
    const place = { screen_id: 4, rank: index + 1, fingerprint }
    insert('screen_result', { ...place, ...configToColumns(config), net_profit: 13 - 2 * index })
  }
  insert('screen_parameter', {
    ...{ screen_id: 4, field: 'takeProfit', value: 1, trials: 5, profitable: 3 },
    ...{ net_profit_average: 1.5, net_profit_best: 13, objective_average: 1.5, objective_best: 13 },
  })
}

/** A store as that layout left it, with its own views of that time gone: they are made anew in any case. */
export function storeOf(version = STORE_VERSION): string {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  // As `migrate` does it: some layouts make a table anew to which others refer.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  const [first = '', ...later] = stepsUpTo(version)
  db.exec(first)
  fill(db)
  for (const step of later) db.exec(step)
  db.exec('create view attempts as\n  -- One row per job.\n  select remote_id from job')
  recordOurs(db, [])
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${version}`)
  db.close()
  return path
}
