/** The folders that tests and benches write in: one that a test made is gone when its file is through (`every-file.ts`). */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** A new, empty folder. Whoever makes thousands, or is no test, removes each by `removeFolder`. */
export function temporaryFolder(): string {
  return makeIn(tmpdir())
}

/** The same in memory, where the system has such a folder: for stores by the thousand, whose durability is tested elsewhere. */
export function folderInMemory(): string {
  return makeIn(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  made.delete(folder)
}

export function removeFolders(): void {
  for (const folder of made) removeFolder(folder)
}

function makeIn(place: string): string {
  const folder = mkdtempSync(join(place, 'dcalab-'))
  made.add(folder)
  return folder
}
