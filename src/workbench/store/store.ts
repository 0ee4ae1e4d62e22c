/**
 * The workbench's store file: opens it, refuses files that are not ours, and writes without blocking the program.
 *
 * The storage contract, which every file of this room keeps:
 *
 * - **Who writes.** Only this room has SQL that writes. `run` and `service jobs resolve` write attempts, jobs and replies, and hold the
 * identity's lock while they do (`lock.ts`); `promote` and `bots` write promotions and bot orders; `screen --save` writes
 * screens, `screen` and `backtest` what was tried; `store merge` brings rows of every kind from another store (`merge/merge.ts`); `show` writes tags and
 * notes; `study rename`, `archive`, `rm` and `store clean` write what their names say; any process writes requests into the minute log.
 * `sql` opens the file read-only. Commands that only read do so where the file may not be written (`read-only.ts`); elsewhere they may
 * have to bring an older layout forward first (`migrate.ts`), and `status` keeps what it has counted (`study-counts.ts`).
 * - **How.** Every change is one immediate transaction with `synchronous = full`: once it resolves it survives a power cut. No
 * transaction waits for anything but the disk. The decision and the row it leads to are in the same transaction (allowance, locks
 * of promotions).
 * - **Order.** A row that says what is about to be sent is committed before the request leaves; the row that says what came of it
 * follows. A process that dies between the two leaves the first one, and the next process takes it over (`decisions/0001`).
 * - **What never changes once it is written.** Trials and replies are inserted, never updated; of a reply only its text can be dropped. An attempt that is acked,
 * rejected, released, adopted or absent, and the first final result of a job, stay what they are; illegal moves and the deletion
 * of attempts and jobs are refused by triggers, whoever asks. Later replies of the same job are kept beside the first. Columns
 * derived from a reply may be derived again (`reparse.ts`); the reply may not.
 * - **What is deleted.** Requests older than the window of the rate; the note of an unknown job once it turns out to be ours; counts
 * that are no longer true. By a person's word alone: replies and series of old results (`prune.ts`, which leaves the date behind), the
 * definition of a study (`study-upkeep.ts`), tags and notes (`marks.ts`). Nothing else.
 * - **What others may rely on.** The views, not the tables: tables have a history (`migrate.ts`), views have a present
 * (`views.ts`).
 */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Failure } from '../../errors.ts'
import { backUp, fileFailure, fileIsThere, makeFile, makeFolderOf, type StoreFile } from '../../sqlite/sqlite-file.ts'
import { prepared } from '../../sqlite/statements.ts'
import type { System } from '../../system.ts'
import { DAMAGED_HINT, findReaders } from './file-check.ts'
import {
  APPLICATION_ID,
  describeEarlierLayout,
  MIGRATIONS,
  migrate,
  stepsUpTo,
  storeVersion,
  versionAfter,
} from './migrate.ts'
import { isBusy, isFull, sqliteFailure } from './sqlite-failure.ts'
import { compareViews, findForeign } from './views.ts'

export interface Store {
  readonly path: string
  readonly db: Database.Database
  readonly clock: System['clock']
  /** Says a sentence to whoever waits. */
  readonly note?: Note
  close(): void
}

/** SQLite waits this long for another process and blocks the program meanwhile; longer waits are done by `write` and do not block. */
const busyTimeoutMs = 250
/** When the store is opened, blocking does no harm, and another process may be making the file. */
const openTimeoutMs = 5_000
const retryEveryMs = 100
const mostBusyMs = 60_000
const sayAfterMs = 2_000

/** File systems on which SQLite's shared memory does not work: NFS, SMB, CIFS, SMB2, 9P. */
const REMOTE_FILE_SYSTEMS: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997]

type Note = (text: string) => void

export interface OpenOptions {
  readonly system: System
  readonly readonly?: boolean
  /** What a person should know; default: one line on stderr. */
  readonly onNote?: Note
  /** For tests of what brings a store to a later layout. */
  readonly steps?: readonly string[]
}

/**
 * Opens the store, and makes it (mode 0600) when it is absent and its folder exists. Any file that is not a store of this version
 * or older is refused and not changed.
 * @throws Failure storeUnusable
 */
