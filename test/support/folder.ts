/** The folders that tests write in: each is gone when the file that made it is through. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** A new, empty folder. `every-file.ts` removes what a test leaves; who makes thousands removes each by `removeFolder`. */
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
