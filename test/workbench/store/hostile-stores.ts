/** Files that claim to be stores: each is a good store that somebody changed with a hex editor's freedom. */
import { gzipSync } from 'node:zlib'
import type Database from 'better-sqlite3'

export interface HostileStore {
  readonly what: string
  /** How the file is changed; nothing of SQLite's rules holds. */
  readonly spoil: (db: Database.Database) => void
  /** What the refusal says; absent: the file is merged, and what was added to it does nothing. */
  readonly refused?: RegExp
}

/** One row of a table, whatever its rules are. */
const set = (table: string, assignment: string) => (db: Database.Database) => {
  for (const trigger of triggersOf(db)) db.exec(`drop trigger ${trigger}`)
  db.exec(`update ${table} set ${assignment}`)
}

const triggersOf = (db: Database.Database) =>
  db.prepare<[], string>("select name from sqlite_schema where type = 'trigger'").pluck().all()

/** The text of the schema is changed, and SQLite believes it. */
const rewrite = (where: string, sql: string) => (db: Database.Database) => {
  db.pragma('writable_schema = ON')
  db.exec(`update sqlite_schema set sql = ${sql} where ${where}`)
  db.pragma('writable_schema = RESET')
}

const run = (sql: string) => (db: Database.Database) => void db.exec(sql)

const isTable = (name: string) => `type = 'table' and name = '${name}'`
const other = "'https://other.example#9'"
const at = "'2026-01-01T00:00:00.000Z'"
const broken = /is not whole/