export function openStore(path: string, options: OpenOptions): Store {
  const { system, readonly = false, onNote = noteOn(system), steps = MIGRATIONS } = options
  try {
    if (readonly) requireStore(path)
    else if (!storeIsThere(path)) makeFile(fileOf(path))
    refuseRemote(path)
    const isUnsure = wasLeftOpen(path)
    const db = new Database(path, { readonly, fileMustExist: true, timeout: busyTimeoutMs })
    try {
      refuseForeign(db, versionAfter(steps))
      if (isUnsure) checkFile(db)
      else touchTables(db)
      if (!readonly) prepare(db, path, { onNote, steps })
    } catch (error) {
      db.close()
      throw error
    }
    return { path, db, clock: system.clock, note: onNote, close: () => db.close() }
  } catch (error) {
    throw storeFailure(path, error)
  }
}

/**
 * Whether the log of a program that was killed lies beside the file: the last one to close a store removes its log, or leaves an empty one if
 * it only read. To be asked before the file is opened. Where the system does not say who has a file open, a store in use counts as left.
 */
function wasLeftOpen(path: string): boolean {
  const { size } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { size: 0 }
  return size > 0 && findReaders(path).length === 0
}

/** @throws Failure storeUnusable when something is wrong */
function checkFile(db: Database.Database): void {
  const verdict = String(db.pragma('quick_check(1)', { simple: true }))
  if (verdict === 'ok') return
  throw new Failure('storeUnusable', `${db.name} is damaged: ${verdict.split('\n')[0]}`, { hint: DAMAGED_HINT })
}

/**
 * The first page of every table, in a millisecond: a file that was half overwritten is noticed before anything is written to it. In one
 * transaction, because another process may be making the tables anew at this moment.
 */
function touchTables(db: Database.Database): void {
  // A virtual table of somebody else's extension has no pages of its own.
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table' and rootpage > 0").pluck()
  db.transaction(() => {
    for (const name of tables.all()) db.prepare(`select 1 from "${name.replaceAll('"', '""')}" limit 1`).get()
  })()
}

function noteOn({ terminal }: System): Note {
  return (text) => terminal.err(`note: ${text}\n`)
}

/** An empty store in memory, for reading a store that was never made. */
export function openNothing(path: string, { system }: { system: System }): Store {
  const db = new Database(':memory:')
  prepare(db, path, { onNote: noteOn(system), steps: MIGRATIONS })
  return { path, db, clock: system.clock, close: () => db.close() }
}

const setting = '--store, DCALAB_STORE'

/** @throws Failure storeUnusable when there is no store, or it may not be read */
export function requireStore(path: string): void {
  if (storeIsThere(path)) return
  throw new Failure('storeUnusable', `There is no store at ${path} yet`, {
    hint: `check the path (${setting}), or run a study first: \`dcalab demo\` or \`dcalab run <file>\``,
  })
}

/** @throws Failure storeUnusable when permission to look is denied */
export function storeIsThere(path: string): boolean {
  return fileIsThere(fileOf(path))
}

/** Makes the folder of the default store. @throws Failure storeUnusable */
export function makeStoreFolder(path: string): void {
  makeFolderOf(fileOf(path))
}

function fileOf(path: string): StoreFile {
  return { path, setting }
}

function refuseRemote(path: string): void {
  if (!REMOTE_FILE_SYSTEMS.includes(statfsSync(dirname(path)).type)) return
  throw new Failure('storeUnusable', `${path} lies on a network file system, where SQLite cannot keep its promises`, {
    hint: `put the store on a local disk (${setting})`,
  })
}

/** Only reads: a file that is refused here was not changed. */
function refuseForeign(db: Database.Database, newest: number): void {
  // Read in one transaction: another process may be making the file at this moment.
  const { version, applicationId, entries } = db.transaction(() => ({
    version: storeVersion(db),
    applicationId: Number(db.pragma('application_id', { simple: true })),
    entries: db.prepare<[], { n: number }>('select count(*) as n from sqlite_schema').get()?.n ?? 0,
  }))()
  const isNew = entries === 0 && version === 0 && applicationId === 0
  if (isNew && !db.readonly) return
  if (applicationId !== APPLICATION_ID || entries === 0) {
    throw new Failure('storeUnusable', `${db.name} is not a store of this program`, {
      hint: 'name another file with --store; this one was left as it is',
    })
  }
  const earlier = describeEarlierLayout(db.name, version)
  if (earlier !== null) throw new Failure('storeUnusable', earlier.message, { hint: earlier.hint })
  if (version > newest) {
    throw new Failure(
      'storeUnusable',
      `${db.name} was written by a newer version (layout ${version}, this one knows ${newest})`,
      { hint: 'update dcalab; the file was left as it is' },
    )
  }
}

