/** Whatever a write is disguised as, it changes no byte of the store, makes no file beside it, and is told as an error or answers rows. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../../src/errors.ts'
import { desk } from '../../../support/dcalab.ts'
import { runSelect } from '../../../support/run-select.ts'
import { openWithStudy, submit } from '../setup.ts'

/** `%` is a folder in which other files could be made. */
const DISGUISES: readonly string[] = [
  'delete from attempt',
  '-- only looking\ndelete from attempt',
  '/* select */ update trial set fingerprint = fingerprint',
  ' \n\t;delete from attempt',
  'insert into trial default values returning 1',
  "update attempt set state = 'released' returning *",
  'delete from attempt returning *',
  'replace into service select * from service returning *',
  'with gone as (select 1) delete from attempt returning *',
  'with x(a) as (select 1) insert into service select * from service',
  'explain delete from attempt',
  'explain query plan delete from attempt',
  'explain drop table attempt',
  'select 1; delete from attempt',
  'select 1 /* ; */ ; drop table attempt',
  'begin immediate',
  'begin; delete from attempt; commit',
  'savepoint s',
  'commit',
  'create table t (a)',
  'create table t as select * from results',
  'create temp table t as select 1',
  'create temp trigger t after insert on attempt begin select 1; end',
  'create view runs2 as select * from results',
  'create index i on attempt (state)',
  'create virtual table f using fts5(words)',
  'create virtual table temp.f using fts5(words)',
  "insert into f(f) values ('rebuild')",
  'drop view results',
  'drop table attempt',
  'alter table attempt rename to attempts2',
  'alter table attempt add column a',
  "attach '%/other.sqlite' as other",
  "attach ':memory:' as other",
  "attach 'file:%/other.sqlite?mode=rwc' as other",
  'detach main',
  "vacuum into '%/copy.sqlite'",
  'vacuum',
  'reindex',
  'analyze',
  'pragma writable_schema = on',
  'pragma writable_schema = reset',
  'pragma query_only = off',
  'pragma journal_mode = delete',
  'pragma journal_mode = off',
  'pragma locking_mode = exclusive',
  'pragma wal_checkpoint(truncate)',
  'pragma user_version = 99',
  'pragma application_id = 1',
  'pragma auto_vacuum = full',
  'pragma incremental_vacuum(100)',
  "pragma encoding = 'UTF-16'",
  'pragma page_size = 512',
  'pragma schema_version = 1',
  'pragma optimize',
  'pragma foreign_keys = off',
  "pragma temp_store_directory = '%'",
  'pragma secure_delete = on',
  'select * from pragma_wal_checkpoint',
  'select * from pragma_optimize',
  "select load_extension('%/x.so')",
  "select writefile('%/written', 'x')",
  "select edit('x')",
  "select fts3_tokenizer('simple', x'00')",
  "select sqlite_rename_table('main', 'a', 'b', 'c', 'd', 'e', 1)",
  "select * from dbstat('main') where 0 union all select 1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
  'update sqlite_schema set sql = null returning 1',
  "insert into sqlite_sequence values ('attempt', 1) returning 1",
]

let path: string
let outside: string
beforeAll(async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  store.close()
  path = store.path
  outside = join(dirname(path), 'outside')
  mkdirSync(outside)
  runSelect(path, 'select 1') // what a reader leaves beside a store is there from now on
})

function world(): unknown {
  const files = readdirSync(dirname(path), { recursive: true, encoding: 'utf8' }).sort()
  return { files, store: createHash('sha256').update(readFileSync(path)).digest('hex') }
}

it('there are at least forty', () => expect(DISGUISES.length).toBeGreaterThanOrEqual(40))

it.each(DISGUISES)('%s', (disguise) => {
  const before = world()
  try {
    runSelect(path, disguise.replaceAll('%', outside))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.code).toMatch(/sqlInvalid|storeUnusable/)
  }
  expect(world()).toEqual(before)
  expect(runSelect(path, 'select job_id from attempts').rows).toEqual([['job-1']])
})

describe('in the process of the program', () => {
  it.each([
    'delete from attempt returning *',
    "attach '%/other.sqlite' as other",
    "vacuum into '%/copy.sqlite'",
    'pragma journal_mode = delete',
    'with gone as (select 1) delete from attempt returning *',
  ])('%s', async (disguise) => {
    const before = world()
    const { code, stderr } = await desk().dcalab(['sql', disguise.replaceAll('%', outside)], { DCALAB_STORE: path })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: /) })
    expect(world()).toEqual(before)
  })
})