export const HOSTILE: readonly HostileStore[] = [
  // Not a store.
  {
    what: 'another program’s file',
    spoil: (db) => void db.pragma('application_id = 7'),
    refused: /not a store of this program/,
  },
  {
    what: 'a file of no layout',
    spoil: (db) => void db.pragma('user_version = 0'),
    refused: /not a store of this program/,
  },
  {
    what: 'a layout that is still to come',
    spoil: (db) => void db.pragma('user_version = 9999'),
    refused: /newer version/,
  },
  {
    what: 'a negative layout',
    spoil: (db) => void db.pragma('user_version = -1'),
    refused: /not a store of this program/,
  },
  {
    what: 'a layout before the first that is known',
    spoil: (db) => void db.pragma('user_version = 13'),
    refused: /has layout 13, and this version reads stores from layout 14 on$/,
  },
  // Another schema under our names.
  { what: 'a table that is missing', spoil: run('drop table tag'), refused: /its table tag differs/ },
  {
    what: 'a view in the place of a table',
    spoil: run(
      'drop table tag; create view tag as select fingerprint, hex(randomblob(9)) as tag, 0 as added_at from trial',
    ),
    refused: /its table tag differs/,
  },
  {
    what: 'a table that computes a column',
    spoil: run(
      'drop table note; create table note (id integer primary key, fingerprint text, note text, added_at text, x as (hex(zeroblob(1e9))))',
    ),
    refused: /its table note differs/,
  },
  {
    what: 'a virtual table in the place of one of ours',
    spoil: run('drop table note; create virtual table note using fts5(a, b)'),
    refused: /its table note differs/,
  },
  {
    what: 'a check that calls a function',
    spoil: rewrite(isTable('tag'), "replace(sql, 'between 1 and 64', 'between 1 and length(load_extension(1))')"),
    refused: /its table tag differs/,
  },
  {
    what: 'a table that is not strict',
    spoil: rewrite(isTable('settings'), "replace(sql, 'strict', '')"),
    refused: /its table settings differs/,
  },
  {
    what: 'a schema that is no SQL',
    spoil: rewrite(isTable('note'), "'create table note (('"),
    refused: /cannot be read as a store/,
  },
  {
    what: 'an index over an expression',
    spoil: run('create table mine (x); insert into mine values (1); create index mine_by on mine (hex(zeroblob(x)))'),
    refused: /mine_by, which would compute/,
  },
  {
    what: 'an index over chosen rows',
    spoil: run('create table mine (x); create index mine_by on mine (x) where x > 1'),
    refused: /mine_by, which would compute/,
  },
  {
    what: 'a virtual table of its own',
    spoil: run('create virtual table mine using fts5(x)'),
    refused: /mine, which would compute/,
  },
  // Added things that would run if somebody let them.
  {
    what: 'triggers on every step',
    spoil: run(`create trigger t1 after insert on trial begin delete from attempt; end;
      create trigger t2 before insert on study begin select raise(abort, 'run'); end`),
  },
  {
    what: 'our own triggers taken off',
    spoil: (db) => {
      for (const name of triggersOf(db)) db.exec(`drop trigger ${name}`)
    },
  },
  {
    what: 'a trigger of ours with another body',
    spoil: run(
      'drop trigger attempt_begins; create trigger attempt_begins before insert on attempt begin delete from job; end',
    ),
  },
  {
    what: 'views that call functions',
    spoil: run('drop view answers; create view answers as select load_extension(1), randomblob(1e9)'),
  },
  {
    what: 'views that refer to each other',
    spoil: run(
      'create view v1 as select 1 as x; create view v2 as select * from v1; drop view v1; create view v1 as select * from v2',
    ),
  },
  {
    what: 'names with quotes and terminal escapes',
    spoil: run('create table "mine""; drop table job; --\u001b[2J" (x); create view "v\u009b31m" as select 1'),
  },
  { what: 'indexes of ours that are missing', spoil: run('drop index job_of_trial; drop index attempt_of_trial') },
  {
    what: 'an index that tells otherwise than its table',
    spoil: behindIndex('job_of_attempt', 'update job set attempt_id = 3 - attempt_id'),
    refused: /missing from index job_of_attempt/,
  },
  // Numbers that the replies beside them deny: what the replies say is taken.
  { what: 'results that are too good', spoil: set('result', 'net_profit = 1e9, roi_percent = 1e7') },
  {
    what: 'deals that were never made',
    spoil: run('update deal set profit = 1e6 where n = 1; delete from deal where n = 2'),
  },
  // Values of the wrong kind.
  { what: 'text in a number', spoil: untyped('result', 'net_profit', "'a lot'"), refused: broken },
  { what: 'a blob in a text', spoil: untyped('attempt', 'name', "cast('x' || id as blob)"), refused: broken },
  { what: 'nothing where something has to be', spoil: untyped('job', 'remote_id', 'null'), refused: broken },
  { what: 'a state that there is not', spoil: unchecked('job', "state = 'paid twice'"), refused: broken },
  { what: 'a time that is none', spoil: unchecked('attempt', "opened_at = 'yesterday'"), refused: broken },
  {
    what: 'a time of the right shape that is none',
    spoil: set('trial', "period_from = '2021-99-99T99:99:99.999Z'"),
    refused: broken,
  },
  { what: 'JSON that is none', spoil: unchecked('study', "definition_json = '{'"), refused: broken },
  // Values of the wrong size.
  {
    what: 'a reason of five megabytes',
    spoil: set('attempt', "reason = printf('%.*c', 5000000, 'x')"),
    refused: /attempt\.reason holds more than 4 MB/,
  },
  {
    what: 'a series of seventeen megabytes',
    spoil: set('result', `daily_equity_json = '[' || printf('%.*c', 17000000, ' ') || ']'`),
    refused: /holds more than 16 MB/,
  },
  {
    what: 'a reply of seventeen megabytes',
    spoil: set('reply', 'body = zeroblob(17000000)'),
    refused: /reply\.body holds more than 16 MB/,
  },
  {
    what: 'a reply that unpacks to twenty megabytes',
    spoil: (db) => void db.prepare('update reply set body = ?').run(bomb()),
    refused: /the reply 1 is not the text that its hash names/,
  },
  // Names that lie.
  {
    what: 'a trial that is another than its name',
    spoil: set('trial', 'take_profit_percent = 99'),
    refused: /is not what its fingerprint names/,
  },
  {
    what: 'a configuration that is another',
    spoil: set('trial', `config_fingerprint = '${'0'.repeat(64)}'`),
    refused: /is not what its fingerprint names/,
  },
  {
    what: 'a market that is another',
    spoil: set('trial', "market = 'binance/ETH-USDT'"),
    refused: /is not what its fingerprint names/,
  },
  {
    what: 'settings that are others',
    spoil: set('settings', 'fee_percent = 0'),
    refused: /settings 1 are not what their hash names/,
  },
  {
    what: 'a reply that is another',
    spoil: (db) => void db.prepare('update reply set body = ?').run(gzipSync('{"netProfit":1e9}')),
    refused: /the reply 1 is not/,
  },
  {
    what: 'a reply that is not packed',
    spoil: set('reply', "body = cast('plain' as blob)"),
    refused: /the reply 1 is not/,
  },
  {
    what: 'a study whose name is an escape',
    spoil: renamed('a\u001b[2Jb'),
    refused: /study\.name is no name of a study/,
  },
  { what: 'a study whose name is a path', spoil: renamed('../../x'), refused: /study\.name is no name of a study/ },
  // Rows that contradict each other.
  {
    what: 'a job of an attempt that there is not',
    spoil: loose('update job set attempt_id = 77'),
    refused: /a row of job refers to none of attempt/,
  },
  {
    what: 'a result from another job’s reply',
    spoil: loose('update result set reply_id = (select max(id) from reply)'),
    refused: /the reply of another job/,
  },
  {
    what: 'a job of another service than its attempt',
    spoil: loose(
      `insert into service values (${other}, 0, 'https://other.example', ${at}, 'other.example'); update job set identity = ${other} where id = 1`,
    ),
    refused: /another trial or service/,
  },
  {
    what: 'two jobs that both came first',
    spoil: loose('update job set attempt_id = 1, fingerprint = (select fingerprint from job where id = 1)'),
    refused: /two jobs that both came first/,
  },
  {
    what: 'a result of a job that still runs',
    spoil: set('job', "state = 'running'"),
    refused: /of a job that is not done/,
  },
  {
    what: 'a run of another service',
    spoil: loose(
      `insert into service values (${other}, 0, 'https://other.example', ${at}, 'other.example'); update attempt set study_run_id = 1; update study_run set identity = ${other} where id = 1`,
    ),
    refused: /made by a run of another service/,
  },
  {
    what: 'two attempts of one name',
    spoil: twice,
    refused: /cannot be read as a store|is not whole|holds rows that no store may hold/,
  },
]