/** Bringing more than this forward takes long enough to wonder what happens. */
const largeBytes = 50_000_000

function prepare(
  db: Database.Database,
  path: string,
  { onNote, steps }: Required<Pick<OpenOptions, 'onNote' | 'steps'>>,
): void {
  const version = storeVersion(db)
  const newest = versionAfter(steps)
  if (version > 0 && version < newest) {
    refuseTakenNames(db, steps)
    backUp(db, path, version, (copy) => {
      if (statSync(path).size < largeBytes) return
      onNote(`bringing ${path} from layout ${version} to ${newest}, which takes a while; as it was it stays in ${copy}`)
    })
  }
  db.pragma(`busy_timeout = ${openTimeoutMs}`)
  db.pragma('journal_mode = WAL')
  // better-sqlite3 falls back to NORMAL under WAL, and then a POST could be sent before its intent is on the disk.
  db.pragma('synchronous = FULL')
  db.pragma('fullfsync = ON')
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  const before = version === newest ? compareViews(db) : undefined
  if (before?.current !== true) for (const sentence of migrate(db, steps)) onNote(sentence)
  const { taken } = before?.current === true ? before : compareViews(db)
  if (taken.length > 0) {
    onNote(`${path} has something of your own named ${taken.join(', ')}: dcalab’s view of that name is left out`)
  }
  db.pragma(`busy_timeout = ${busyTimeoutMs}`)
}

/**
 * Before a store of an older layout is touched.
 * @throws Failure storeUnusable when an analyst's own table, index or trigger has a name that a newer layout needs
 */
function refuseTakenNames(db: Database.Database, steps: readonly string[] = MIGRATIONS): void {
  const done = stepsUpTo(storeVersion(db), steps)
  const needed = steps
    .slice(done.length)
    .flatMap((step) =>
      [...step.matchAll(/^create (?:unique )?(?:table|index|trigger) (\w+)/gm)].map(([, name]) => name),
    )
  const taken = findForeign(db, done).filter(({ name }) => needed.includes(name.toLowerCase()))
  if (taken.length === 0) return
  const named = taken.map(({ type, name }) => `${type} ${name}`).join(', ')
  throw new Failure('storeUnusable', `${db.name} has something of your own under a name that dcalab needs: ${named}`, {
    hint: 'rename it (`alter table … rename to …`), or drop it; the store was left as it is',
  })
}

const writes = new WeakMap<Database.Database, number>()

/** A text that changes with every commit of ours through `write` and of other processes: at the same revision, earlier reads are still valid. */
export function revisionOf({ db }: Store): string {
  return `${writes.get(db) ?? 0} ${prepared<[], number>(db, 'pragma data_version').pluck().get()}`
}

/**
 * One immediate transaction. Waits without blocking while another process writes, for at most a minute. `patient` also tries
 * again on a full disk: for outcomes that must not be lost.
 * @throws Failure storeUnusable
 */
export async function write<T>(store: Store, work: () => T, options: { patient?: boolean } = {}): Promise<T> {
  const transaction = store.db.transaction(work)
  const since = store.clock.monotonic()
  let isSaid = false
  for (;;) {
    try {
      const answer = transaction.immediate()
      writes.set(store.db, (writes.get(store.db) ?? 0) + 1)
      return answer
    } catch (error) {
      const passes = isBusy(error) || (options.patient === true && isFull(error))
      if (!passes || store.clock.monotonic() - since >= mostBusyMs) throw storeFailure(store.path, error)
    }
    if (!isSaid && store.clock.monotonic() - since >= sayAfterMs) {
      isSaid = true
      store.note?.(
        `${store.path} cannot be written at the moment: another program holds it, or its disk is full; waiting for up to a minute`,
      )
    }
    await store.clock.sleep(retryEveryMs)
  }
}

/** Turns an error of SQLite or the file system into a Failure; any other error is a bug and is returned unchanged. */
export function storeFailure(path: string, error: unknown): unknown {
  return sqliteFailure(path, error) ?? fileFailure(fileOf(path), error)
}
