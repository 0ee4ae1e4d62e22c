/**
 * What both stores (workbench and service) do with their database file. Nothing here opens a file that exists: closing any
 * descriptor of a database would drop the locks that SQLite holds on it in this process (H12).
 */
import { accessSync, closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Database from 'better-sqlite3'
import { Failure } from '../errors.ts'
import { partOf, renameOver } from '../system.ts'

export interface StoreFile {
  readonly path: string
  /** The flag and the environment variable by which a user names another file, for error messages. */
  readonly setting: string
}

/**
 * False only when there is nothing at the path. A file that exists and cannot be read is an error, not a missing file.
 * @throws Failure storeUnusable when permission is denied, on the file or a folder above it, or when a link leads nowhere
 */
export function fileIsThere(file: StoreFile): boolean {
  try {
    if (lstatSync(file.path, { throwIfNoEntry: false }) === undefined) return false
    accessSync(file.path, constants.R_OK)
    return true
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fileFailure(file, cause)
    throw new Failure('storeUnusable', `${file.path} is a link to a file that is not there`, {
      cause,
      hint: `mount the disk that it leads to, or name another file (${file.setting})`,
    })
  }
}

/**
 * Creates an empty file with mode 0600, before SQLite opens it; SQLite gives -wal and -shm the mode of the main file. The folder
 * must exist: a missing folder is more often an unmounted disk or a typing error than a wish for a new store.
 * @throws Failure storeUnusable
 */
export function makeFile(file: StoreFile): void {
  const folder = dirname(file.path)
  try {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Failure('storeUnusable', `${file.path} cannot be made: there is no folder ${folder}`, {
        hint: `mount its disk, make the folder (mkdir -p), or name another file (${file.setting})`,
      })
    }
    closeSync(openSync(file.path, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileFailure(file, error) // else another process made it in the same moment
  }
}

/** Creates the folder of a default path, which the user did not name. @throws Failure storeUnusable */
export function makeFolderOf(file: StoreFile): void {
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileFailure(file, error)
  }
}

/** A consistent copy in one file, readable by its owner only, including what is still in the write-ahead log; `target` must not exist. */
export function copyTo(db: Database.Database, target: string): void {
  // SQLite would create it with the mode that the umask allows. It also writes into an empty file that exists, so we create that
  // one with our mode.
  closeSync(openSync(target, 'wx', 0o600))
  try {
    db.prepare('vacuum into ?').run(target)
  } catch (error) {
    for (const end of ['', '-journal']) rmSync(`${target}${end}`, { force: true }) // a part of a copy could be taken for a whole one
    throw error
  }
}

/**
 * Copies a store of an older layout to `<path>.layout-<version>`, or to the next free name. `onCopy` gets that name before the copy begins.
 * Until the copy is whole, its name ends in `.part`.
 */
export function backUp(
  db: Database.Database,
  path: string,
  version: number,
  onCopy: (target: string) => void = () => {},
): void {
  const target = freeName(`${path}.layout-${version}`)
  const part = partOf(`${path}.layout-${version}`)
  onCopy(target)
  copyTo(db, part)
  renameOver(part, target) // a copy that another program made meanwhile is of the same store
}

function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : `${path}-${n}`
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name
  }
}

/** Turns an error of the file system into a Failure with a hint. Returns any other error as it is. */
export function fileFailure({ path, setting }: StoreFile, cause: unknown): unknown {
  if (cause instanceof Failure) return cause
  const known = REASONS[codeOf(cause) ?? '']
  if (known === undefined) return cause
  const { words, remedy } = known
  return new Failure('storeUnusable', `${path} ${words}`, {
    cause,
    hint: `${remedy}, or name another file (${setting})`,
  })
}

const denied = {
  words: 'cannot be opened: permission denied',
  remedy: 'make it readable and writable for you, and its folder too (ls -l, chmod, chown)',
}
const noFolder = { words: 'cannot be made: a file is where its folder should be', remedy: 'move that file away' }

const REASONS: Readonly<Record<string, { readonly words: string; readonly remedy: string } | undefined>> = {
  EACCES: denied,
  EPERM: denied,
  EROFS: { words: 'is on a read-only disk', remedy: 'mount the disk for writing' },
  ENOSPC: {
    words: 'cannot grow: the disk is full',
    remedy: 'free space and run the same command again (nothing is lost)',
  },
  ENOENT: { words: 'cannot be made: its folder is missing', remedy: 'mount its disk, make the folder (mkdir -p)' },
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  EBUSY: { words: 'is in use by another program', remedy: 'close it there' },
  EISDIR: { words: 'is a folder', remedy: 'move it away' },
}

/** The system’s name of an error, such as `ENOENT`; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
