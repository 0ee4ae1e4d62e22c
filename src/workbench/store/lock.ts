/**
 * One submitting process per service identity, also across stores. The guard is a transaction that is never committed, on a small
 * database of its own: the system frees it however the holder ends, and a suspended holder keeps it. Only SQLite opens the file,
 * because closing any other handle of it would drop the lock.
 */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { isBusy } from './sqlite-failure.ts'
import { type Store, storeFailure } from './store.ts'

export interface Lock {
  release(): void
}

/**
 * Holds the right to submit for `identity` until released or until this process ends. `folder` is made when absent (mode 0700);
 * default: beside the store.
 * @throws Failure keyBusy naming the holder, storeUnusable when the folder cannot be written
 */
export function holdLock(
  store: Store,
  options: { readonly identity: string; readonly folder?: string | undefined },
): Lock {
  const { identity, folder = join(dirname(store.path), 'locks') } = options
  const file = join(folder, `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.lock.sqlite`)
  const note = `${file.slice(0, -'.sqlite'.length)}.holder`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    createOnce(file)
    const db = new Database(file, { fileMustExist: true, timeout: 0 })
    try {
      db.exec('begin immediate')
      writeFileSync(note, `${process.pid}\n`, { mode: 0o600 })
    } catch (error) {
      db.close()
      throw isBusy(error) ? held(note) : error
    }
    return {
      release: () => {
        rmSync(note, { force: true })
        db.close()
      },
    }
  } catch (error) {
    throw storeFailure(file, error)
  }
}

function createOnce(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function held(note: string): Failure {
  const pid = readHolder(note)
  const who = pid === undefined ? 'Another process' : `Process ${pid}`
  return new Failure('keyBusy', `${who} is already using this key`, pid === undefined ? {} : { details: { pid } })
}

/** Only for the message; the lock itself decides. */
function readHolder(note: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(note, 'utf8'), 10)
    return Number.isSafeInteger(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

/** In this container: another one has other processes under the same numbers. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0) // signal 0 only checks that the process exists
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
