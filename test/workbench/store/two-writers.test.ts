/** H44: two processes write to one store as fast as they can; nobody is shown a snapshot that has grown old, and no update is lost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openStore, write } from '../../../src/workbench/store/store.ts'
import { folderInMemory } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'

const each = 5_000

/** Reads, then writes what it read plus one: the order in which a deferred transaction fails with BUSY_SNAPSHOT. */
const neighbour = `
  const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 60000 })
  const add = db.transaction(() => db.prepare('update counter set n = ?').run(db.prepare('select n from counter').pluck().get() + 1))
  process.stdout.write('ready')
  for (let i = 0; i < ${each}; i++) add.immediate()`

it(`${2 * each} transactions of two processes: none is lost, none fails`, async () => {
  const folder = folderInMemory()
  const store = openStore(join(folder, 'workbench.sqlite'), { system: testSystem({ sleep: 'jump' }) })
  store.db.exec('create table counter (n integer); insert into counter values (0)')
  const other = spawn(process.execPath, ['-e', neighbour, store.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(other, 'exit')
  await once(other.stdout, 'data')
  const read = store.db.prepare<[], number>('select n from counter').pluck()
  const set = store.db.prepare<[number]>('update counter set n = ?')
  for (let i = 0; i < each; i++) await write(store, () => set.run((read.get() ?? 0) + 1))
  expect(await ended).toEqual([0, null])
  expect(read.get()).toBe(2 * each)
  store.close()
})

it('no transaction is asynchronous, deferred, or left to the query builder', () => {
  const room = fileURLToPath(new URL('../../../src/workbench/store', import.meta.url))
  const forbidden = /transaction\(\s*async|\.deferred\(|\.transaction\(\)|new SqliteDialect/
  const found = readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => forbidden.test(readFileSync(join(room, name), 'utf8')))
  expect(found).toEqual([])
})

it('what asks for a promise inside of a transaction is refused by the driver, and leaves no row', async () => {
  const folder = folderInMemory()
  const store = openStore(join(folder, 'workbench.sqlite'), { system: testSystem({ sleep: 'jump' }) })
  store.db.exec('create table counter (n integer)')
  const work = async () => store.db.prepare('insert into counter values (1)').run()
  await expect(write(store, work)).rejects.toThrow(/promise/i)
  expect(store.db.prepare('select count(*) from counter').pluck().get()).toBe(0)
  store.close()
})
