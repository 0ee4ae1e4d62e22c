/**
 * H43: a store of every layout that ever was, with rows in every table, is brought forward: counts and sums stay, a backup lies beside it,
 * and a crash at any statement on the way leaves the old store or the new one, never a half.
 */
import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { APPLICATION_ID, MIGRATIONS, migrate, STORE_VERSION, storeVersion } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/store.ts'
import { testSystem } from '../support/system.ts'
import { tempFolder } from './setup.ts'

const system = testSystem({ sleep: 'jump' })
const at = '2026-01-01T00:00:00.000Z'
const open: Database.Database[] = []
afterEach(() => {
  for (const db of open.splice(0)) db.close()
})

/** What a research of two trials left in the first layout's tables; later layouts only add to them. */
const ROWS = `
insert into service values ('https://bots.example#1', 0, 'https://bots.example', '${at}');
insert into study values ('ladder', '${'f'.repeat(64)}', 'name: ladder', '{}', '${at}');
insert into trial values ('${'a'.repeat(64)}', 'binance/BTC-USDT', 'binance', 'BTC', 'USDT', '${at}', '${at}', 1000, 1, 1000, 20, 3, 1, 1.3, 1.2, 1, 0);
insert into trial values ('${'b'.repeat(64)}', 'binance/BTC-USDT', 'binance', 'BTC', 'USDT', '${at}', '${at}', 1000, 1, 1000, 20, 3, 1, 1.3, 1.2, 2, 0);
insert into study_trial values ('ladder', '${'f'.repeat(64)}', 0, '${'a'.repeat(64)}');
insert into study_trial values ('ladder', '${'f'.repeat(64)}', 1, '${'b'.repeat(64)}');
insert into study_run (study, study_fingerprint, identity, started_at, requests) values ('ladder', '${'f'.repeat(64)}', 'https://bots.example#1', '${at}', 7);
insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at)
  values ('https://bots.example#1', '', 'ladder', '${'a'.repeat(64)}', 1, 'n-1', 'intent', '${at}');
update attempt set state = 'acked', settled_at = '${at}', counted_at = '${at}' where name = 'n-1';
insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at)
  values ('https://bots.example#1', '', 'ladder', '${'b'.repeat(64)}', 1, 'n-2', 'intent', '${at}');
insert into job (identity, remote_id, fingerprint, attempt_id, state, submitted_at)
  values ('https://bots.example#1', 'job-1', '${'a'.repeat(64)}', 1, 'running', '${at}');
update job set state = 'done', finished_at = '${at}' where id = 1;
insert into reply (job_id, sha256, body, final, received_at) values (1, '${'0'.repeat(64)}', '{"id":"job-1"}', 1, '${at}');
insert into result (job_id, reply_id, net_profit, closed_deals) values (1, 1, 12.5, 30);
insert into foreign_job values ('https://bots.example#1', '', 'other', null, '${at}');
insert into request (rate_key, started_ms, finished_ms) values ('k', 1000, 2000);
insert into promotion (identity, account, fingerprint, name, plan_hash, state, opened_at)
  values ('https://bots.example#1', 'a@b', '${'a'.repeat(64)}', 'bot', 'h', 'intent', '${at}');
`

/** A store as version n left it, with its own views of that time gone: they are made anew in any case. */
function storeOf(version: number): string {
  const path = join(tempFolder(), 'workbench.sqlite')
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  for (const layout of MIGRATIONS.slice(0, version)) db.exec(layout)
  db.exec(ROWS)
  db.exec('create view runs as select remote_id from job')
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${version}`)
  db.close()
  return path
}

function reading(path: string): Database.Database {
  const db = new Database(path, { readonly: true })
  open.push(db)
  return db
}

type Columns = Readonly<Record<string, readonly string[]>>

function columnsOf(path: string): Columns {
  const db = reading(path)
  const ofTable = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
  return Object.fromEntries(tablesOf(path).map((table) => [table, ofTable.all(table)]))
}

/** Per table: how many rows, and the sum of every column. */
function contents(path: string, columns: Columns): Record<string, unknown> {
  const db = reading(path)
  return Object.fromEntries(
    Object.entries(columns).map(([table, names]) => {
      const sums = names.map((name) => `total(${name})`)
      return [
        table,
        db
          .prepare(`select count(*), ${sums.join(', ')} from ${table}`)
          .raw()
          .get(),
      ]
    }),
  )
}

function tablesOf(path: string): string[] {
  const tables = reading(path).prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
  return tables.pluck().all()
}

const schemaOf = (db: Database.Database) =>
  db.prepare<[], string>('select sql from sqlite_schema where sql is not null order by type, name').pluck().all()

const older = MIGRATIONS.slice(1).map((_, index) => index + 1)

describe.each(older)('a store of layout %i', (version) => {
  it('comes forward with every row, and what it was lies beside it', () => {
    const path = storeOf(version)
    const columns = columnsOf(path)
    const before = contents(path, columns)
    openStore(path, { system }).close()
    expect(storeVersion(reading(path))).toBe(STORE_VERSION)
    expect(contents(path, columns)).toEqual(before)
    const backup = `${path}.layout-${version}`
    expect(contents(backup, columns)).toEqual(before)
    expect(storeVersion(reading(backup))).toBe(version)
    expect(statSync(backup).mode & 0o077).toBe(0)
    const fresh = join(tempFolder(), 'workbench.sqlite')
    openStore(fresh, { system }).close()
    expect(tablesOf(path)).toEqual(tablesOf(fresh))
    // Once: opening again makes no second backup.
    openStore(path, { system }).close()
    expect(readdirSync(dirname(path)).filter((name) => name.includes('layout')).length).toBe(1)
  })

  it('is wholly old or wholly new after a crash at any statement on the way', () => {
    const path = storeOf(version)
    const old = schemaOf(reading(path))
    const columns = columnsOf(path)
    const before = contents(path, columns)
    const images: string[] = []
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.function('crash', () => {
      // What the disk holds at this moment is what a crash would leave.
      const image = join(tempFolder(), 'workbench.sqlite')
      for (const end of ['', '-wal']) if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${image}${end}`)
      images.push(image)
      return 1
    })
    migrate(
      db,
      MIGRATIONS.map((layout) => statementsOf(layout).join(';\nselect crash();\n').concat(';\nselect crash();')),
    )
    db.close()
    expect(images.length).toBe(MIGRATIONS.slice(version).flatMap(statementsOf).length)
    for (const image of images) {
      expect(schemaOf(reading(image))).toEqual(old)
      expect(storeVersion(reading(image))).toBe(version)
      expect(contents(image, columns)).toEqual(before)
      openStore(image, { system }).close()
      expect(storeVersion(reading(image))).toBe(STORE_VERSION)
      expect(contents(image, columns)).toEqual(before)
    }
    expect(storeVersion(reading(path))).toBe(STORE_VERSION)
  })
})

/** A layout's statements; a trigger's body stands on its last line. */
function statementsOf(layout: string): string[] {
  return layout
    .split(/;[ \t]*(?:--[^\n]*)?\n(?=\s*(?:--|create\b|alter\b|drop\b|insert\b|update\b|$))/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

it('the layouts are cut into statements where SQLite cuts them', () => {
  for (const layout of MIGRATIONS) {
    const db = new Database(':memory:')
    open.push(db)
    const known = MIGRATIONS.slice(0, MIGRATIONS.indexOf(layout))
    for (const earlier of known) db.exec(earlier)
    for (const statement of statementsOf(layout)) expect(() => db.prepare(statement).run(), statement).not.toThrow()
  }
})
