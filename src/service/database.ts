/** Opens the service's own SQLite file. Several processes may hold it open; each write is one short immediate transaction. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { Failure } from '../errors.ts'
import type { System } from '../system.ts'
import { MIGRATIONS } from './schema.ts'

export type Database = BetterSqlite3.Database

/** "DCAs" in ASCII: tells our service's file from every other SQLite file. */
const applicationId = 0x44434173

/** How long a transaction of another process is waited for. The wait blocks this process, so it is short. */
const busyTimeoutMs = 2_000

/** @throws Failure storeUnusable when the file is not ours, newer than this program, or cannot be opened. */
export function openDatabase(path: string, system: System): Database {
  try {
    makePrivate(path)
    const db = new BetterSqlite3(path, { timeout: busyTimeoutMs })
    try {
      refuseForeign(db, path)
      // WAL alone would mean synchronous = NORMAL: an accepted job could be lost with the power.
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = FULL')
      db.pragma('fullfsync = ON')
      db.pragma('foreign_keys = ON')
      migrate(db, system)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `Opening the service store ${path}: ${reason}`, { cause })
  }
}

/** The random id this file was born with; the service's identity is `embedded:<id>`. */
export function getServiceId(db: Database): string {
  const row = db.prepare<[], { id: string }>('select id from service').get()
  if (row === undefined) throw new Error('the service store has no id')
  return row.id
}

/** A busy or locked database, which passes by itself. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

/**
 * The file (and the -wal and -shm files, which SQLite gives the same mode) belongs to its owner alone. An existing file is
 * never opened here: closing any descriptor of it would drop the locks that SQLite holds in this process.
 */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (existsSync(path)) {
    chmodSync(path, 0o600)
    return
  }
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!existsSync(path)) throw error // else another process was quicker
  }
}

function refuseForeign(db: Database, path: string): void {
  // Read at one moment: another process may be making the file right now.
  const { found, version, tables } = db.transaction(() => ({
    found: db.pragma('application_id', { simple: true }),
    version: Number(db.pragma('user_version', { simple: true })),
    tables: db.prepare<[], { count: number }>('select count(*) as count from sqlite_schema').get()?.count ?? 0,
  }))()
  if (found !== applicationId && tables > 0) {
    throw new Failure('storeUnusable', `${path} is a database of another program, not a service store`)
  }
  if (version > MIGRATIONS.length) {
    throw new Failure(
      'storeUnusable',
      `${path} has version ${version}; this program knows up to ${MIGRATIONS.length}`,
      {
        hint: 'use the newer program that wrote it, or another file',
      },
    )
  }
}

/** All of it or nothing; a second process waits and then finds nothing left to do. */
function migrate(db: Database, system: System): void {
  db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version >= MIGRATIONS.length) return
    for (const statements of MIGRATIONS.slice(version)) db.exec(statements)
    if (version === 0) {
      const id = Buffer.from(system.randomBytes(16)).toString('hex')
      db.prepare('insert into service (id, created_at_ms) values (?, ?)').run(id, Math.floor(system.clock.wall()))
    }
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
}
