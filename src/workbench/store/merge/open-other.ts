/**
 * Another store, as a file that nobody vouches for. It is opened read-only, and only to look at its schema and to copy it; everything
 * else is asked of the copy, which has our tables, our indexes and our triggers, and nothing else that SQLite would run.
 */

import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import { copyTo, fileIsThere } from '../../../sqlite/sqlite-file.ts'
import { isProcessRunning } from '../lock.ts'
import { APPLICATION_ID, describeEarlierLayout, migrate, STORE_VERSION, stepsUpTo, storeVersion } from '../migrate.ts'
import { isFull } from '../sqlite-failure.ts'
import { type Store, storeFailure } from '../store.ts'
import { findDamage } from './check-other.ts'

interface OtherStore {
  /** Of the newest layout. */
  readonly db: Database.Database
  readonly copy: string
  /** Of the file that was named. */
  readonly layout: number
  close(): void
}

/** More than ten million results. */
const mostBytes = 256e9

/** Of the copy. It is written once and then read from end to end, which takes a third less time in the largest pages that SQLite has. */
const pageBytes = 65536

/**
 * A copy of `path` beside our store, which `close` removes.
 * @throws Failure mergeRefused for a file that is not a store of this or an older layout, with what is wrong with it; storeUnusable
 * when it cannot be read or the copy cannot be written
 */
export function openOther(store: Store, path: string): OtherStore {
  removeLeftCopies(store)
  const copy = `${copyPrefix(store)}${process.pid}-${randomBytes(8).toString('hex')}`
  try {
    const { layout, ours } = copyStore(path, copy)
    const db = new Database(copy, { fileMustExist: true })
    try {
      db.pragma('trusted_schema = OFF')
      db.pragma('journal_mode = MEMORY') // the copy need not survive a crash
      db.pragma('synchronous = OFF')
      keepOursOnly(db, ours)
      refuseDamage(path, findDamage(db))
      bringForward(path, db, layout)
    } catch (error) {
      db.close()
      throw error
    }
    return {
      db,
      copy,
      layout,
      close: () => {
        db.close()
        removeCopy(copy)
      },
    }
  } catch (error) {
    removeCopy(copy)
    throw refusal(store, path, error)
  }
}

/** @throws Failure mergeRefused naming all of it */
export function refuseDamage(path: string, damage: readonly string[]): void {
  if (damage.length === 0) return
  throw new Failure('mergeRefused', `${path} is not whole, or not what it says: ${damage[0]}`, {
    problems: damage.slice(1).map((message) => ({ place: path, message })),
  })
}

function copyStore(path: string, copy: string): { readonly layout: number; readonly ours: readonly SchemaObject[] } {
  if (!fileIsThere({ path, setting: 'merge <file>' })) {
    throw new Failure('usage', `there is no file ${path}`, { hint: 'name a store of this program' })
  }
  const file = statSync(path)
  if (!file.isFile()) throw new Failure('usage', `${path} is no file`, { hint: 'name a store of this program' })
  if (file.size > mostBytes) throw new Failure('mergeRefused', `${path} has more than ${mostBytes / 1e9} GB`)
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2_000 })
  try {
    db.pragma('trusted_schema = OFF')
    const layout = storeVersion(db)
    refuseForeign(path, { applicationId: Number(db.pragma('application_id', { simple: true })), layout })
    const ours = schemaOfLayout(layout)
    refuseOtherTables(path, db, { layout, ours })
    db.pragma(`page_size = ${pageBytes}`)
    db.pragma('cache_size = -2000') // a larger one makes copying three times as slow
    copyTo(db, copy)
    return { layout, ours }
  } finally {
    db.close()
  }
}

function refuseForeign(path: string, { applicationId, layout }: { applicationId: number; layout: number }): void {
  if (applicationId !== APPLICATION_ID || layout < 1) {
    throw new Failure('mergeRefused', `${path} is not a store of this program`)
  }
  const earlier = describeEarlierLayout(path, layout)
  if (earlier !== null) throw new Failure('mergeRefused', earlier.message, { hint: earlier.hint })
  if (layout > STORE_VERSION) {
    throw new Failure(
      'mergeRefused',
      `${path} was written by a newer version (layout ${layout}, this one knows ${STORE_VERSION})`,
      { hint: 'update dcalab; neither store was changed' },
    )
  }
}

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

const schemas = new Map<number, readonly SchemaObject[]>()

/** Tables, indexes and triggers of a new store of that layout. */
function schemaOfLayout(layout: number): readonly SchemaObject[] {
  const known = schemas.get(layout)
  if (known !== undefined) return known
  const db = new Database(':memory:')
  try {
    for (const step of stepsUpTo(layout)) db.exec(step)
    const schema = schemaOf(db)
    schemas.set(layout, schema)
    return schema
  } finally {
    db.close()
  }
}

