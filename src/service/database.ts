/** Opens the service's own SQLite file. Several processes may hold it open; each write is one short immediate transaction. */
import { chmodSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { Failure } from '../errors.ts'
import { backUp, fileFailure, fileIsThere, makeFile, makeFolderOf, type StoreFile } from '../sqlite-file.ts'
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
      migrate(db, path, system)
      db.pragma('foreign_keys = ON')
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

/** The folder of the usual service store, which nobody has to make. @throws Failure storeUnusable */
export function makeServiceFolder(path: string): void {
  makeFolderOf(fileOf(path))
}

function fileOf(path: string): StoreFile {
  return { path, setting: 'serve --store, DCALAB_SERVICE_STORE' }
}

/** The file (and the -wal and -shm files, which SQLite gives the same mode) belongs to its owner alone. */
function makePrivate(path: string): void {
  if (!fileIsThere(fileOf(path))) {
    makeFile(fileOf(path))
    return
  }
  const { mode } = statSync(path)
  // What the owner may do stays as the owner wants it.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
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

/** All of it or nothing, with a copy beside it of what was; a second process waits and then finds nothing left to do. */
function migrate(db: Database, path: string, system: System): void {
  const versionNow = () => Number(db.pragma('user_version', { simple: true }))
  const before = versionNow()
  if (before >= MIGRATIONS.length) return
  if (before > 0) backUp(db, path, before)
  // A table that is made anew is dropped on the way, which would count as deleting what others refer to, and a view of somebody's that
  // reads it must not stop the renaming. The first cannot be said inside a transaction.
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  db.transaction(() => {
    const version = versionNow()
    if (version >= MIGRATIONS.length) return
    for (const statements of MIGRATIONS.slice(version)) db.exec(statements)
    if (version === 0) {
      const id = Buffer.from(system.randomBytes(16)).toString('hex')
      db.prepare('insert into service (id, created_at_ms) values (?, ?)').run(id, Math.floor(system.clock.wall()))
    }
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
  db.pragma('legacy_alter_table = OFF')
}
