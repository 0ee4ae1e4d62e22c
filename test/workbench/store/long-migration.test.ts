/** Bringing a large store forward takes a while: a person who waits is told what happens, and where the store is kept as it was. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { backUp } from '../../../src/sqlite/sqlite-file.ts'
import { STORE_VERSION } from '../../../src/workbench/store/migrate.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { STEPS, storeOf } from './old-layouts.ts'

/** What opening a store of the layout before says. `bytes`: of it, about. */
function openOld(bytes: number) {
  const path = storeOf()
  const db = new Database(path)
  db.exec(`create table mine as select zeroblob(${bytes}) as filler`)
  db.close()
  const system = testSystem()
  openStore(path, { system, steps: STEPS }).close()
  return { path, err: system.printed().err }
}

it('a store of more than 50 MB says so before it is brought forward, with both layouts and its copy', () => {
  const { path, err } = openOld(50_000_000)
  const copy = `${path}.layout-${STORE_VERSION}`
  expect(err).toBe(
    `note: bringing ${path} from layout ${STORE_VERSION} to ${STORE_VERSION + 1}, which takes a while; as it was it stays in ${copy}\n`,
  )
  expect(existsSync(copy)).toBe(true)
})

it('what it was has that name once it is whole: a program that is killed meanwhile leaves no half of it under the name', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'workbench.sqlite')
  const copies = () => readdirSync(folder).filter((name) => name.includes('layout'))
  let meanwhile: readonly string[] = []
  const db = new Database(path, {
    verbose: () => {
      meanwhile = copies()
    },
  })
  db.exec('create table t (a)')
  const whole: string[] = []
  for (const end of ['', '-2']) {
    backUp(db, path, 3)
    const unfinished = expect.stringMatching(/^workbench\.sqlite\.layout-3\.[0-9a-f]{16}\.part$/)
    expect(meanwhile).toEqual([...whole, unfinished])
    whole.push(`workbench.sqlite.layout-3${end}`)
    expect(copies()).toEqual(whole)
  }
  db.close()
})

it('a small store is brought forward without a word', () => {
  expect(openOld(100).err).toBe('')
})
