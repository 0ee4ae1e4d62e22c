/** The folders that tests and benches write in: one that a test made is gone when its file is through (`every-file.ts`). */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/**
 * A new, empty folder, in memory where the system has room for it there: most of the time of a test that writes stores was waiting for the disk. Whoever
 * makes thousands, or is no test, removes each by `removeFolder`.
 */
export function temporaryFolder(): string {
  inMemory ??= isRoomy('/dev/shm') ? '/dev/shm' : tmpdir()
  return makeIn(inMemory)
}

let inMemory: string | undefined

/** A gigabyte is free, and programs in it may be run (containers often forbid both). */
function isRoomy(place: string): boolean {
  if (!existsSync(place)) return false
  const { bavail, bsize } = statfsSync(place)
  if (bavail * bsize < 2 ** 30) return false
  const probe = join(makeIn(place), 'probe')
  writeFileSync(probe, '', { mode: 0o755 })
  try {
    accessSync(probe, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The same on a disk: for programs that are killed, whose writing is watched, or who are run as a user runs them. */
export function folderOnDisk(): string {
  return makeIn(tmpdir())
}

/** The same in whatever memory there is: for small stores by the thousand, whose durability is tested elsewhere. */
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
