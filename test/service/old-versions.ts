/** Service stores as every earlier version left them, with rows in every table that this version makes anew. */
import BetterSqlite3 from 'better-sqlite3'
import { MIGRATIONS } from '../../src/service/schema.ts'

const FIRST_ROWS = `
insert into service values ('id of before', 0);
insert into accounts values (1, 'researcher@localhost', 0);
insert into keys values ('dk_1', 1, x'01', x'02', '["read"]', null, 5, null), ('dk_2', 1, x'03', x'04', '[]', '["127.0.0.1"]', 6, 7);
insert into requests values ('dk_1', 1.5);
insert into jobs (seq, id, account_id, state, request_json, terms_json, result_json, error_json, created_at_ms, changed_at_ms, finished_at_ms)
  values (3, 'job_q', 1, 'deleted', '{}', '{}', null, null, 1, 2, null),
    (5, 'job_c', 1, 'completed', '{}', '{}', '{"netProfit":1}', null, 1, 2, 3),
    (8, 'job_f', 1, 'failed', '{}', '{}', null, '{"error":"NoCandles"}', 1, 2, 3);
insert into bots (seq, id, account_id, payload_json, is_demo, state, created_at_ms, updated_at_ms)
  values (2, 'bot_1', 1, '{}', 1, 'created', 1, 2), (7, 'bot_2', 1, '{}', 1, 'created', 3, 4);
`

const SECOND_ROWS = `
update bots set terms_json = '{"interval":"1m"}' where id = 'bot_2';
insert into bot_commands (seq, bot_id, kind, at_ms, config_json, close_position)
  values (4, 'bot_2', 'start', 5, '{}', null), (6, 'bot_2', 'stop', 6, null, 0);
`

const ROWS: Readonly<Record<number, string>> = { 1: FIRST_ROWS, 2: SECOND_ROWS }

/** Writes the store that version n left to `path`. */
export function serviceStoreOf(version: number, path: string): void {
  const db = new BetterSqlite3(path)
  db.pragma('journal_mode = WAL')
  for (const [n, statements] of MIGRATIONS.slice(0, version).entries()) {
    db.exec(statements)
    db.exec(ROWS[n + 1] ?? '')
  }
  db.pragma(`application_id = ${0x44434173}`)
  db.pragma(`user_version = ${version}`)
  db.close()
}
