import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where thousands of stores live for a moment: in memory where the system has such a folder. Their durability is tested elsewhere. */
export function memoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}
