/** What SQLite says of the file or the disk, in words for a person. */
import { Failure } from '../../errors.ts'
import { codeOf } from '../../sqlite/sqlite-file.ts'
import { DAMAGED_HINT } from './file-check.ts'

const FOREIGN_WORDS: readonly (readonly [prefix: string, words: string, hint?: string])[] = [
  ['SQLITE_BUSY', 'is being written by another process', 'close the other program that holds it, then run again'],
  ['SQLITE_LOCKED', 'is being written by another process', 'close the other program that holds it, then run again'],
  ['SQLITE_FULL', 'cannot grow: the disk is full', 'free space, then run the same command again; nothing is lost'],
  [
    'SQLITE_IOERR_SHMSIZE',
    'cannot be opened: the disk is full',
    'free space, then run the same command again; nothing is lost',
  ],
  ['SQLITE_IOERR', 'cannot be read or written: the disk reports an error'],
  ['SQLITE_READONLY', 'is read-only', 'make the file and its folder writable (chmod u+w)'],
  [
    'SQLITE_CANTOPEN',
    'cannot be opened',
    'it has to be a file; it, its -wal and -shm and its folder have to be yours to read and write (ls -l)',
  ],
  ['SQLITE_PERM', 'cannot be opened: permission denied'],
  ['SQLITE_NOTADB', 'is not a SQLite database', 'name another file with --store; this one was left as it is'],
  ['SQLITE_CORRUPT', 'is damaged', DAMAGED_HINT],
]

/** undefined for an error that is not of the file or the disk. */
export function sqliteFailure(path: string, error: unknown): Failure | undefined {
  const code = codeOf(error)
  for (const [prefix, words, hint] of FOREIGN_WORDS) {
    if (code?.startsWith(prefix)) {
      return new Failure('storeUnusable', `${path} ${words}`, { cause: error, hint })
    }
  }
  return undefined
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? '')
}

export function isFull(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test(codeOf(error) ?? '')
}
