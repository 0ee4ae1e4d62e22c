/** Bringing a large store forward takes a while: a person who waits is told what happens, and where the store is kept as it was. */
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { backUp } from '../../../src/sqlite-file.ts'
import { STORE_VERSION } from '../../../src/workbench/store/migrate.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { program } from '../../support/program.ts'
import { storeOf } from './old-layouts.ts'

/** What opening a store of the layout before says. `bytes`: of it, about. */
async function openOld(bytes: number) {
  const folder = temporaryFolder()
  const path = join(folder, 'workbench.sqlite')
  renameSync(storeOf(STORE_VERSION - 1), path)
  const db = new Database(path)
  db.exec(`create table mine as select zeroblob(${bytes}) as filler`)
  db.close()
  const { code, err } = await program(folder)(['study', 'list'])
  expect(code).toBe(0)
  return { path, err }
}

it('a store of more than 50 MB says so before it is brought forward, with both layouts and its copy', async () => {
  const { path, err } = await openOld(50_000_000)
  const copy = `${path}.layout-${STORE_VERSION - 1}`
  expect(err).toBe(
    `note: bringing ${path} from layout ${STORE_VERSION - 1} to ${STORE_VERSION}, which takes a while; as it was it stays in ${copy}\n`,
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
    expect(meanwhile).toEqual([...whole, `workbench.sqlite.layout-3.${process.pid}.part`])
    whole.push(`workbench.sqlite.layout-3${end}`)
    expect(copies()).toEqual(whole)
  }
  db.close()
})

it('a small store is brought forward without a word', async () => {
  expect((await openOld(100)).err).toBe('')
})
