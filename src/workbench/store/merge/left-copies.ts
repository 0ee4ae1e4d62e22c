/** Copies of other stores that a merge left behind when it was killed: each is as large as the store it copied. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isProcessRunning } from '../owner.ts'
import type { Store } from '../store.ts'

/** In another container a process of that number may be at work: its copy is younger, for it is written before anything else. */
const mostAgeMs = 24 * 3_600_000

/** Where a merge into this store copies the other one to. `process`: the number of the process that merges. */
export function copyPath(store: Store, process: number): string {
  return `${store.path}.merge-${process}`
}

/** With the files that SQLite keeps beside it. */
export function removeCopy(copy: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true })
}

/** Removes copies that are a day old and whose process has ended. */
export function removeLeftCopies(store: Store): void {
  const folder = dirname(store.path)
  const name = basename(copyPath(store, 0)).slice(0, -1)
  for (const entry of readdirSync(folder)) {
    const number = entry.startsWith(name) ? entry.slice(name.length) : ''
    if (!/^\d+$/.test(number) || isProcessRunning(Number(number))) continue
    const copy = join(folder, entry)
    const age = store.clock.wall() - (statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
    if (age > mostAgeMs) removeCopy(copy)
  }
}
