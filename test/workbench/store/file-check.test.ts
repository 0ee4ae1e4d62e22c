/** Damage (H42): SQLite's own check reads the whole file, so it is made when there is a reason; what it has not seen is said when it is met. */
import { randomBytes } from 'node:crypto'
import { closeSync, copyFileSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { checkStore, proveResults } from '../../../src/workbench/store/merge/check-other.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { folderInMemory, temporaryFolder } from '../../support/folder.ts'
import { program } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { testSystem } from '../../support/system.ts'
import { finish, openStudy, pay } from './merge-setup.ts'
import { openWithStudy, submit } from './setup.ts'

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

it('after a program that was killed a whole store is opened', async () => {
  const { store } = await openWithStudy(1)
  const copy = join(temporaryFolder(), 'workbench.sqlite')
  for (const end of ['', '-wal']) copyFileSync(`${store.path}${end}`, `${copy}${end}`)
  openStore(copy, { system }).close()
  expect(existsSync(`${copy}-wal`)).toBe(false)
})

/** What people read first. */
const QUESTIONS = ['answers', 'trials', 'deals', 'equity_daily', 'attempts', 'studies'].map(
  (view) => `select * from ${view}`,
)

/** What people type, where the ranking and its totals are kept. */
const commandsFor = (trial: string) => [
  ['leaderboard', 'ladder', '--json'],
  ['show', trial, '--json'],
  ['status', '--json'],
  ['study', 'list', '--json'],
]

const overwritten = share({ usual: 12, long: 40 })

// The texts of views, on overflow pages of the schema, are written again by whoever opens the store.
it(`of ${overwritten} pages overwritten one by one, the check finds each that holds data, and no question or command is answered otherwise in silence`, async () => {
  const { store, trials } = await openStudy(40)
  for (const [n, { fingerprint }] of trials.entries()) await pay(store, fingerprint, `j${n}`, n)
  const { path } = store
  const commands = commandsFor(trials[0].fingerprint)
  const call = program(join(path, '..'))
  for (const args of commands) await call(args) // what they keep, they have kept
  const said = await Promise.all(commands.map(async (args) => shownBy((await call(args)).out)))
  const whole = QUESTIONS.map((sql) => JSON.stringify(store.db.prepare(sql).all()))
  const pages = store.db
    .prepare<[], { readonly page: number; readonly size: number; readonly kind: string }>(
      "select pageno as page, pgsize as size, name || ' ' || pagetype || ' ' || payload as kind from dbstat where payload > 0 and not (name = 'sqlite_schema' and pagetype = 'overflow') order by pageno",
    )
    .all()
  store.close()
  const [missed, silent]: [string[], string[]] = [[], []]
  const places = pages.filter((_, n) => n % Math.floor(pages.length / overwritten) === 0).slice(0, overwritten)
  expect(places).toHaveLength(overwritten)
  for (const [n, { page, size, kind }] of places.entries()) {
    const damagedPath = join(folderInMemory(), 'workbench.sqlite')
    copyFileSync(path, damagedPath)
    const file = openSync(damagedPath, 'r+')
    writeSync(file, Buffer.alloc(size, n % 2 === 0 ? 0 : 'overwritten'), 0, size, (page - 1) * size)
    closeSync(file)
    if (!(await findsDamage(damagedPath))) missed.push(kind)
    const answers = answersOf(damagedPath)
    silent.push(...QUESTIONS.filter((_, index) => (answers[index] ?? whole[index]) !== whole[index]))
    for (const [index, args] of commands.entries()) {
      const { code, out } = await program(join(damagedPath, '..'))(args)
      if (code === 0 && shownBy(out) !== said[index]) silent.push(`${args.join(' ')} with ${kind}`)
    }
  }
  expect({ missed, silent }).toEqual({ missed: [], silent: [] })
})

/** Without the limit of `status`, which is that of the moment. */
function shownBy(json: string): string {
  const answer: { readonly studies?: unknown } = JSON.parse(json)
  return JSON.stringify(answer.studies ?? answer)
}

async function findsDamage(path: string): Promise<boolean> {
  try {
    const store = openStore(path, { system })
    try {
      return (await checkStore(store.db, async () => {})).damage.length > 0
    } finally {
      store.close()
    }
  } catch {
    return true
  }
}

/** Of each question the answer; undefined where it ends with an error. */
function answersOf(path: string): readonly (string | undefined)[] {
  try {
    const store = openStore(path, { system, readonly: true })
    try {
      return QUESTIONS.map((sql) => answer(store.db, sql))
    } finally {
      store.close()
    }
  } catch {
    return QUESTIONS.map(() => undefined)
  }
}

function answer(db: Database.Database, sql: string): string | undefined {
  try {
    return JSON.stringify(db.prepare(sql).all())
  } catch {
    return undefined
  }
}

it('store check reads everything each time, and says what it covers', async () => {
  const { store } = await openWithStudy(1)
  store.close()
  const call = program(join(store.path, '..'))
  expect((await call(['store', 'check'])).out).toMatch(
    /\nchecked: all \d+ pages and indexes, .* the hash of 0 replies\n/,
  )
  expect(JSON.parse((await call(['store', 'check', '--json'])).out)).toMatchObject({ replies: 0, deletedReplies: 0 })
})

it('of replies that are long only so many are in memory at once', async () => {
  const { store, trials } = await openStudy(4)
  const words = randomBytes(4_500_000).toString('base64') // six million characters, hardly shorter when compressed
  const readTogether: number[] = []
  for (const body of ['{}', words]) {
    for (const [n, { fingerprint }] of trials.entries()) {
      const job = `${body.length}-${n}`
      await submit(store, fingerprint, job)
      await finish(store, job, n, body)
    }
    let read = 0
    await proveResults(store.db, { accepts: () => false, reread: () => ({ problem: 'not asked' }) }, (replies) => {
      readTogether.push(replies - read)
      read = replies
    })
  }
  expect(readTogether).toEqual([8, 15, 1]) // of each job a short one too, when it was accepted
  store.close()
})
