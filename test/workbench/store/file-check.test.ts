/** Damage (H42): SQLite's own check reads the whole file, so it is made when there is a reason; what it has not seen is said when it is met. */
import { closeSync, copyFileSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { lastCheck } from '../../../src/workbench/store/file-check.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { program } from '../../support/program.ts'
import { testSystem } from '../../support/system.ts'
import { openWithStudy } from './setup.ts'

const system = testSystem({ wall: '2026-02-03T04:05:06Z' })
/** A store with a study of a thousand trials, one page of which is overwritten deep in the list of its trials. */
let damaged: string

beforeAll(async () => {
  const { store } = await openWithStudy(1000)
  damaged = store.path
  store.close()
  const db = new Database(damaged)
  const page = db
    .prepare<[], { pageno: number; size: number }>(
      "select pageno, pgsize as size from dbstat where name = 'trial' and pagetype = 'leaf' limit 1 offset 10",
    )
    .get()
  db.close()
  if (page === undefined) throw new Error('The trials fit on one page')
  const file = openSync(damaged, 'r+')
  writeSync(file, Buffer.alloc(page.size), 0, page.size, (page.pageno - 1) * page.size)
  closeSync(file)
})

it('a damaged page is told in one sentence by the command that reads it, not as a bug', async () => {
  const call = program(join(damaged, '..'))
  const { code, out, err } = await call(['sql', 'select count(distinct exchange) from trial'])
  expect({ code, out }).toEqual({ code: 6, out: '' })
  expect(err).toMatch(/^error: .*workbench\.sqlite is damaged\nhint: restore a backup/m) // on a busy machine it says first that it runs
})

it('store check finds a damaged page', async () => {
  const { code, out } = await program(join(damaged, '..'))(['store', 'check', '--json'])
  expect(code).toBe(6)
  expect(JSON.parse(out)).toMatchObject({ state: 'unusable', problem: expect.stringMatching(/is damaged: /) })
})

it('after a program that was killed a damaged page is found before anything is done', () => {
  const path = join(temporaryFolder(), 'workbench.sqlite')
  copyFileSync(damaged, path)
  openStore(path, { system }).close()
  writeFileSync(`${path}-wal`, 'the log of a program that was killed')
  expect(() => openStore(path, { system })).toThrow(/ is damaged: /)
})

it('after a program that was killed a whole store is opened, and when it was checked is kept', async () => {
  const { store } = await openWithStudy(1)
  expect(lastCheck(store.db)).toBeUndefined()
  const copy = join(temporaryFolder(), 'workbench.sqlite')
  for (const end of ['', '-wal']) copyFileSync(`${store.path}${end}`, `${copy}${end}`)
  const again = openStore(copy, { system })
  expect(lastCheck(again.db)).toBe(Date.parse('2026-02-03T04:05:06Z'))
  again.close()
  expect(existsSync(`${copy}-wal`)).toBe(false)
})

it('after `dcalab sql`, which only reads, nothing is checked', async () => {
  const { store } = await openWithStudy(1)
  store.close()
  await program(join(store.path, '..'))(['sql', 'select 1'])
  const again = openStore(store.path, { system })
  expect(lastCheck(again.db)).toBeUndefined()
  again.close()
})

it('store check reads the whole file once a day, and says when it last did', async () => {
  const { store } = await openWithStudy(1)
  store.close()
  const call = program(join(store.path, '..'))
  const checkedAt = async () => JSON.parse((await call(['store', 'check', '--json'])).out).checkedAt
  const first = await checkedAt()
  call.advance(20 * 3_600_000)
  expect(await checkedAt()).toBe(first)
  call.advance(5 * 3_600_000)
  const later = await checkedAt()
  expect(Date.parse(later)).toBeGreaterThanOrEqual(Date.parse(first) + 24 * 3_600_000)
  expect((await call(['store', 'check'])).out).toContain(`fully checked ${later}`)
})
