/**
 * H43: a store of every layout that ever was, with rows in every table, is brought forward: counts and sums stay, a backup lies beside it,
 * and a crash at any statement on the way leaves the old store or the new one, never a half.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  FIRST_LAYOUT,
  migrate,
  STORE_VERSION,
  stepsUpTo,
  storeVersion,
  versionAfter,
} from '../../../src/workbench/store/migrate.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { testSystem } from '../../support/system.ts'
import { EARLIER, OLD_TRIALS, STEPS, storeOf } from './old-layouts.ts'

const system = testSystem({ sleep: 'jump' })
const open: Database.Database[] = []
afterEach(() => {
  for (const db of open.splice(0)) db.close()
})

function reading(path: string): Database.Database {
  const db = new Database(path, { readonly: true })
  open.push(db)
  return db
}

type Columns = Readonly<Record<string, readonly string[]>>

/** Columns that the made-up layout drops, and layouts 18 and 21. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
  bot_order: ['reason'],
  screen: ['score'],
  screen_result: ['score', 'confidence'],
  result: ['confidence'],
  examination: ['doubts_json'],
}

function columnsOf(path: string): Columns {
  const db = reading(path)
  const ofTable = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
  const kept = (table: string) => ofTable.all(table).filter((name) => !DROPPED[table]?.includes(name))
  // What is ours is written down anew at every migration; layout 24 drops a table that nothing wrote.
  const tables = tablesOf(path).filter((table) => table !== 'our_object' && table !== 'file_check')
  return Object.fromEntries(tables.map((table) => [table, kept(table)]))
}

/** What layout 26 gave another name. */
const RENAMED: Readonly<Record<string, string>> = { look: 'tried', deals_told: 'deals_reported' }

/** Per table: how many rows, and the sum of every column; both as they were called when `columns` was read. */
function contents(path: string, columns: Columns): Record<string, unknown> {
  const db = reading(path)
  const tables = tablesOf(path)
  return Object.fromEntries(
    Object.entries(columns).map(([table, names]) => {
      const now = tables.includes(table) ? table : RENAMED[table]
      const there = db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(now)
      const sums = names.map((name) => `total(${there.includes(name) ? name : RENAMED[name]})`)
      const row = db.prepare(`select count(*), ${sums.join(', ')} from ${now}`).raw()
      return [table, row.get()]
    }),
  )
}

function tablesOf(path: string): string[] {
  const tables = reading(path).prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
  return tables.pluck().all()
}

/** Tables, indexes and triggers with the table they belong to, and who refers to whom. */
function structureOf(path: string): unknown {
  const db = reading(path)
  return {
    objects: db
      .prepare("select type, name, tbl_name from sqlite_schema where name <> 'mine' order by type, name")
      .all(),
    references: db
      .prepare(
        `select t.name, k."table", k."from", k."to" from sqlite_schema t, pragma_foreign_key_list(t.name) k order by 1, 2, 3`,
      )
      .all(),
  }
}

const schemaOf = (db: Database.Database) =>
  db.prepare<[], string>('select sql from sqlite_schema where sql is not null order by type, name').pluck().all()

const older = [...EARLIER, STORE_VERSION]
const newest = versionAfter(STEPS)

let fresh: string
beforeAll(() => {
  fresh = join(temporaryFolder(), 'workbench.sqlite')
  openStore(fresh, { system, steps: STEPS }).close()
})

/** As it was, with a view of an analyst’s own. */
interface Old {
  readonly path: string
  readonly columns: Columns
  readonly before: Record<string, unknown>
}

function oldStore(version: number): Old {
  const path = storeOf(version)
  const db = new Database(path)
  db.exec('create view mine as select fingerprint from answers')
  db.close()
  const columns = columnsOf(path)
  return { path, columns, before: contents(path, columns) }
}

