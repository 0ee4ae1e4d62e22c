/** Analysts may ask anything and change nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyTo } from '../../../src/sqlite/sqlite-file.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runSelect } from '../../support/run-select.ts'
import { openTemporary, openWithStudy, submit } from './setup.ts'

it('answers columns and rows in the order asked', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[1].fingerprint, 'job-1')
  expect(
    runSelect(
      store.path,
      'select t.job_id, t.state, t.take_profit_percent, rank, t.market from trials t left join answers using (trial) where t.job_id is not null',
    ),
  ).toEqual({
    columns: ['job_id', 'state', 'take_profit_percent', 'rank', 'market'],
    rows: [['job-1', 'running', 2, null, 'binance/BTC-USDT']],
  })
  expect(runSelect(store.path, 'select state, count(*) from trials group by 1 order by 1').rows).toEqual([
    ['planned', 2],
    ['running', 1],
  ])
  expect(runSelect(store.path, 'select sum(is_in_window) as used from attempts').columns).toEqual(['used'])
})

it('columns of one name are kept apart, big numbers and blobs are told as text', () => {
  const { store } = openTemporary()
  expect(runSelect(store.path, "select 1 as a, 2 as a, 9007199254740993 as b, x'00ff' as c, 1.5 as d")).toEqual({
    columns: ['a', 'a', 'b', 'c', 'd'],
    rows: [[1, 2, '9007199254740993', '00ff', 1.5]],
  })
})

describe('refused with the reason', () => {
  it.each([
    ['no statement', ''],
    ['two statements', 'select 1; select 2'],
    ['a statement that writes', 'delete from attempt'],
    ['one that writes and returns rows', 'insert into trial default values returning 1'],
    ['a new table', 'create table t (a)'],
    ['another file', "attach 'other.sqlite' as other"],
    ['a setting', 'pragma journal_mode = delete'],
    ['an unknown column', 'select profit from results'],
    ['words', 'show me the best trial'],
  ])('%s', (_, sql) => {
    const { store } = openTemporary()
    expect(() => runSelect(store.path, sql)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/sqlInvalid|storeUnusable/) }),
    )
    expect(existsSync('other.sqlite')).toBe(false)
  })
})

it('a store that is absent is said to be absent', () => {
  expect(() => runSelect(join(temporaryFolder(), 'none.sqlite'), 'select 1')).toThrow(/There is no store/)
})

it('a copy holds what is still only in the write-ahead log', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  const target = join(temporaryFolder(), 'copy.sqlite')
  copyTo(store.db, target)
  expect(runSelect(target, 'select job_id from attempts').rows).toEqual([['job-1']])
  expect(() => copyTo(store.db, target)).toThrow(/EEXIST/)
})

it('a copy that fails leaves no half of one', async () => {
  const { store } = await openWithStudy()
  const target = join(temporaryFolder(), 'copy.sqlite')
  store.db.exec('begin')
  expect(() => copyTo(store.db, target)).toThrow(/transaction/)
  expect(existsSync(target)).toBe(false)
  store.db.exec('rollback')
})
