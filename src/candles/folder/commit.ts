/**
 * Changes several month files of one folder in one step: an import that is killed at any moment leaves all of the old months or
 * all of the new ones.
 *
 *     <interval>/2021-04.arrow, 2021-05.arrow …   what is stored
 *     <interval>/.staged/2021-04.arrow …          a change being written; without meaning until it is complete
 *     <interval>/.committed/2021-04.arrow …       the same folder renamed: the change holds from this moment on, and its
 *                                                 files are moved into place one by one
 *     <interval>/.lock                            the number of the process that is changing the folder
 *
 * Readers take a month from `.committed` while it is there, and never write. The next change completes an interrupted move and
 * deletes what was only staged. Files are synced before the rename, so that a power cut does not leave an empty file under a
 * valid name. Not covered: a reader during the move may see some old and some new months, or fail and succeed when it tries
 * again; and processes in two containers that share a folder do not see each other's lock.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { findMarket } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { renameOver } from '../../system.ts'
import type { Month } from '../months.ts'

// Lists the markets of a candle folder by its subfolders: `<exchange>/<BASE-QUOTE>`.

export function listMarkets(folder: string): string[] {
  return foldersIn(folder).flatMap((exchange) =>
    foldersIn(join(folder, exchange))
      .map((pair) => `${exchange}/${pair}`)
      .filter((market) => findMarket(market) !== undefined),
  )
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `cannot read the candle folder ${folder}: ${reason}`, { cause })
  }
}

const fileName = /^(\d{4}-(?:0[1-9]|1[0-2]))\.arrow$/

interface StoredFile {
  readonly month: Month
  readonly path: string
}

/** The month files of a folder, oldest first; none when the folder is absent. */
export function listMonths(folder: string): StoredFile[] {
  const committed = join(folder, '.committed')
  const paths = new Map<Month, string>()
  for (const place of [folder, committed]) {
    for (const name of namesIn(place)) {
      const month = fileName.exec(name)?.at(1)
      if (month !== undefined) paths.set(month, join(place, name)) // a committed month is newer than the one in place
    }
  }
  return [...paths].map(([month, path]) => ({ month, path })).sort((a, b) => (a.month < b.month ? -1 : 1))
}

/**
 * Runs `work`, which writes whole months through its argument. All of them are stored when it returns, none when it throws.
 * @throws Failure storeUnusable when the folder is locked or cannot be written
 */
export function changeMonths<T>(folder: string, work: (write: (month: Month, bytes: Uint8Array) => void) => T): T {
  const staged = join(folder, '.staged')
  const release = lock(folder)
  try {
    finishMove(folder)
    rmSync(staged, { recursive: true, force: true })
    let written = 0
    const result = work((month, bytes) => {
      writing(staged, () => {
        mkdirSync(staged, { recursive: true })
        writeSynced(join(staged, `${month}.arrow`), bytes)
      })
      written++
    })
    if (written > 0) {
      writing(folder, () => {
        renameOver(staged, join(folder, '.committed'))
        finishMove(folder)
      })
    }
    return result
  } finally {
    rmSync(staged, { recursive: true, force: true })
    release()
  }
}

function finishMove(folder: string): void {
  const committed = join(folder, '.committed')
  if (!existsSync(committed)) return
  for (const name of readdirSync(committed)) renameOver(join(committed, name), join(folder, name))
  rmdirSync(committed)
}

/** Locks the folder for this process; returns the function that unlocks it. */
function lock(folder: string): () => void {
  const path = join(folder, '.lock')
  return writing(folder, () => {
    mkdirSync(folder, { recursive: true })
    if (!tryLock(path)) {
      const holder = Number(readFileSync(path, 'utf8'))
      if (isRunning(holder)) {
        throw new Failure('storeUnusable', `${folder} is being changed by process ${holder}`, {
          hint: `wait until it ends; if it is not dcalab, delete ${path}`,
        })
      }
      rmSync(path, { force: true }) // left behind by a process that was killed
      if (!tryLock(path)) throw new Failure('storeUnusable', `${folder} is being changed by another process`)
    }
    return () => rmSync(path, { force: true })
  })
}

function tryLock(path: string): boolean {
  try {
    const file = openSync(path, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Work here is synchronous, so a lock with our own process number was left by an earlier process: containers reuse numbers. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w')
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new Failure('storeUnusable', `cannot read the folder ${folder}: ${messageOf(error)}`, { cause: error })
  }
}

function writing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('storeUnusable', `cannot write candles to ${path}: ${messageOf(cause)}`, { cause })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