describe.each(older)('a store of layout %i', (version) => {
  let old: Old
  beforeAll(() => {
    old = oldStore(version)
    openStore(old.path, { system, steps: STEPS }).close()
  })

  it('comes forward with every row, and what it was lies beside it', () => {
    const { path, columns, before } = old
    expect(storeVersion(reading(path))).toBe(newest)
    expect(contents(path, columns)).toEqual(before)
    const backup = `${path}.layout-${version}`
    expect(contents(backup, columns)).toEqual(before)
    expect(storeVersion(reading(backup))).toBe(version)
    expect(statSync(backup).mode & 0o077).toBe(0)
    expect(tablesOf(path)).toEqual(tablesOf(fresh))
    // Once: opening again makes no second backup.
    openStore(path, { system, steps: STEPS }).close()
    expect(readdirSync(dirname(path)).filter((name) => name.includes('layout')).length).toBe(1)
  })

  it('answers the leaderboard that its tables held, with an analyst’s own view, index names and references as in a new store', () => {
    const { path } = old
    const select =
      'select study, fingerprint, net_profit, closed_deals, (select count(*) from deals d where d.job_id = a.job_id) as deals from answers a order by net_profit desc'
    const rows = reading(path).prepare(select).all()
    const [stated, whole] = [OLD_TRIALS.stated.fingerprint, OLD_TRIALS.whole.fingerprint]
    expect(rows).toEqual([
      { study: 'ladder', fingerprint: stated, net_profit: 12.5, closed_deals: 30, deals: 0 },
      {
        study: 'ladder',
        fingerprint: whole,
        net_profit: 0.1,
        closed_deals: 1,
        deals: 1,
      },
    ])
    expect(reading(path).prepare('select count(*) as n from mine').get()).toEqual({ n: 2 })
    expect(reading(path).pragma('foreign_key_check')).toEqual([])
    expect(structureOf(path)).toEqual(structureOf(fresh))
  })

  it('is wholly old or wholly new after a crash at any statement on the way', () => {
    const { path, columns, before } = oldStore(version)
    const schema = schemaOf(reading(path))
    const images: string[] = []
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.function('crash', () => {
      // What the disk holds at this moment is what a crash would leave.
      const image = join(temporaryFolder(), 'workbench.sqlite')
      for (const end of ['', '-wal']) if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${image}${end}`)
      images.push(image)
      return 1
    })
    // Of the first step at every statement, of those that follow, which their own layouts try, at the end.
    const done = stepsUpTo(version, STEPS).length
    const crashing = STEPS.map((layout, n) => {
      if (n < done) return layout
      const statements = n === done ? statementsOf(layout) : [layout]
      return statements.join(';\nselect crash();\n').concat(';\nselect crash();')
    })
    migrate(db, crashing)
    db.close()
    expect(images.length).toBe(statementsOf(STEPS[done]).length + STEPS.length - done - 1)
    const every = share({ usual: 80, long: 1 })
    // Each layout at statements of its own.
    for (const image of images.filter((_, n) => (n + version) % every === 0 || n === images.length - 1)) {
      expect(schemaOf(reading(image))).toEqual(schema)
      expect(storeVersion(reading(image))).toBe(version)
      expect(contents(image, columns)).toEqual(before)
      openStore(image, { system, steps: STEPS }).close()
      expect(storeVersion(reading(image))).toBe(newest)
      expect(contents(image, columns)).toEqual(before)
    }
    expect(storeVersion(reading(path))).toBe(newest)
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
  for (const layout of STEPS) {
    const db = new Database(':memory:')
    open.push(db)
    for (const before of STEPS.slice(0, STEPS.indexOf(layout))) db.exec(before)
    for (const statement of statementsOf(layout)) expect(() => db.prepare(statement).run(), statement).not.toThrow()
  }
})

it('a store of a layout before the first is refused in one sentence that names the commit which brings it forward, and stays as it was', () => {
  const path = storeOf()
  const db = new Database(path)
  db.pragma(`user_version = ${FIRST_LAYOUT - 1}`)
  db.close()
  const before = readFileSync(path)
  for (const readonly of [true, false]) {
    expect(() => openStore(path, { system, readonly })).toThrow(
      expect.objectContaining({
        code: 'storeUnusable',
        message: `${path} has layout 13, and this version reads stores from layout 14 on`,
        hint: expect.stringMatching(/commit b76b226\b.*the file was left as it is$/),
      }),
    )
  }
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(readdirSync(dirname(path)).filter((name) => name.includes('layout'))).toEqual([])
})

it('states, roles and bounds of layout 26 are those of layout 27, and what may move to what stays', () => {
  const path = storeOf(26)
  const before = new Database(path)
  const fingerprint = OLD_TRIALS.open.fingerprint
  before.exec(`
    update attempt set state = 'ambiguous', settled_at = opened_at, unsure_since = opened_at, counted_at = opened_at where id = 3;
    update attempt set state = 'parked' where id = 3;
    insert into proposal select study, study_fingerprint, identity, '', 1, 1, 'probe', 'probe 1', '${fingerprint}', opened_at
      from attempt join study_trial using (study, fingerprint) where id = 3;
    update study set definition_json = '{"where":[{"measure":"rungs","bounds":{"min":1}}]}';
  `)
  before.close()
  openStore(path, { system }).close()
  const after = new Database(path)
  open.push(after)
  expect(after.prepare('select state from attempt where id = 3').pluck().get()).toBe('undecided')
  expect(after.prepare('select role, reason from proposal').all()).toEqual([{ role: 'test', reason: 'test 1' }])
  expect(after.prepare('select definition_json from study').pluck().get()).toContain('"measure":"safetyOrders"')
  expect(() => after.exec("update attempt set state = 'acked' where id = 3")).toThrow('illegal move of an attempt')
  expect(() => after.exec("update attempt set state = 'absent' where id = 3")).not.toThrow()
})

it('no check refuses a JSON column that is null', () => {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  openStore(path, { system }).close()
  const schema = schemaOf(reading(path)).join('\n')
  expect(schema.match(/check \(json_valid/g)).toBeNull()
  expect(schema.match(/is null or json_valid/g)).toHaveLength(38)
})
