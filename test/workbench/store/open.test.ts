/** What is opened, what is refused, and that a refused file is left as it was (H42, H43). */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../../src/contract/metrics.ts'
import { Failure } from '../../../src/errors.ts'
import {
  APPLICATION_ID,
  MIGRATIONS,
  migrate,
  STORE_VERSION,
  storeVersion,
} from '../../../src/workbench/store/migrate.ts'
import { openStore, write } from '../../../src/workbench/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { openTemporary, openWithStudy } from './setup.ts'

const system = testSystem({ sleep: 'jump' })

it('a new store is made readable by its owner only', () => {
  const folder = temporaryFolder()
  const store = openStore(join(folder, 'workbench.sqlite'), { system })
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
  expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(store.db.pragma('synchronous', { simple: true })).toBe(2)
  expect(store.db.pragma('application_id', { simple: true })).toBe(APPLICATION_ID)
  store.close()
})

it('opening again changes nothing', () => {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  openStore(path, { system }).close()
  const before = hashOf(path)
  openStore(path, { system }).close()
  expect(hashOf(path)).toBe(before)
})

describe('a file that is not a store of ours', () => {
  const ours = (change: (db: Database.Database) => void) => (path: string) => {
    openStore(path, { system }).close()
    const db = new Database(path)
    change(db)
    db.pragma('journal_mode = DELETE')
    db.close()
  }
  const damaged = (change: (bytes: Buffer) => Buffer) => (path: string) => {
    ours((db) =>
      db.exec(
        "insert into service (identity, simulated, origin, first_seen_at) values ('x', 0, 'o', '2026-01-01T00:00:00.000Z')",
      ),
    )(path)
    writeFileSync(path, change(readFileSync(path)))
  }
  const fixtures: readonly (readonly [string, (path: string) => void])[] = [
    ['text', (path) => writeFileSync(path, 'not a database at all, but long enough to be looked at closely')],
    ['HTML', (path) => writeFileSync(path, '<html><body>502 Bad Gateway</body></html>'.repeat(50))],
    ['random bytes', (path) => writeFileSync(path, Buffer.from(system.randomBytes(9000)))],
    ['a database of another program', (path) => new Database(path).exec('create table t (a)').close()],
    [
      'an empty database of another program',
      (path) => {
        const db = new Database(path)
        db.pragma('application_id = 1234')
        db.close()
      },
    ],
    ['a store of a newer version', ours((db) => db.pragma(`user_version = ${STORE_VERSION + 1}`))],
    ['a store whose mark was overwritten', ours((db) => db.pragma('application_id = 7'))],
    ['a store cut in half', damaged((bytes) => bytes.subarray(0, bytes.length / 2))],
    ['a store with pages of zeros', damaged((bytes) => bytes.fill(0, 4096 * 2, 4096 * 12))],
    ['a store with a scrambled schema', damaged((bytes) => bytes.fill('?', 100, 140))],
    ['a folder', (path) => mkdirSync(path)],
  ]
  it.each(fixtures)('%s is refused in one line with a hint and left as it is', (_, make) => {
    const path = join(temporaryFolder(), 'workbench.sqlite')
    make(path)
    const before = hashOf(path)
    let failure: unknown
    try {
      openStore(path, { system }).close()
    } catch (error) {
      failure = error
    }
    if (!(failure instanceof Failure)) throw new Error(`not refused: ${String(failure)}`)
    expect(failure).toMatchObject({ code: 'storeUnusable', exitCode: 6 })
    expect(failure.message).not.toContain('\n')
    expect(failure.hint.length).toBeGreaterThan(10)
    expect(hashOf(path)).toBe(before)
  })

  it('a store that is absent cannot be opened to read', () => {
    const path = join(temporaryFolder(), 'workbench.sqlite')
    expect(() => openStore(path, { system, readonly: true })).toThrow(/There is no store/)
    expect(readdirSync(join(path, '..'))).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0)('a store that may not be written is refused', () => {
    const path = join(temporaryFolder(), 'workbench.sqlite')
    openStore(path, { system }).close()
    chmodSync(path, 0o400)
    expect(() => openStore(path, { system })).toThrow(Failure)
  })
})

describe('migrations', () => {
  it('are applied all or nothing: a crash at any statement leaves the old layout', () => {
    const path = join(temporaryFolder(), 'workbench.sqlite')
    const store = openStore(path, { system })
    const before = store.db.prepare('select name, sql from sqlite_schema order by name').all()
    const next = ['create table extra (a text) strict', 'alter table job add column b text', 'select 1/0; this fails']
    for (let n = 1; n <= next.length; n++) {
      const steps = [...MIGRATIONS.map(() => 'select 1'), ...next.slice(0, n - 1), 'create table job (a)']
      expect(() => migrate(store.db, steps)).toThrow(/already exists/)
      expect(storeVersion(store.db)).toBe(STORE_VERSION)
      expect(store.db.prepare('select name, sql from sqlite_schema order by name').all()).toEqual(before)
    }
    store.close()
  })

  it('bring an older store forward once', () => {
    const { store } = openTemporary()
    const steps = [...MIGRATIONS, 'alter table job add column note text']
    migrate(store.db, steps)
    migrate(store.db, steps)
    expect(storeVersion(store.db)).toBe(STORE_VERSION + 1)
    expect(store.db.prepare('select note from job').all()).toEqual([])
  })
})

it('every metric of the contract has its column, and no column is left over', () => {
  const { store } = openTemporary()
  const columns = store.db.prepare<[], { name: string }>("select name from pragma_table_info('result')").all()
  const names = new Set(columns.map(({ name }) => name))
  for (const { column } of Object.values(METRICS)) expect(names, column).toContain(column)
})

it('every view says what it is', () => {
  const { store } = openTemporary()
  const views = store.db.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where type = 'view'",
  )
  for (const { name, sql } of views.all()) expect(sql, name).toMatch(/\n {2}-- [A-Z]/)
})

it('a write waits for another writer without blocking, and gives up after a minute', async () => {
  const { store, system } = await openWithStudy()
  const other = new Database(store.path)
  other.exec('begin immediate')
  let ticks = 0
  const counting = async () => {
    for (; ticks < 30; ticks++) await system.clock.sleep(50)
    other.exec('rollback')
  }
  const [answer] = await Promise.all([write(store, () => 'written'), counting()])
  expect(answer).toBe('written')
  expect(ticks).toBe(30)
  other.exec('begin immediate')
  await expect(write({ ...store, clock: { ...store.clock, monotonic: hurried() } }, () => 'never')).rejects.toThrow(
    /another process/,
  )
  other.close()
})

/** A clock in which a minute passes between two looks. */
function hurried(): () => number {
  let now = 0
  return () => {
    now += 40_000
    return now
  }
}

function hashOf(path: string): string {
  if (statSync(path).isDirectory()) return `folder of ${readdirSync(path).length}`
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
