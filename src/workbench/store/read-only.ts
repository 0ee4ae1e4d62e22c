/**
 * A store that may be read and not written: a colleague's folder, a backup on a read-only disk. SQLite reads such a file in place only while
 * the log and the shared memory of its writer lie beside it; otherwise it would have to make them, and files that it makes are ours, so that the
 * owner could no longer write the store. Then a copy is read, which lives as long as the command. The same is done on a full disk, where SQLite
 * has no room for the files it needs.
 */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { freeBytes } from './may-be-written.ts'
import { isOfThisVersion, migrate } from './migrate.ts'
import { type OpenOptions, openStore, type Store, storeFailure } from './store.ts'

/** What is read in place of a store that may not be written. */
interface StandIn {
  /** The store itself where SQLite can read it as it lies, else a copy of the present layout. */
  readonly path: string
  /** To be called once nothing reads it any more. */
  remove(): void
}

type Opening = Pick<OpenOptions, 'system'> & Required<Pick<OpenOptions, 'onNote'>>

/**
 * The store at `path`, for reading alone: what is written into it is refused. An older layout is brought forward in a copy.
 * @throws Failure storeUnusable when it cannot be read, is no store of ours, or the temporary folder cannot hold a copy
 */
export function openToRead(path: string, opening: Opening): Store {
  const standIn = findStandIn(path, opening)
  try {
    const { system } = opening
    const { db, close } = openStore(standIn.path, { system, readonly: true })
    db.pragma('trusted_schema = OFF')
    const closeAll = () => {
      close()
      standIn.remove()
    }
    return { path, db, clock: system.clock, close: closeAll }
  } catch (error) {
    standIn.remove()
    throw error
  }
}

/** For readers that open the file themselves. @throws Failure as `openToRead` */
export function findStandIn(path: string, opening: Opening): StandIn {
  if (isReadInPlace(path, opening)) return { path, remove: () => {} }
  const folder = makeTemporaryFolder(path)
  const copy = join(folder, basename(path))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const hasLog = copyStill(path, copy)
    bringForward(copy, opening)
    const log = hasLog ? ', with what is in the log beside it' : ''
    opening.onNote(`${path} cannot be written (not permitted, or the disk is full): a copy of it is read${log}`)
    return { path: copy, remove }
  } catch (error) {
    remove()
    throw asOf(path, copy, storeFailure(folder, error))
  }
}

function isReadInPlace(path: string, { system }: Opening): boolean {
  if (!['-wal', '-shm'].every((end) => statSync(`${path}${end}`, { throwIfNoEntry: false })?.isFile())) return false
  try {
    const { db, close } = openStore(path, { system, readonly: true })
    try {
      return isOfThisVersion(db)
    } finally {
      close()
    }
  } catch {
    return false // the copy says what is wrong with it
  }
}

/** In memory where the usual folder has no room for the store, as on a full disk. */
function makeTemporaryFolder(path: string): string {
  const needed = sizeOf(path) + 2 * sizeOf(`${path}-wal`)
  const within = [tmpdir(), '/dev/shm'].find((folder) => existsSync(folder) && freeBytes(folder) > needed) ?? tmpdir()
  try {
    return mkdtempSync(join(within, 'dcalab-read-'))
  } catch (error) {
    throw storeFailure(within, error)
  }
}

/** Somebody who writes this often while it is copied is running a study. */
const mostTries = 5

/**
 * Copies the file and then its log, again when the file was changed meanwhile. Between two changes of the file the log only grows, or begins anew
 * once all of it is in the file; SQLite reads of it what is whole. @returns whether there was a log
 */
function copyStill(path: string, copy: string): boolean {
  for (let tries = 1; tries <= mostTries; tries++) {
    const before = stampOf(path)
    copyOurs(path, copy)
    const hasLog = copyLog(path, copy)
    if (stampOf(path) === before) return hasLog
  }
  throw new Failure(
    'storeUnusable',
    `${path} could not be copied for reading: it changed during each of ${mostTries} tries`,
    {
      hint: 'try again when no program writes to it, or ask its owner for a `dcalab store backup`',
    },
  )
}

function stampOf(path: string): string {
  const { mtimeNs, size } = statSync(path, { bigint: true })
  return `${mtimeNs} ${size}`
}

function copyLog(path: string, copy: string): boolean {
  const log = `${path}-wal`
  rmSync(`${copy}-wal`, { force: true })
  if (sizeOf(log) === 0) return false
  copyOurs(log, `${copy}-wal`)
  return true
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Writable for us: the mode is copied too. */
function copyOurs(from: string, to: string): void {
  rmSync(to, { force: true })
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

/** Refuses what is no store of ours, takes the log in, and brings an older layout forward. */
function bringForward(copy: string, { system }: Opening): void {
  openStore(copy, { system, readonly: true }).close()
  const db = new Database(copy, { fileMustExist: true })
  try {
    db.pragma('trusted_schema = OFF')
    db.pragma('synchronous = OFF') // nobody needs the copy after a crash
    db.pragma('journal_mode = DELETE')
    migrate(db)
  } finally {
    db.close()
  }
}

/** The same failure, said of the file that the user named. */
function asOf(path: string, copy: string, error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  const { code, message, hint, cause } = error
  return new Failure(code, message.replaceAll(copy, path), { hint, cause })
}
