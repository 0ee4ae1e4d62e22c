/** What an analyst keeps in the file stays there, whatever its name; what is ours comes back and is kept current. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { MIGRATIONS, STORE_VERSION } from '../../../src/workbench/store/migrate.ts'
import { listTrials, readTried } from '../../../src/workbench/store/readers.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { listStudies } from '../../../src/workbench/store/study-records.ts'
import { VIEWS } from '../../../src/workbench/store/views.ts'
import { testSystem } from '../../support/system.ts'
import { OLD_TRIALS, STEPS, storeOf } from './old-layouts.ts'
import { openWithStudy } from './setup.ts'

/** What a file of an analyst's holds beside ours. */
function storeWith(sql: string, path = storeOf()): string {
  const db = new Database(path)
  db.exec(sql)
  db.close()
  return path
}

/** Opens it, and what was said meanwhile. */
function opened(path: string, steps: readonly string[] = MIGRATIONS): { store: Store; said: string } {
  const system = testSystem({ sleep: 'jump' })
  const store = openStore(path, { system, steps })
  return { store, said: system.printed().err }
}

const textOf = (store: Store, name: string) =>
  store.db.prepare<[string], string>('select sql from sqlite_schema where name = ?').pluck().get(name)

it('a table, a view and an index that have the names of later views stay, and one sentence names them', () => {
  const path = storeWith(`
    create table Results (mine text); insert into Results values ('kept');
    create view deals as select 'mine' as mine;
    create index parameters on job (name);`)
  const { store, said } = opened(path)
  expect(said).toMatch(/^note: .* has something of your own named results, deals, parameters: .*\n$/)
  expect(store.db.prepare('select mine from results').get()).toEqual({ mine: 'kept' })
  expect(store.db.prepare('select mine from deals').get()).toEqual({ mine: 'mine' })
  expect(textOf(store, 'parameters')).toContain('on job (name)')
  const views = store.db.prepare<[], string>("select name from sqlite_schema where type = 'view'").pluck().all()
  expect(views.toSorted()).toEqual(
    Object.keys(VIEWS)
      .filter((name) => name !== 'results' && name !== 'parameters')
      .toSorted(),
  )
  store.close()
  const again = opened(path)
  expect(again.said).toBe(said)
  again.store.db.exec('drop table Results')
  again.store.close()
  const freed = opened(path)
  expect(freed.said).toMatch(/named deals, parameters:/)
  expect(freed.store.db.prepare('select net_profit from results order by 1').all()).toEqual([
    { net_profit: 0.1 },
    { net_profit: 12.5 },
  ])
})

it('the program answers as before where an analyst keeps something else under the names of its views', async () => {
  const { store, trials } = await openWithStudy(2)
  const answers = ({ db, ...rest }: Store) => {
    const store = { db, ...rest }
    return [listStudies(store), listTrials(store, { study: 'ladder' }), readTried(store, trials[0].fingerprint)]
  }
  const before = answers(store)
  store.db.exec('drop view studies; create table studies (a); drop view trials; create view trials as select 1 as b')
  store.close()
  const again = opened(store.path)
  expect(again.said).toMatch(/named trials, studies: dcalab’s view of that name is left out/)
  expect(again.store.db.prepare('select b from trials').all()).toEqual([{ b: 1 }])
  expect(answers(again.store)).toEqual(before)
  expect(again.store.db.prepare('select rank from answers').all()).toEqual([])
})

it('a view of ours that was dropped comes back, and one of an older text is made anew', async () => {
  const { store } = await openWithStudy(1)
  store.db.exec('drop view answers; drop view results; create view results as select 1 as a')
  const older = createHash('sha256').update('CREATE VIEW results as select 1 as a').digest('hex')
  store.db.prepare("update our_object set text_hash = ? where name = 'results'").run(older)
  store.close()
  const again = opened(store.path)
  expect(again.said).toBe('')
  expect(again.store.db.prepare('select net_profit from answers').all()).toEqual([])
  expect(again.store.db.prepare('select job_id from results').all()).toEqual([])
})

it('which views, indexes and triggers are ours is recorded with the hash of their text', async () => {
  const { store } = await openWithStudy(1)
  store.db.exec('create view mine as select 1 as a')
  const recorded = store.db.prepare<[], { name: string; text_hash: string }>('select * from our_object').all()
  const ours = store.db.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_schema where type <> 'table' and sql is not null and name <> 'mine' order by name",
  )
  expect(recorded).toEqual(
    ours.all().map(({ name, sql }) => ({ name, text_hash: createHash('sha256').update(sql).digest('hex') })),
  )
})

