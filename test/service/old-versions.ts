/** Service stores as every version that is known left them, with rows in most tables, and a made-up next version. */
import BetterSqlite3 from 'better-sqlite3'
import { FIRST_VERSION, MIGRATIONS } from '../../src/service/database.ts'

const ROWS = `
insert into service values ('id of before', 0);
insert into accounts values (1, 'researcher@localhost', 0);
insert into keys values ('dk_1', 1, x'01', x'02', '["read"]', null, 5, null), ('dk_2', 1, x'03', x'04', '[]', '["127.0.0.1"]', 6, 7);
insert into requests values ('dk_1', 1.5);
insert into jobs (seq, id, account_id, state, request_json, terms_json, result_json, error_json, created_at_ms, changed_at_ms, finished_at_ms)
  values (3, 'job_q', 1, 'deleted', '{}', '{}', null, null, 1, 2, null),
    (5, 'job_c', 1, 'completed', '{}', '{}', '{"netProfit":1}', null, 1, 2, 3),
    (8, 'job_f', 1, 'failed', '{}', '{}', null, '{"error":"NoCandles"}', 1, 2, 3);
insert into bots (seq, id, account_id, payload_json, is_demo, created_at_ms, updated_at_ms, terms_json)
  values (2, 'bot_1', 1, '{}', 1, 1, 2, null), (7, 'bot_2', 1, '{}', 1, 3, 4, '{"interval":"1m"}');
insert into bot_commands (seq, bot_id, kind, at_ms, config_json, close_position)
  values (4, 'bot_2', 'start', 5, '{}', null), (6, 'bot_2', 'stop', 6, null, 0);
`

const [botsTable = ''] = /^create table bots \([\s\S]*?;$/m.exec(MIGRATIONS[0] ?? '') ?? []

/** A table made anew to which another refers, and a column that comes. */
export const STEPS: readonly string[] = [
  ...MIGRATIONS,
  `
${botsTable.replace('create table bots (', 'create table bots_anew (')}
insert into bots_anew select * from bots;
drop table bots;
alter table bots_anew rename to bots;
create index bots_by_account on bots (account_id, seq);
alter table jobs add column later text;
`,
]

/** Writes the store that version n left to `path`. */
export function serviceStoreOf(version: number, path: string): void {
  const db = new BetterSqlite3(path)
  db.pragma('journal_mode = WAL')
  const [first = '', ...later] = MIGRATIONS.slice(0, version - FIRST_VERSION + 1)
  for (const statements of [first, ROWS, ...later]) db.exec(statements)
  db.pragma(`application_id = ${0x44434173}`)
  db.pragma(`user_version = ${version}`)
  db.close()
}
