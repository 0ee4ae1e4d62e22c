/** Stores as every earlier layout left them, with rows in every table. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { APPLICATION_ID, MIGRATIONS } from '../../../src/workbench/store/migrate.ts'
import { addMigrationFunctions } from '../../../src/workbench/store/migrations/functions.ts'
import { recordOurs } from '../../../src/workbench/store/own-objects.ts'
import { temporaryFolder } from '../../support/folder.ts'

const at = '2026-01-01T00:00:00.000Z'
const [a, b, c, f] = ['a', 'b', 'c', 'f'].map((digit) => digit.repeat(64))
const bots = "'https://bots.example#1'"
const config = '1000, 1, 1000, 20, 3, 1, 1.3, 1.2'
const question = `'binance/BTC-USDT', 'binance', 'BTC', 'USDT', '${at}', '${at}', ${config}`

/** One deal, as the first seven layouts kept it. */
export const DEALS = `[{"openedAt":"${at}","closedAt":"2026-01-01T08:30:00.000Z","exit":"takeProfit","safetyOrders":2,"quantity":0.25,"cost":100,"proceeds":100.1,"profit":0.1,"price":400.5}]`

/** What a research of three trials left in the first layout's tables: two done, of which one is told in full, one on its way. */
const FIRST_ROWS = `
insert into service values (${bots}, 0, 'https://bots.example', '${at}');
insert into study values ('ladder', '${f}', 'name: ladder', '{}', '${at}');
insert into trial values ('${a}', ${question}, 1, 0);
insert into trial values ('${b}', ${question}, 2, 0);
insert into trial values ('${c}', ${question}, 3, 0);
insert into study_trial values ('ladder', '${f}', 0, '${a}');
insert into study_trial values ('ladder', '${f}', 1, '${b}');
insert into study_trial values ('ladder', '${f}', 2, '${c}');
insert into study_run (study, study_fingerprint, identity, started_at, requests) values ('ladder', '${f}', ${bots}, '${at}', 7);
${doneTrial({ trial: a, n: 1 })}
insert into result (job_id, reply_id, net_profit, closed_deals) values (1, 1, 12.5, 30);
${doneTrial({ trial: c, n: 2 })}
insert into result (job_id, reply_id, net_profit, closed_deals, safety_orders_histogram_json, monthly_returns_json,
  daily_equity_json, deals_json, open_deal_json, conventions_json) values (2, 2, 0.1, 1, '[1,0]', '[]', '[]', '${DEALS}', '{}', '{}');
insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at)
  values (${bots}, '', 'ladder', '${b}', 1, 'n-3', 'intent', '${at}');
insert into foreign_job values (${bots}, '', 'other', null, '${at}');
insert into request (rate_key, started_ms, finished_ms) values ('k', 1000, 2000);
insert into promotion (identity, account, fingerprint, name, plan_hash, state, opened_at)
  values (${bots}, 'a@b', '${a}', 'bot', 'h', 'intent', '${at}');
`

const THIRD_ROWS = `
insert into screen values (4, 'ladder', '${f}', 'name: ladder', '{}', 'binance/BTC-USDT', '${at}', '${at}', '${at}', 1, 9, 9, 1, 5, 100,
  '1m', 1440, 0, 'h', 0, '{}', '{}', 0.1, 0, '1');
insert into screen_result (screen_id, rank, fingerprint, investment, leverage, dca_total_budget, dca_initial_order_size,
  dca_max_safety_orders, dca_price_scale_percent, dca_volume_scale, dca_price_step_multiplier, take_profit_percent, stop_loss_percent,
  net_profit, monthly_returns_json) values (4, 1, '${a}', ${config}, 1, 0, 13, '[]'), (4, 2, '${b}', ${config}, 2, 0, 11, null);
insert into screen_parameter values (4, 'takeProfit', 1, 5, 3, 1.5, 13, 1.5, 13);
`

const FIFTH_ROWS = `
insert into bot_order (identity, account, name, state, opened_at) values (${bots}, 'a@b', 'from-a-file', 'intent', '${at}');
`

const ROWS: Readonly<Record<number, string>> = { 1: FIRST_ROWS, 3: THIRD_ROWS, 5: FIFTH_ROWS }

function doneTrial({ trial, n }: { readonly trial: string; readonly n: number }): string {
  return `
insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at)
  values (${bots}, '', 'ladder', '${trial}', 1, 'n-${n}', 'intent', '${at}');
update attempt set state = 'acked', settled_at = '${at}', counted_at = '${at}' where name = 'n-${n}';
insert into job (identity, remote_id, fingerprint, attempt_id, state, submitted_at)
  values (${bots}, 'job-${n}', '${trial}', ${n}, 'running', '${at}');
update job set state = 'done', finished_at = '${at}' where id = ${n};
insert into reply (job_id, sha256, body, final, received_at) values (${n}, '${'0'.repeat(64)}', '{"id":"job-${n}"}', 1, '${at}');`
}

/** A store as version n left it, with its own views of that time gone: they are made anew in any case. */
export function storeOf(version: number): string {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  // As `migrate` does it: some layouts make a table anew to which others refer.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  addMigrationFunctions(db)
  for (const [n, layout] of MIGRATIONS.slice(0, version).entries()) {
    db.exec(layout)
    db.exec(ROWS[n + 1] ?? '')
  }
  db.exec('create view runs as\n  -- One row per job.\n  select remote_id from job')
  // Since the eighth, what is ours is written down.
  if (version >= 8) recordOurs(db, [])
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${version}`)
  db.close()
  return path
}
