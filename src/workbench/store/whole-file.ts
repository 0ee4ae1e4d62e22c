/** Files that are made from the store: there whole or not at all, and nothing is overwritten unasked. */
import { closeSync, fsyncSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../errors.ts'
import { copyTo, fileFailure, type StoreFile } from '../../sqlite/sqlite-file.ts'
import { partOf, refuseDevice, renameOver } from '../../system.ts'
import { type Store, storeFailure } from './store.ts'

// A copy of the store in one file, taken while others may be writing: what was committed when it began, compacted.

interface SnapshotFile {
  readonly path: string
  readonly bytes: number
}

/**
 * Mode 0600. Blocks the program meanwhile, and nobody else.
 * @throws Failure usage when something is there already, storeUnusable when it cannot be written
 */
export async function takeSnapshot(store: Store, { path }: { readonly path: string }): Promise<SnapshotFile> {
  try {
    await writeWhole({ path, setting: 'store backup <file>' }, { force: false, store: store.path }, (part) =>
      copyTo(store.db, part),
    )
  } catch (error) {
    throw storeFailure(path, error)
  }
  return { path, bytes: statSync(path).size }
}

interface Replacing {
  /** Replace a file that is there. */
  readonly force: boolean
  /** Path of the store, which nothing replaces. */
  readonly store: string
}

/**
 * `write` makes the file that it is given, which takes the place of `file` once it is on the disk.
 * @throws Failure usage when something is there already and `force` is false, or it is the store; storeUnusable when it cannot be
 * written
 */
export async function writeWhole<T>(
  file: StoreFile,
  replacing: Replacing,
  write: (part: string) => T | Promise<T>,
): Promise<T> {
  try {
    refuseToReplace(file, replacing)
    const part = partOf(file.path)
    try {
      const answer = await write(part)
      keep(part, 'r+')
      refuseToReplace(file, replacing) // somebody may have made it meanwhile
      renameOver(part, file.path)
      if (process.platform !== 'win32') keep(dirname(file.path), 'r') // the new name; Windows has no such wait for a folder
      return answer
    } finally {
      remove(part) // does nothing after the rename
    }
  } catch (error) {
    throw fileFailure(file, error)
  }
}

/** With what SQLite keeps beside a file that it writes. */
function remove(part: string): void {
  for (const end of ['', '-journal']) rmSync(`${part}${end}`, { force: true })
}

function refuseToReplace({ path, setting }: StoreFile, { force, store }: Replacing): void {
  refuseDevice(path)
  const there = statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false })
  if (there === undefined) return
  const isStore = ['', '-wal', '-shm'].some((end) => {
    const ours = statSync(`${store}${end}`, { throwIfNoEntry: false })
    return ours !== undefined && ours.ino === there.ino && ours.dev === there.dev
  })
  if (force && !isStore && !there.isDirectory()) return
  const remedy = force || isStore || setting !== '--out' ? '' : ', or replace it (--force)'
  throw new Failure('usage', `${path} is ${isStore ? 'the store itself' : 'there already'}, and was left as it is`, {
    hint: `name another file${remedy}`,
  })
}

/** Waits until it is on the disk. */
function keep(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
