/** H40: an analyst's long question beside a run. A reader keeps the log from being emptied; the run goes on, loses nothing, and says so. */
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { runWorlds } from './run-world.ts'

const worlds = runWorlds()
afterAll(() => worlds.clear())

it('a transaction that is held open over a thousand commits neither stalls nor harms a run, which says that the log grows', async () => {
  // Large pages, so that the log has its 64 MB long before the last commit.
  const { live, time, storePath, judge, service } = worlds.make({ trials: 200, pageSize: 32_768 })
  const reader = new Database(storePath, { readonly: true })
  const count = reader.prepare<[], number>('select count(*) from attempt').pluck()
  reader.exec('begin')
  expect(count.get()).toBe(0)
  let commits = 0
  const onStep = (where: string) => {
    if (where === 'after commit') commits++
  }
  const first = await live({ onStep })
  expect(first.stoppedBy).toBe('allowance')
  await time.pass(25 * 3_600_000)
  const { stoppedBy, warnings } = await live({ onStep })
  expect(commits).toBeGreaterThan(1000)
  expect(count.get(), 'the reader still sees the store as it was').toBe(0)
  expect(stoppedBy).toBeNull()
  expect(warnings.filter((code) => code === 'logGrows')).toEqual(['logGrows'])
  reader.close()
  expect(service.book.length).toBe(200)
  expect(judge()).toEqual([])
})
