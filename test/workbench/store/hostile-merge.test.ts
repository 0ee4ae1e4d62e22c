/** A file that somebody sent is merged whole, as data, or refused in one sentence; in no case does anything in it run. */
import { copyFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { keepSettings } from '../../../src/workbench/store/studies.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { HOSTILE } from './hostile-stores.ts'
import { contentsOf, everythingOf, mergeFrom, openEmpty, openStudy, pay } from './merge-setup.ts'

/** What it is merged into: of an empty store it fills the tables whole, into one that is in use it is sorted row by row. */
const TARGETS = { empty: openEmpty, 'in use': openInUse } as const
type Target = keyof typeof TARGETS

let good: string
const ours = new Map<Target, { readonly store: Store; readonly before: unknown }>()
const honest = new Map<Target, Record<string, readonly string[]>>()
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
  for (const target of targets()) {
    const merged = await TARGETS[target]()
    await mergeFrom(merged, good)
    honest.set(target, contentsOf(merged))
    merged.close()
    const left = await TARGETS[target]() // whatever is refused leaves it as it is, so that one will do
    ours.set(target, { store: left, before: everythingOf(left) })
  }
})

async function openInUse(): Promise<Store> {
  const { store, trials } = await openStudy(3)
  await pay(store, trials[2].fingerprint, 'j0', 4)
  return store
}

function targets(): readonly Target[] {
  return Object.keys(TARGETS) as Target[] // no other keys
}

it('there are forty of them, and some are harmless', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40)
  expect(HOSTILE.filter(({ refused }) => refused === undefined).length).toBeGreaterThanOrEqual(5)
})

const eachTwice = targets().flatMap((target) => HOSTILE.map((one) => ({ target, ...one })))
/** The harmless twice, each of the others into one of both. */
const eachOnce = eachTwice.filter(
  ({ target, refused, what }) =>
    refused === undefined || targets().indexOf(target) === HOSTILE.findIndex((one) => one.what === what) % 2,
)

it.each(share({ usual: eachOnce, long: eachTwice }))(
  '$what, into a store that is $target',
  async ({ target, spoil, refused }) => {
    const { path, remove } = spoilt(spoil)
    if (refused === undefined) await expectWhole(target, path)
    else await expectRefused(target, { path, refused })
    remove()
  },
)

it('a number that its reply denies is named with what the reply says', async () => {
  const { path, remove } = spoilt((db) => void db.exec('update result set net_profit = 1e6 where job_id = 1'))
  const store = openEmpty()
  const { denied, unproved } = await mergeFrom(store, path)
  expect(denied).toMatchObject({ count: 1, first: [{ job: 'j1', column: 'net_profit', stored: 1e6, reply: 5 }] })
  expect(unproved).toBe(0)
  store.close()
  remove()
})

/** A copy of the good one that was spoilt. */
function spoilt(spoil: (db: Database.Database) => void): { readonly path: string; remove(): void } {
  const folder = folderInMemory()
  const path = join(folder, 'sent.sqlite')
  copyFileSync(good, path)
  const db = new Database(path)
  db.unsafeMode(true)
  spoil(db)
  db.close()
  return { path, remove: () => removeFolder(folder) }
}

async function expectWhole(target: Target, path: string): Promise<void> {
  const store = await TARGETS[target]()
  await mergeFrom(store, path)
  expect(contentsOf(store)).toEqual(honest.get(target))
  store.close()
}

async function expectRefused(target: Target, { path, refused }: { path: string; refused: RegExp }): Promise<void> {
  const { store, before } = ours.get(target) ?? expect.fail()
  const failure = await mergeFrom(store, path).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Failure)
  expect(String(failure)).toMatch(refused)
  expect(everythingOf(store)).toEqual(before)
  expect(readdirSync(dirname(store.path)).filter((name) => name.includes('merge'))).toEqual([])
}
