/** An empty store takes over large tables whole: nobody sees it half filled, and it holds what row by row would have brought. */
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { mergeStore } from '../../../src/workbench/store/merge/merge.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { keepSettings } from '../../../src/workbench/store/studies.ts'
import { folderInMemory } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { contentsOf, everythingOf, mergeFrom, openEmpty, openStudy, pay, rules } from './merge-setup.ts'
import { openIntent, submit } from './setup.ts'

let other: Store
beforeAll(async () => {
  const { store, trials } = await openStudy(40)
  for (const [index, { fingerprint }] of trials.entries()) await pay(store, fingerprint, `j${index}`, index)
  other = store
})

/** Merges; `look` is called when nearly all rows are there, and most of them, for want of memory, in the file. */
function mergeLooking(store: Store, look: () => void) {
  return mergeStore(store, {
    path: other.path,
    rules,
    signal: new AbortController().signal,
    showProgress: (text) => {
      if (text.startsWith('comparing')) store.db.pragma('main.cache_size = 5')
      if (text.startsWith('results')) look()
    },
  })
}

it('a merge that is killed leaves it empty', async () => {
  const store = openEmpty()
  const before = everythingOf(store)
  const killed = join(folderInMemory(), 'workbench.sqlite')
  await mergeLooking(store, () => {
    // What a kill at this moment leaves on the disk.
    for (const end of ['', '-wal']) copyFileSync(`${store.path}${end}`, `${killed}${end}`)
  })
  expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0)
  const taken = openStore(killed, { system: testSystem({ sleep: 'jump' }) })
  expect(taken.db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(everythingOf(taken)).toEqual(before)
  await mergeFrom(taken, other)
  expect(contentsOf(taken)).toEqual(contentsOf(store))
})

it('an interrupt leaves it empty', async () => {
  const store = openEmpty()
  const before = everythingOf(store)
  const reason = new Error('Ctrl-C')
  const interrupt = () => {
    throw reason
  }
  await expect(mergeLooking(store, interrupt)).rejects.toBe(reason)
  expect(everythingOf(store)).toEqual(before)
})

it('whoever has it open, or reads a store with trials, goes on reading while it is merged into', async () => {
  const empty = openEmpty()
  const { store: used } = await openStudy(1)
  const early = new Database(empty.path, { readonly: true })
  early.prepare('select 1 from trial').get()
  let seen: unknown
  const count = (reader: Database.Database) => {
    seen = reader.prepare('select count(*) from trial').pluck().get()
  }
  await mergeLooking(empty, () => count(early))
  expect(seen).toBe(0)
  early.close()
  await mergeLooking(used, () => {
    const late = new Database(used.path, { readonly: true, timeout: 0 })
    count(late)
    late.close()
  })
  expect(seen).toBe(1)
  for (const { db } of [empty, used]) expect(db.prepare('select count(*) from result').pluck().get()).toBe(40)
})

it('holds what a store holds into which the same was merged row by row', async () => {
  const { store: sent, trials } = await openStudy(4)
  await pay(sent, trials[0].fingerprint, 'j1', 5)
  await submit(sent, trials[1].fingerprint, 'j2')
  await pay(sent, trials[2].fingerprint, 'j3', 7)
  const stores = [openEmpty(), openEmpty()]
  keepSettings(stores[1], { interval: '5m', conventions: null, costs: null, symbol: null })
  const reports = []
  for (const store of stores) reports.push(await mergeFrom(store, sent))
  expect(reports[0]).toEqual(reports[1])
  const [whole, rows] = stores.map((store) => contentsOf(store, ['settings']))
  expect(whole).toEqual(rows)
  await openIntent(sent, trials[3].fingerprint)
  const third = openEmpty()
  for (const store of [stores[1], third]) expect(await mergeFrom(store, sent)).toMatchObject({ undecided: 1 })
  expect(contentsOf(third, ['settings'])).toEqual(contentsOf(stores[1], ['settings']))
})
