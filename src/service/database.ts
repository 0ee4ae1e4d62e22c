/** Opens the service's own SQLite file. Several processes may hold it open; each write is one short immediate transaction. */

import { chmodSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { Failure } from '../errors.ts'
import { backUp, fileFailure, fileIsThere, makeFile, makeFolderOf, type StoreFile } from '../sqlite/sqlite-file.ts'
import { firstRow, queriesOf, runBuilt } from '../sqlite/statements.ts'
import type { System } from '../system.ts'
import type { Tables } from './table-types.ts'

/** The version that the first of `MIGRATIONS` makes. Files of earlier versions are refused. */
export const FIRST_VERSION = 3

/**
 * The service's tables. Moments are whole milliseconds UTC by the wall clock, except in `requests`, which counts a minute and
 * therefore uses the monotonic clock. The first entry makes a file of `FIRST_VERSION`, each that follows brings it one version further;
 * entries are added, never changed (a test has the hash of each). A check of a JSON column allows null in so many words: older SQLite (3.40)
 * has json_valid(null) = 0.
 */
export const MIGRATIONS: readonly string[] = [
  `
create table service (
  id text not null primary key, -- announced as embedded:<id>
  created_at_ms integer not null
) strict;

create table accounts (
  id integer primary key,
  user_email text not null unique, -- lower case
  created_at_ms integer not null
) strict;

create table keys (
  prefix text not null primary key, -- the API key's first characters: names the key, opens nothing
  account_id integer not null references accounts (id),
  api_key_sha256 blob not null unique,
  secret_key_sha256 blob not null,
  scopes_json text not null check (scopes_json is null or json_valid(scopes_json)),
  addresses_json text check (addresses_json is null or json_valid(addresses_json)), -- null = any address
  issued_at_ms integer not null,
  revoked_at_ms integer
) strict;

create table requests (
  key_prefix text not null references keys (prefix),
  at_ms real not null -- milliseconds since this machine started
) strict;
create index requests_by_key on requests (key_prefix, at_ms);

create table runners ( -- processes that run jobs; each holds a lock on a file of its own while it lives
  id text not null primary key,
  started_at_ms integer not null
) strict;

create table jobs ( -- rows stay when a job is deleted: the allowance counts them
  seq integer primary key autoincrement,
  id text not null unique,
  account_id integer not null references accounts (id),
  name text,
  state text not null check (state in ('queued', 'running', 'completed', 'failed', 'deleted')),
  request_json text not null check (request_json is null or json_valid(request_json)),
  terms_json text not null check (terms_json is null or json_valid(terms_json)), -- conventions and costs in force when it was accepted
  result_json text check (result_json is null or json_valid(result_json)),
  error_json text check (error_json is null or json_valid(error_json)),
  created_at_ms integer not null,
  changed_at_ms integer not null,
  started_at_ms integer,
  finished_at_ms integer,
  claimed_by text, -- runners.id
  claims integer not null default 0, -- how often a runner took it up
  check ((state = 'running') = (claimed_by is not null)),
  check ((state = 'completed') = (result_json is not null)),
  check ((state = 'failed') = (error_json is not null)),
  check (state not in ('completed', 'failed') or finished_at_ms is not null)
) strict;
create index jobs_by_account on jobs (account_id, created_at_ms);
create index jobs_unfinished on jobs (seq) where state in ('queued', 'running');

create table bots (
  seq integer primary key autoincrement,
  id text not null unique,
  account_id integer not null references accounts (id),
  payload_json text not null check (payload_json is null or json_valid(payload_json)),
  is_demo integer not null check (is_demo = 1), -- the embedded plan offers demo bots only (A-19)
  created_at_ms integer not null,
  updated_at_ms integer not null,
  terms_json text check (terms_json is null or json_valid(terms_json)) -- interval, conventions, costs and symbol rules, fixed at the first start
) strict;
create index bots_by_account on bots (account_id, seq);

-- What a bot was asked to do. With its terms and the candles of its market this decides everything it did; nothing else is kept of it.
create table bot_commands (
  seq integer primary key autoincrement,
  bot_id text not null references bots (id),
  kind text not null check (kind in ('start', 'update', 'stop')),
  at_ms integer not null, -- market time; never before the command before it
  config_json text check (config_json is null or json_valid(config_json)),
  close_position integer check (close_position in (0, 1)),
  check ((kind = 'stop') = (close_position is not null)),
  check ((kind = 'stop') = (config_json is null))
) strict;
create index bot_commands_by_bot on bot_commands (bot_id, seq);

create table market_clock ( -- no row: market time is the wall clock
  id integer not null primary key check (id = 1),
  wall_ms integer not null, -- when it was set
  market_ms integer not null, -- to what
  speed real not null check (speed > 0)
) strict;
`,
]

export type Database = BetterSqlite3.Database

export const query = queriesOf<Tables>()

/** "DCAs" in ASCII: marks the file as our service's. */
const applicationId = 0x44434173

/** How long to wait for a transaction of another process. The wait blocks this process, so it is short. */
const busyTimeoutMs = 2_000

/** The same while the file is opened: of several processes that begin at once each waits for the others, and nobody is served yet. */
const openTimeoutMs = 20_000

/** The last commit whose program brings a file of a version before `FIRST_VERSION` forward. */
const LAST_WITH_EARLIER_VERSIONS = 'b76b226'

/**
 * `steps` is for tests of what brings a file to a later version.
 * @throws Failure storeUnusable when the file is not ours, older or newer than what this program knows, or cannot be opened.
 */
export function openDatabase(path: string, system: System, steps: readonly string[] = MIGRATIONS): Database {
  try {
    makePrivate(path)
    const db = new BetterSqlite3(path, { timeout: openTimeoutMs })
    try {
      refuseForeign(db, path, versionAfter(steps))
      // WAL alone would mean synchronous = NORMAL: an accepted job could be lost with the power.
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = FULL')
      db.pragma('fullfsync = ON')
      migrate(db, path, { system, steps })
      db.pragma('foreign_keys = ON')
      db.pragma(`busy_timeout = ${busyTimeoutMs}`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    const cause = fileFailure(fileOf(path), error)
    if (cause instanceof Failure) throw cause
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('storeUnusable', `Opening the service store ${path}: ${reason}`, { cause: error })
  }
}

/** As a service announces itself. @param id the random one that its file got when it was made */
export function identityOf(id: string): string {
  return `embedded:${id}`
}

/** Under which a service over this file announces itself; undefined where there is no such file yet, or it cannot be read at this moment. */
export function readIdentity(path: string): string | undefined {
  let db: Database | undefined
  try {
    db = new BetterSqlite3(path, { readonly: true, fileMustExist: true })
    const row = firstRow(db, query.selectFrom('service').select('id'))
    return row === undefined ? undefined : identityOf(row.id)
  } catch {
    return undefined
  } finally {
    db?.close()
  }
}

/** True for a busy or locked database: trying again later helps. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

/** Makes the folder of the default service store. @throws Failure storeUnusable */
export function makeServiceFolder(path: string): void {
  makeFolderOf(fileOf(path))
}

function fileOf(path: string): StoreFile {
  return { path, setting: 'serve --store, DCALAB_SERVICE_STORE' }
}

/** The file (and the -wal and -shm files, which SQLite gives the same mode) is made readable and writable for its owner only. */
function makePrivate(path: string): void {
  if (!fileIsThere(fileOf(path))) {
    makeFile(fileOf(path))
    return
  }
  const { mode } = statSync(path)
  // The permissions of the owner are not changed.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
}

function versionAfter(steps: readonly string[]): number {
  return FIRST_VERSION - 1 + steps.length
}

function refuseForeign(db: Database, path: string, newest: number): void {
  // Read in one transaction: another process may be making the file at this moment.
  const { found, version, tables } = db.transaction(() => ({
    found: db.pragma('application_id', { simple: true }),
    version: Number(db.pragma('user_version', { simple: true })),
    tables: db.prepare<[], { count: number }>('select count(*) as count from sqlite_schema').get()?.count ?? 0,
  }))()
  if (found !== applicationId && tables > 0) {
    throw new Failure('storeUnusable', `${path} is a database of another program, not a service store`)
  }
  if (version > 0 && version < FIRST_VERSION) {
    throw new Failure(
      'storeUnusable',
      `${path} has version ${version}; this program reads files from ${FIRST_VERSION} on`,
      {
        hint: `start it once with dcalab built from commit ${LAST_WITH_EARLIER_VERSIONS}, which brings it forward; the file was left as it is`,
      },
    )
  }
  if (version > newest) {
    throw new Failure('storeUnusable', `${path} has version ${version}; this program knows up to ${newest}`, {
      hint: 'use the newer program that wrote it, or another file',
    })
  }
}

/** Migrates completely or not at all, after a copy of the old file was made. A second process waits and then finds nothing to do. */
function migrate(
  db: Database,
  path: string,
  { system, steps }: { readonly system: System; readonly steps: readonly string[] },
): void {
  const newest = versionAfter(steps)
  const versionNow = () => Number(db.pragma('user_version', { simple: true }))
  const before = versionNow()
  if (before >= newest) return
  if (before > 0) backUp(db, path, before)
  // To remake a table, the old one is dropped. Without these settings SQLite would treat that as deleting rows to which other
  // tables refer, and a user's view of the table would stop the renaming. `foreign_keys` cannot be set inside a transaction.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  db.transaction(() => {
    const version = versionNow()
    if (version >= newest) return
    for (const statements of steps.slice(Math.max(0, version - FIRST_VERSION + 1))) db.exec(statements)
    if (version === 0) {
      const id = Buffer.from(system.randomBytes(16)).toString('hex')
      runBuilt(db, query.insertInto('service').values({ id, created_at_ms: Math.floor(system.clock.wall()) }))
    }
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${newest}`)
  }).immediate()
  db.pragma('legacy_alter_table = OFF')
}
