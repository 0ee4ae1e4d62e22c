/** Asked before the store is opened, and so in a file of its own that loads nothing of it. */
import { accessSync, constants, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

/** False when the file, its folder or their disk may only be read: SQLite needs to write both. Of a link, what it leads to counts. */
export function mayBeWritten(path: string): boolean {
  try {
    const file = realpathSync(path)
    accessSync(file, constants.W_OK)
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}
