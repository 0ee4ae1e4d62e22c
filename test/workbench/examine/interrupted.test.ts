/** An examination that is interrupted keeps what it found, and the next one goes on with that, where nothing changed meanwhile. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { CHECK_NAMES, examineResult } from '../../../src/workbench/evidence/examine/examine.ts'
import { desk, ended, program, projectRoot } from '../../support/dcalab.ts'
import { share } from '../../support/share.ts'
import { copyOf, examinedWorld, openWorld, WORLD_STUDY, type World } from './examined-world.ts'

let world: World
beforeAll(async () => {
  world = await examinedWorld(13)
})

/** Examines until the check of that number has begun; returns the names of what was kept. */
async function interruptAt(path: string, number: number): Promise<readonly string[]> {
  const controller = new AbortController()
  const onProgress = (text: string) => {
    if (text.endsWith(`check ${number} of ${CHECK_NAMES.length}`)) controller.abort(new Error('Ctrl-C'))
  }
  const { store, evaluation } = openWorld(world, path, { signal: controller.signal, onProgress })
  await expect(examineResult(store, evaluation)).rejects.toThrow('Ctrl-C')
  const kept = store.db.prepare<[], string>('select name from examination_check').pluck().all()
  store.close()
  return kept
}

async function examineAt(path: string, { wall = '2026-02-01T00:00:00Z', candles = world.candles } = {}) {
  const { store, evaluation } = openWorld({ candles }, path, { wall })
  const { examinedAt, ...found } = await examineResult(store, evaluation)
  const rows = store.db
    .prepare<[], { begun: number; finished: number }>(
      'select count(*) as begun, count(finished_at) as finished from examination',
    )
    .get()
  store.close()
  return { found, examinedAt, rows }
}

it('goes on after whichever of its checks, and says what one says that nobody interrupted', async () => {
  const whole = await examineAt(copyOf(world, 'whole'))
  expect(Object.values(whole.found.checks).filter((check) => check !== null).length).toBeGreaterThan(10)
  for (const number of share({ usual: [0, 7, 13], long: [...CHECK_NAMES.keys()] })) {
    const path = copyOf(world, `interrupted-${number}`)
    const kept = await interruptAt(path, number + 1)
    expect([number, number + 1]).toContain(kept.length)
    const { found, rows } = await examineAt(path)
    expect(found).toEqual(whole.found)
    expect(rows).toEqual({ begun: 1, finished: 1 })
  }
})

it('computes only what is missing', async () => {
  const path = copyOf(world, 'marked')
  const kept = await interruptAt(path, 6)
  expect(kept.length).toBeGreaterThan(3)
  const db = new Database(path)
  db.exec(`update examination_check set value_json = json_set(value_json, '$.mark', name) where value_json is not null`)
  db.close()
  const { found } = await examineAt(path)
  const marked = Object.entries(found.checks).filter(([, check]) => Reflect.get(Object(check), 'mark') !== undefined)
  expect(marked.map(([name]) => name).sort()).toEqual([...kept].sort())
})

it('begins anew where another configuration was tried meanwhile', async () => {
  const path = copyOf(world, 'tried')
  await interruptAt(path, 4)
  const db = new Database(path)
  db.exec(
    "insert into tried select market, period_from, period_to, 'backtest', 'other', 1, first_at, last_at from tried limit 1",
  )
  db.close()
  expect((await examineAt(path)).rows).toEqual({ begun: 2, finished: 1 })
})

it('one that was finished is never taken up: the next begins anew, and the last one holds', async () => {
  const path = copyOf(world, 'twice')
  const first = await examineAt(path)
  const second = await examineAt(path, { wall: '2026-02-03T00:00:00Z' })
  expect(second.found).toEqual(first.found)
  expect(second.rows).toEqual({ begun: 2, finished: 2 })
  expect([first.examinedAt, second.examinedAt]).toEqual(['2026-02-01T00:00:00.000Z', '2026-02-03T00:00:00.000Z'])
})

it('a kill inside a check’s transaction leaves a store that is whole, and an examination that goes on', async () => {
  const at = desk()
  // The program’s own database module, which ends the process in the middle of what it writes.
  writeFileSync(
    join(at.folder, 'killer.mjs'),
    `import Database from ${JSON.stringify(pathToFileURL(join(projectRoot, 'node_modules/better-sqlite3/lib/index.js')).href)}
     const prepare = Database.prototype.prepare
     let kept = 0
     Database.prototype.prepare = function (sql) {
       const statement = prepare.call(this, sql)
       if (!sql.includes('insert into "examination_check"')) return statement
       const run = statement.run
       statement.run = (...values) => {
         const result = run.apply(statement, values)
         if (++kept === 5) process.kill(process.pid, 'SIGKILL')
         return result
       }
       return statement
     }`,
  )
  const environment = {
    DCALAB_STORE: copyOf(world, 'killed'),
    DCALAB_CANDLES: world.candles,
    XDG_STATE_HOME: at.folder,
  }
  const examine = ['examine', WORLD_STUDY.name, '--json']
  const killed = at.startNode(['--import', './killer.mjs', program, ...examine], environment)
  expect(await ended(killed)).toMatchObject({ code: null, stdout: '' })
  const db = new Database(environment.DCALAB_STORE)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(db.prepare('select count(*) from examination_check').pluck().get()).toBe(4)
  db.close()
  const again = await at.dcalab(examine, environment)
  expect(again.code).toBe(0)
  const { found } = await examineAt(copyOf(world, 'never-killed'))
  expect(JSON.parse(again.stdout).checks).toMatchObject(JSON.parse(JSON.stringify(nonNull(found.checks))))
})

function nonNull(checks: object): object {
  return Object.fromEntries(Object.entries(checks).filter(([, check]) => check !== null))
}