function untyped(table: string, column: string, value: string) {
  return (db: Database.Database) => {
    const strict = db
      .prepare<[string], string>("select sql from sqlite_schema where type = 'table' and name = ?")
      .pluck()
      .get(table)
    // Without the rules for a moment: they are text, and the rows do not change with it.
    const loosened = String(strict)
      .replace(/\) strict\b.*$/s, ')')
      .replace(new RegExp(`(\\n\\s*${column}) \\w+ not null`), '$1')
    rewrite(isTable(table), `'${loosened.replaceAll("'", "''")}'`)(db)
    set(table, `${column} = ${value}`)(db)
    rewrite(isTable(table), `'${String(strict).replaceAll("'", "''")}'`)(db)
  }
}

function unchecked(table: string, assignment: string) {
  return (db: Database.Database) => {
    db.pragma('ignore_check_constraints = ON')
    set(table, assignment)(db)
  }
}

/** Rows change and the index does not: it is no part of the schema meanwhile. */
function behindIndex(index: string, sql: string) {
  return (db: Database.Database) => {
    const row = db.prepare<[string], object>('select * from sqlite_schema where name = ?').get(index) ?? {}
    db.pragma('writable_schema = ON')
    db.prepare('delete from sqlite_schema where name = ?').run(index)
    db.pragma('writable_schema = RESET')
    loose(sql)(db)
    db.pragma('writable_schema = ON')
    db.prepare('insert into sqlite_schema values (?, ?, ?, ?, ?)').run(Object.values(row))
    db.pragma('writable_schema = RESET')
  }
}

function loose(sql: string) {
  return (db: Database.Database) => {
    db.pragma('foreign_keys = OFF')
    for (const trigger of triggersOf(db)) db.exec(`drop trigger ${trigger}`)
    db.exec(sql)
  }
}

function renamed(name: string) {
  return loose(
    ['study.name', 'study_trial.study', 'study_run.study', 'study_settings.study', 'attempt.study']
      .map((place) => place.split('.'))
      .map(([table, column]) => `update ${table} set ${column} = '${name}'`)
      .join('; '),
  )
}

function twice(db: Database.Database): void {
  const unique = "type = 'table' and name = 'attempt'"
  const sql = String(db.prepare(`select sql from sqlite_schema where ${unique}`).pluck().get())
  for (const trigger of triggersOf(db)) db.exec(`drop trigger ${trigger}`)
  db.pragma('writable_schema = ON')
  db.exec(`delete from sqlite_schema where type = 'index' and tbl_name = 'attempt' and sql is null`)
  db.exec(
    `update sqlite_schema set sql = '${sql.replace(/unique \(identity, name\),/, '').replaceAll("'", "''")}' where ${unique}`,
  )
  db.pragma('writable_schema = RESET')
  db.exec("update attempt set name = 'the same'")
  db.pragma('writable_schema = ON')
  db.exec(`update sqlite_schema set sql = '${sql.replaceAll("'", "''")}' where ${unique}`)
  db.pragma('writable_schema = OFF')
}

function bomb(): Uint8Array {
  return gzipSync(Buffer.alloc(20_000_000), { level: 1 })
}
