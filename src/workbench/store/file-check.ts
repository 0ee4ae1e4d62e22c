/**
 * SQLite's own check of the whole file, which takes seconds where the file has gigabytes: made when the last program that had it open did
 * not end in an orderly way. `store check` reads more (`merge/check-other.ts`). Damage that neither has seen shows when a damaged page is read.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'

export const DAMAGED_HINT =
  'restore a backup, or move the file away and run the study again: finished jobs are read back from the service'

// The store's write-ahead log: empties it when nobody reads the store, and finds the readers when it cannot.

/** Moves the log into the store as far as readers allow; returns its size in bytes afterwards. */
export function emptyLog({ path, db }: { readonly path: string; readonly db: Database.Database }): number {
  const file = `${path}-wal`
  const size = () => (existsSync(file) ? statSync(file).size : 0)
  // SQLite handles small logs itself; a full checkpoint each time would cost syncs.
  if (size() < 4 * 1024 * 1024) return size()
  const mostBusyMs = Number(db.pragma('busy_timeout', { simple: true }))
  // A run asks at every pause, for as long as somebody reads: to wait each time would stall it.
  db.pragma('busy_timeout = 0')
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // A reader holds the log; the returned size shows it.
  } finally {
    db.pragma(`busy_timeout = ${mostBusyMs}`)
  }
  return size()
}

/** Processes other than this one that have the store open; empty where the system does not report them (not Linux, or another user's). */
export function findReaders(path: string): readonly number[] {
  const target = realpathSync(path)
  const others = numbersIn('/proc').filter((pid) => pid !== process.pid)
  return others.filter((pid) =>
    numbersIn(`/proc/${pid}/fd`).some((handle) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${handle}`) === target
      } catch {
        return false // closed meanwhile
      }
    }),
  )
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}