const OF_THE_ANALYST = `
  create table my_note (fingerprint text references trial, note text);
  create view my_best as select fingerprint, net_profit from answers order by net_profit desc limit 1;
  create index my_trials on trial (take_profit_percent);
  create index my_months on result (monthly_returns_json) where monthly_returns_json is not null;
  create trigger my_trigger after insert on trial begin insert into my_note values (new.fingerprint, 'new'); end;
  create trigger my_watch after update of state on job begin insert into my_note values (new.fingerprint, new.state); end;
  create trigger my_input instead of insert on attempts begin insert into my_note values (new.fingerprint, 'run'); end;`

const objectsOfTheAnalyst = (store: Store) =>
  store.db.prepare("select type, name, sql from sqlite_schema where name like 'my^_%' escape '^' order by name").all()

it('an analyst’s own views, indexes, triggers and tables survive a migration that makes the tables beneath them anew', () => {
  const path = storeWith(OF_THE_ANALYST)
  const db = new Database(path, { readonly: true })
  const before = objectsOfTheAnalyst({ db } as Store)
  db.close()
  const { store, said } = opened(path, STEPS)
  expect(said).toBe('')
  expect(before).toHaveLength(7)
  expect(objectsOfTheAnalyst(store)).toEqual(before)
  expect(store.db.prepare('select net_profit from my_best').all()).toEqual([{ net_profit: 12.5 }])
  expect(store.db.prepare('select count(*) as n from my_note').get()).toEqual({ n: 0 })
  store.db.exec(`insert into attempts (fingerprint) values ('${OLD_TRIALS.stated.fingerprint}')`)
  expect(store.db.prepare('select note from my_note').all()).toEqual([{ note: 'run' }])
})

it('they survive an opening that makes views anew', async () => {
  const { store } = await openWithStudy(1)
  store.db.exec(OF_THE_ANALYST)
  const before = objectsOfTheAnalyst(store)
  store.db.exec('drop view studies')
  store.close()
  const again = opened(store.path)
  expect(again.said).toBe('')
  expect(objectsOfTheAnalyst(again.store)).toEqual(before)
})

it('an index or a trigger on a column that is no longer there is left out, which is said, and results can be written', () => {
  const { store, said } = opened(
    storeWith(`
      create table my_log (a);
      create index my_index on bot_order (reason);
      create trigger my_trigger after update on bot_order begin insert into my_log values (new.reason); end;`),
    STEPS,
  )
  expect(said).toMatch(/^note: your index my_index no longer fits the store and was left out: .*reason\n/)
  expect(said).toMatch(/\nnote: your trigger my_trigger no longer fits the store and was left out: .*reason\n$/)
  store.db.exec('update bot_order set settled_at = null')
})

it('a column that an analyst added keeps no store from coming forward; where its table is made anew, it is left out, which is said', () => {
  const path = storeOf(26)
  const db = new Database(path)
  db.exec(`alter table attempt add column mine text; alter table proposal add column mine text; alter table job add column mine text;
    update attempt set mine = 'dear'; update job set mine = 'kept'`)
  db.close()
  const { store, said } = opened(path)
  expect(said.trimEnd().split('\n').toSorted()).toEqual(
    ['attempt', 'proposal'].map(
      (table) => `note: your column mine of ${table} was left out; the copy of the older store has it`,
    ),
  )
  expect(store.db.prepare('select distinct mine from job').pluck().all()).toEqual(['kept'])
  expect(store.db.prepare('select count(*) from attempt').pluck().get()).toBe(3)
  const copy = new Database(`${path}.layout-26`, { readonly: true })
  expect(copy.prepare('select distinct mine from attempt').pluck().all()).toEqual(['dear'])
  copy.close()
})

it('a table of an analyst’s own that has the name of a new table of ours is refused in one sentence, and the store stays as it was', () => {
  const path = storeWith(
    "create table later (text); create view later_by_words as select 1 as a; insert into later values ('mine')",
  )
  expect(() => opened(path, STEPS)).toThrow(
    /has something of your own under a name that dcalab needs: table later, view later_by_words$/,
  )
  expect(readdirSync(dirname(path)).filter((name) => name.includes('layout'))).toEqual([])
  const db = new Database(path)
  expect(db.pragma('user_version', { simple: true })).toBe(STORE_VERSION)
  db.exec('alter table later rename to my_note; drop view later_by_words')
  db.close()
  const { store } = opened(path, STEPS)
  expect(store.db.prepare('select * from my_note').all()).toEqual([{ text: 'mine' }])
  expect(existsSync(`${path}.layout-${STORE_VERSION}`)).toBe(true)
})
