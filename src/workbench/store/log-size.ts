/** The store's write-ahead log: emptied when nobody reads, watched when somebody does. */
import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import type { Store } from './store.ts'

/** Moves the log into the store as far as readers allow; answers its size in bytes afterwards. */
export function emptyLog(store: Store): number {
  const file = `${store.path}-wal`
  const size = () => (existsSync(file) ? statSync(file).size : 0)
  // Small logs are SQLite's own business; a full checkpoint of every one would only cost syncs.
  if (size() < 4 * 1024 * 1024) return size()
  try {
    store.db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // Somebody holds it; the size tells.
  }
  return size()
}

/** Processes other than this one that have the store open; none where the system does not tell (not Linux, or another user's). */
export function findReaders({ path }: Store): readonly number[] {
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
