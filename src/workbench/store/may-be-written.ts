/** Asked before the store is opened, and so in a file of its own that loads nothing of it. */
import { accessSync, constants, realpathSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** What SQLite needs beside a store even to read it. */
const leastBytes = 256 * 1024

/** False when the file, its folder or their disk may only be read, or the disk is full: SQLite needs to write both. Of a link, what it leads to counts. */
export function mayBeWritten(path: string): boolean {
  try {
    const file = realpathSync(path)
    accessSync(file, constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
    return freeBytes(dirname(file)) >= leastBytes
  } catch {
    return false
  }
}

/** Of the disk of a folder, for this user. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
