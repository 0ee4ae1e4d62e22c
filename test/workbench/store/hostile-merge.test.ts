/** A file that somebody sent is merged whole, as data, or refused in one sentence; in no case does anything in it run. */
import { copyFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { keepSettings } from '../../../src/workbench/store/settings.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { HOSTILE } from './hostile-stores.ts'
import { contentsOf, everythingOf, mergeFrom, openEmpty, openStudy, pay } from './merge-setup.ts'

let good: string
let ours: Store
let before: unknown
let honest: Record<string, readonly string[]>
beforeAll(async () => {
  const { store, trials } = await openStudy(2)
  await pay(store, trials[0].fingerprint, 'j1', 5)
  await pay(store, trials[1].fingerprint, 'j2', 6)
  keepSettings(store, {
    interval: '1m',
    conventions: null,
    costs: { feePercent: 0.1, slippagePercent: 0 },
    symbol: null,
  })
  store.db.prepare('insert into tag values (?, ?, ?)').run(trials[0].fingerprint, 'x', '2026-01-01T00:00:00.000Z')
  store.close()
  good = store.path
  const merged = openEmpty()
  await mergeFrom(merged, good)
  honest = contentsOf(merged)
  merged.close()
  ours = openEmpty() // whatever is refused leaves it as it is, so that one will do
  before = everythingOf(ours)
})

it('there are forty of them, and some are harmless', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40)
  expect(HOSTILE.filter(({ refused }) => refused === undefined).length).toBeGreaterThanOrEqual(5)
})

it.each(HOSTILE)('$what', async ({ spoil, refused }) => {
  const folder = folderInMemory()
  const path = join(folder, 'sent.sqlite')
  copyFileSync(good, path)
  const db = new Database(path)
  db.unsafeMode(true)
  spoil(db)
  db.close()
  if (refused === undefined) {
    const store = openEmpty()
    await mergeFrom(store, path)
    expect(contentsOf(store)).toEqual(honest)
    store.close()
  } else {
    const failure = await mergeFrom(ours, path).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(String(failure)).toMatch(refused)
    expect(everythingOf(ours)).toEqual(before)
    expect(readdirSync(dirname(ours.path)).filter((name) => name.includes('merge'))).toEqual([])
  }
  removeFolder(folder)
})
