/** H43: a service store of every known version is brought forward: every row, number and reference stays, a copy of it lies beside. */

import { readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FIRST_VERSION, MIGRATIONS, openDatabase } from '../../src/service/database.ts'
import { STEPS, serviceStoreOf } from './old-versions.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

function inside<T>(path: string, ask: (db: BetterSqlite3.Database) => T): T {
  const db = new BetterSqlite3(path)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

/** Every row of every table, by the columns that the table has at `like`. */
function rowsOf(path: string, like = path): Record<string, unknown[]> {
  const columns = inside(like, (db) => {
    const tables = db
      .prepare<[], string>(
        "select name from sqlite_schema where type = 'table' and name <> 'sqlite_sequence' order by name",
      )
      .pluck()
      .all()
    const ofTable = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
    return tables.map((table) => [table, ofTable.all(table)] as const)
  })
  return inside(path, (db) =>
    Object.fromEntries(
      columns.map(([table, names]) => [table, db.prepare(`select ${names.join(', ')} from ${table} order by 1`).all()]),
    ),
  )
}

/** The last number given in each table that never gives one twice. */
function numbersOf(path: string): unknown {
  return inside(path, (db) => db.prepare('select name, seq from sqlite_sequence where seq > 0 order by name').all())
}

/** Indexes, references and triggers with the table they belong to. */
function structureOf(path: string): unknown {
  return inside(path, (db) => ({
    objects: db.prepare('select type, name, tbl_name from sqlite_schema order by type, name').all(),
    references: db
      .prepare(
        `select t.name, k."table", k."from", k."to" from sqlite_schema t, pragma_foreign_key_list(t.name) k order by 1, 2`,
      )
      .all(),
  }))
}

function open(path = world.storePath): void {
  openDatabase(path, world.system, STEPS).close()
}

describe.each(MIGRATIONS.map((_, n) => FIRST_VERSION + n))('a service store of version %i', (version) => {
  it('comes forward with every row, number and reference, and what it was lies beside it', () => {
    serviceStoreOf(version, world.storePath)
    const backup = `${world.storePath}.layout-${version}`
    const before = rowsOf(world.storePath)
    open()
    expect(rowsOf(world.storePath, backup)).toEqual(before)
    expect(rowsOf(backup)).toEqual(before)
    expect(numbersOf(world.storePath)).toEqual(numbersOf(backup))
    expect(inside(backup, (db) => db.pragma('user_version', { simple: true }))).toBe(version)
    expect(statSync(backup).mode & 0o077).toBe(0)
    expect(inside(world.storePath, (db) => db.pragma('foreign_key_check'))).toEqual([])
    const fresh = `${world.folder}/fresh.sqlite`
    open(fresh)
    expect(structureOf(world.storePath)).toEqual(structureOf(fresh))
    open() // once: no second copy
    const copies = readdirSync(dirname(backup)).filter((name) => name.includes('layout'))
    expect(copies).toEqual([basename(backup)])
  })

  it('that cannot be brought forward stays as it was', () => {
    serviceStoreOf(version, world.storePath)
    inside(world.storePath, (db) => db.exec('create table bots_anew (a)'))
    const before = rowsOf(world.storePath)
    expect(() => open()).toThrow(/already exists/)
    expect(rowsOf(world.storePath)).toEqual(before)
    expect(inside(world.storePath, (db) => db.pragma('user_version', { simple: true }))).toBe(version)
  })
})

it('a service store of a version before the first is refused in one sentence that names the commit which brings it forward', () => {
  serviceStoreOf(FIRST_VERSION, world.storePath)
  inside(world.storePath, (db) => db.pragma(`user_version = ${FIRST_VERSION - 1}`))
  expect(() => openDatabase(world.storePath, world.system)).toThrow(
    expect.objectContaining({
      code: 'storeUnusable',
      message: `${world.storePath} has version 2; this program reads files from 3 on`,
      hint: expect.stringMatching(/commit b76b226\b.*the file was left as it is$/),
    }),
  )
})

it('no check of the service store refuses a JSON column that is null', () => {
  open()
  const schema = inside(world.storePath, (db) => db.prepare<[], string>('select sql from sqlite_schema').pluck().all())
  expect(schema.join('\n').match(/check \(json_valid/g)).toBeNull()
  expect(schema.join('\n').match(/is null or json_valid/g)).toHaveLength(9)
})
