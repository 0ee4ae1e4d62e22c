/** A finished file is given its name by renaming, which is one step. Windows refuses it while another program has the file open. */
import { renameSync } from 'node:fs'

/** What Windows says while a virus scanner, an indexer or a reader has one of the two open. Elsewhere these mean what they say, and are said at once. */
const IN_USE: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY']

const longestMs = 2_000
const shortMs = 50

export interface Renaming {
  readonly platform?: NodeJS.Platform
  /** One try; for a test that plays Windows. */
  readonly rename?: (from: string, to: string) => void
}

/** `from` takes the place of `to`. On Windows it is tried again for two seconds while either is in use. @throws what `renameSync` throws */
export function renameOver(
  from: string,
  to: string,
  { platform = process.platform, rename = renameSync }: Renaming = {},
): void {
  const tries = platform === 'win32' ? longestMs / shortMs : 1
  for (let left = tries - 1; ; left--) {
    try {
      rename(from, to)
      return
    } catch (error) {
      const isInUse = error instanceof Error && 'code' in error && IN_USE.includes(error.code)
      if (left === 0 || !isInUse) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, shortMs)
    }
  }
}
