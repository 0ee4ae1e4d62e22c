/** A finished file is given its name by renaming, which is one step. Windows refuses it while another program has the file open. */
import { renameSync, statSync } from 'node:fs'
import { Failure } from './errors.ts'

/** What Windows says while a virus scanner, an indexer or a reader has one of the two open. Elsewhere these mean what they say, and are said at once. */
const IN_USE: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY']

const longestMs = 2_000
const shortMs = 50

export interface Renaming {
  readonly platform?: NodeJS.Platform
  /** One try; for a test that plays Windows. */
  readonly rename?: (from: string, to: string) => void
}

/**
 * `/dev/null`, a pipe of the shell or a socket is not replaced: it would be gone for every program, and nobody would get the bytes.
 * @throws Failure usage
 */
export function refuseDevice(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined || there.isFile() || there.isDirectory()) return
  throw new Failure('usage', `${path} is a device or a pipe, and was left as it is`, { hint: 'name a file' })
}

/**
 * `from` takes the place of `to`. On Windows it is tried again for two seconds while either is in use.
 * @throws Failure usage where `to` is no file, what `renameSync` throws
 */
export function renameOver(
  from: string,
  to: string,
  { platform = process.platform, rename = renameSync }: Renaming = {},
): void {
  refuseDevice(to)
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