function schemaOf(db: Database.Database): readonly SchemaObject[] {
  return db
    .prepare<[], SchemaObject>('select type, name, sql from sqlite_schema where sql is not null order by rowid')
    .all()
}

/** Older versions of SQLite and dumps quote names otherwise; columns that came by a migration have lost their comments. */
function isSame(a: SchemaObject, b: SchemaObject): boolean {
  return a.type === b.type && a.name === b.name && plainOf(a) === plainOf(b)
}

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Without comments, which stand outside of what is quoted, without quotation marks of names and without spaces. */
function plainOf({ sql }: SchemaObject): string {
  return sql
    .replace(quotedOrComment, (text) => (text.startsWith('--') || text.startsWith('/*') ? ' ' : text))
    .replace(/["\s]/g, '')
    .toLowerCase()
}

/**
 * Our tables have to be what our migrations made of them, checks included, and copying must compute nothing: an index of somebody's
 * own over an expression would be computed for every row.
 */
function refuseOtherTables(
  path: string,
  db: Database.Database,
  { layout, ours }: { readonly layout: number; readonly ours: readonly SchemaObject[] },
): void {
  const theirs = schemaOf(db)
  for (const table of ours.filter(({ type }) => type === 'table')) {
    if (theirs.some((object) => isSame(object, table))) continue
    throw new Failure('mergeRefused', `${path} is not a store of layout ${layout}: its table ${table.name} differs`)
  }
  const strange = theirs.find(
    (object) =>
      !ours.some((known) => isSame(known, object)) &&
      (/^\s*create\s+virtual/i.test(object.sql) || (object.type === 'index' && computes(db, object.name))),
  )
  if (strange === undefined) return
  throw new Failure('mergeRefused', `${path} holds ${strange.name}, which would compute while it is copied`, {
    hint: 'remove it there, or merge a store that `dcalab store backup` made before it was added',
  })
}

function computes(db: Database.Database, index: string): boolean {
  const expressions = db.prepare<[string], unknown>('select 1 from pragma_index_xinfo(?) where cid = -2')
  const partial = db.prepare<[string], unknown>(
    'select 1 from sqlite_schema s, pragma_index_list(s.tbl_name) l where s.name = l.name and s.name = ? and l.partial = 1',
  )
  return expressions.get(index) !== undefined || partial.get(index) !== undefined
}

/** What is not ours goes, whatever its kind; indexes and triggers of ours that are missing come back. */
function keepOursOnly(db: Database.Database, ours: readonly SchemaObject[]): void {
  db.pragma('foreign_keys = OFF')
  for (const object of schemaOf(db)) {
    if (object.name.startsWith('sqlite_') || ours.some((known) => isSame(known, object))) continue
    db.exec(`drop ${object.type} if exists "${object.name.replaceAll('"', '""')}"`)
  }
  const kept = schemaOf(db)
  for (const object of ours) if (!kept.some((known) => isSame(known, object))) db.exec(object.sql)
}

/** Older rows are rewritten as they are brought forward, which can fail on what is not written as we wrote it. */
function bringForward(path: string, db: Database.Database, layout: number): void {
  if (layout === STORE_VERSION) return
  try {
    migrate(db)
  } catch (error) {
    if (isFull(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('mergeRefused', `${path} cannot be brought forward to layout ${STORE_VERSION}: ${reason}`, {
      cause: error,
    })
  }
}

/** What SQLite finds in the other file is its fault; that it is held, may not be read, or that the disk is full, is not. */
function refusal(store: Store, path: string, error: unknown): unknown {
  if (isFull(error)) return storeFailure(store.path, error)
  const known = storeFailure(path, error)
  if (!(error instanceof Database.SqliteError)) return known
  const isContent = !(known instanceof Failure) || /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
  if (!isContent) return known
  return new Failure('mergeRefused', `${path} cannot be read as a store: ${error.message}`, { cause: error })
}

/** A younger copy stays: it may be of a process that is at work in another container. */
const mostAgeMs = 24 * 3_600_000

/** Begins the names of copies that merges into this store make: the number of the process follows, then what tells it from one of another container. */
function copyPrefix(store: Store): string {
  return `${store.path}.merge-`
}

/** With the files that SQLite keeps beside it. */
function removeCopy(copy: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true })
}

/** Removes copies that are a day old and whose process has ended. */
function removeLeftCopies(store: Store): void {
  const folder = dirname(store.path)
  const name = basename(copyPrefix(store))
  for (const entry of readdirSync(folder)) {
    const [number] = (entry.startsWith(name) && /^\d+(?=(?:-[0-9a-f]{16})?$)/.exec(entry.slice(name.length))) || []
    if (number === undefined || isProcessRunning(Number(number))) continue
    const copy = join(folder, entry)
    const age = store.clock.wall() - (statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
    if (age > mostAgeMs) removeCopy(copy)
  }
}
