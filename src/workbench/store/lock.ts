/**
 * One submitting process per service identity, also across stores. The guard is a transaction that is never committed, on a small
 * database of its own: the system frees it however the holder ends, and a suspended holder keeps it. Only SQLite opens the file,
 * because closing any other handle of it would drop the lock.
 */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
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
    } catch (error) {
      db.close()
      throw isBusy(error) ? held(note) : error
    }
    writeFileSync(note, `${process.pid}\n`, { mode: 0o600 })
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
  return new Failure(
    'keyBusy',
    `${who} is already submitting with this key`,
    pid === undefined ? {} : { details: { pid } },
  )
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

// Names the process that made a request, so that others can find out that it has ended. Only a certain end counts: a process that
// cannot be checked (another container, another boot, a row of an older version) counts as alive, which at worst costs a wait.

export interface Owner {
  /** This process. */
  readonly id: string
  /** Whether the process of that id has certainly ended. */
  isGone(id: string): boolean
}

/** Process numbers are unique only within one boot and one process namespace. */
const scope = readScope()

function readScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux: no containers that share both a folder and a host name
  }
}

export const thisProcess: Owner = {
  id: `${process.pid} ${startOf(process.pid) ?? ''} ${scope}`,
  isGone: (id) => {
    const [pid, started, ...rest] = id.split(' ')
    if (rest.join(' ') !== scope || !/^\d+$/.test(pid)) return false
    if (!isProcessRunning(Number(pid))) return true
    // The number may have been given to another process meanwhile; the start time tells them apart.
    const now = startOf(Number(pid))
    return now !== undefined && started !== '' && now !== started
  },
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

/** Clock ticks from boot to the start of a process: field 22 of its stat line; undefined where the system does not report it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19)
  } catch {
    return undefined
  }
}
