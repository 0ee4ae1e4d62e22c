/** H40: a long read keeps the log from being emptied; it is seen, named, and the space comes back when it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { emptyLog, findReaders } from '../../../src/workbench/store/file-check.ts'
import { runWorlds } from './run-world.ts'
import { openTemporary } from './setup.ts'

const megabyte = 1024 * 1024
const text = 'x'.repeat(megabyte)

it.skipIf(process.platform !== 'linux')(
  'the log grows while another process reads, and shrinks when it is gone',
  async () => {
    const { store } = openTemporary()
    store.db.exec('create table filler (text text)')
    const program = `
    const db = new (require('better-sqlite3'))(process.argv[1], { readonly: true })
    db.exec('begin; select count(*) from filler')
    db.prepare('select * from filler').all()
    process.stdout.write('reading')
    setInterval(() => {}, 1000)`
    const reader = spawn(process.execPath, ['-e', program, store.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(reader.stdout, 'data')
    const fill = store.db.prepare('insert into filler values (?)')
    for (let n = 0; n < 6; n++) fill.run(text)
    expect(emptyLog(store)).toBeGreaterThan(5 * megabyte)
    expect(findReaders(store.path)).toEqual([reader.pid])
    reader.kill('SIGKILL')
    await once(reader, 'exit')
    expect(emptyLog(store)).toBeLessThanOrEqual(4 * megabyte)
    expect(statSync(`${store.path}-wal`).size).toBeLessThanOrEqual(4 * megabyte)
    expect(findReaders(store.path)).toEqual([])
  },
)

const worlds = runWorlds()
afterAll(() => worlds.clear())

it('a run of half a day beside a reader who never ends says so once, at 64 MB, and the space is back when he has gone', async () => {
  const hour = 3_600_000
  const { live, time, storePath, judge } = worlds.make({
    trials: 2,
    traits: { shortestJobMs: 11 * hour, longestJobMs: 11.5 * hour },
  })
  const writer = new Database(storePath)
  writer.exec('create table filler (text text)')
  const reader = new Database(storePath, { readonly: true })
  reader.exec('begin; select count(*) from filler')
  const walMb = () => statSync(`${storePath}-wal`).size / megabyte
  const sizes: number[] = []
  const fill = writer.prepare('insert into filler values (?)')
  for (let n = 1; n <= 80; n++) time.at(time.now + (n * hour) / 10, () => fill.run(text))
  time.at(time.now + 9 * hour, () => {
    sizes.push(walMb())
    reader.exec('commit')
    reader.close()
  })
  time.at(time.now + 10 * hour, () => sizes.push(walMb()))
  const { stoppedBy, warnings } = await live()
  writer.close()
  expect(stoppedBy).toBeNull()
  expect(warnings.filter((code) => code === 'logGrows')).toEqual(['logGrows'])
  expect(sizes[0]).toBeGreaterThan(64)
  expect(sizes[1]).toBeLessThanOrEqual(4)
  expect(judge()).toEqual([])
})
