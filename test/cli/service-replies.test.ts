/** What a service says is kept in the store, whatever it is, with no key in it; a command that cannot keep it goes on. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { serviceReplies, storedTexts } from '../support/stored-bodies.ts'
import { testSystem } from '../support/system.ts'
import {
  API_KEY,
  goodBody,
  json,
  type Script,
  type ScriptedService,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

const spellings = [API_KEY, SECRET_KEY].flatMap((key) => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  Buffer.from(`xx${key}`).toString('base64').slice(4, 24),
  Buffer.from(key).toString('hex'),
])
/** Keys in the midst of other words; as base64 they are not on letters' edges. */
const echo = [API_KEY, SECRET_KEY].flatMap((key) => [key, encodeURIComponent(key), Buffer.from(key).toString('hex')])
const struck = echo.map(() => '[secret]')
const base64 = [API_KEY, SECRET_KEY].map((key) => Buffer.from(`xx${key}`).toString('base64'))

const folder = temporaryFolder()
let script: Script
let service: ScriptedService
let dcalab: Program
const storeAt = (name: string) => join(folder, `${name}.sqlite`)
function programWith(store: string): Program {
  return program(folder, {
    XDG_STATE_HOME: folder,
    DCALAB_STORE: storeAt(store),
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: 'a@b.example',
  })
}
beforeAll(async () => {
  service = await scriptedService((hit, response, index) => script(hit, response, index))
  for (const name of ['usual', 'strange', 'busy']) openStore(storeAt(name), { system: testSystem() }).close()
  dcalab = programWith('usual')
})
afterAll(() => service.close())

it('every command leaves the last reply of each endpoint and object, by the names of the API document', async () => {
  script = (hit, response) => {
    const body = goodBody(hit)
    json(response, 200, typeof body === 'object' ? { ...body, said: echo, base64 } : body)
  }
  for (const args of [
    ['service', 'limits'],
    ['service', 'symbols', 'binance'],
    ['bots', 'list'],
    ['bots', 'trades', 'bot-1'],
    ['bots', 'trades', 'bot-1', '--orders'],
    ['bots', 'stop', 'bot-1', '--keep-position'],
    ['bots', 'show', 'bot-1'],
    ['service', 'jobs', 'list'],
    ['service', 'jobs', 'show', 'job-1'],
  ]) {
    expect((await dcalab(args)).err, args.join(' ')).not.toContain('bug:')
  }
  const kept = serviceReplies(storeAt('usual'))
  expect(kept.map(({ endpoint, object, status }) => [endpoint, object, status])).toEqual([
    ['GET /api/backtest/jobs', '', 200],
    ['GET /api/backtest/limits', '', 200],
    ['GET /api/bots', '', 200],
    ['GET /api/bots/{id}', 'bot-1', 200],
    ['GET /api/bots/{id}/executions', 'bot-1', 200],
    ['GET /api/bots/{id}/orders', 'bot-1', 200],
    ['GET /api/bots/{id}/pnl', 'bot-1', 200],
    ['GET /api/markets/{exchange}/symbols', 'binance', 200],
    ['POST /api/bots/{id}/stop', 'bot-1', 200],
  ])
  const documented = Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`)
  expect(documented).toEqual(expect.arrayContaining(kept.map(({ endpoint }) => endpoint)))
  const symbols = JSON.parse(String(kept.find(({ endpoint }) => endpoint.endsWith('/symbols'))?.bytes))
  expect(symbols).toMatchObject({ symbols: [], said: struck })
})

const KEY_BYTES = Buffer.from(`${API_KEY}\xff${SECRET_KEY}`, 'latin1')
const STRANGE: Readonly<
  Record<string, { readonly status: number; readonly body: string | Buffer; readonly kept: string | Buffer }>
> = {
  page: {
    status: 502,
    body: `<html>${echo.join('\n')}</html>`,
    kept: `<html>${struck.join('\n')}</html>`,
  },
  redirect: { status: 307, body: 'moved', kept: 'moved' },
  empty: { status: 200, body: '', kept: '' },
  binary: { status: 200, body: KEY_BYTES, kept: Buffer.from('[secret]\xff[secret]', 'latin1') },
  marked: { status: 200, body: '\ufeff{"symbols":[]}', kept: '\ufeff{"symbols":[]}' },
}

it('what is no JSON is kept as it came, keys removed', async () => {
  script = ({ url }, response) => {
    const { status, body } = STRANGE[url.split('/')[3]] ?? { status: 404, body: '' }
    response.writeHead(status, { location: `/x?k=${encodeURIComponent(API_KEY)}` })
    response.end(body)
  }
  const strange = programWith('strange')
  for (const name of Object.keys(STRANGE)) await strange(['service', 'symbols', name])
  const kept = serviceReplies(storeAt('strange'))
  expect(Object.fromEntries(kept.map(({ object, status, bytes }) => [object, { status, bytes }]))).toEqual(
    Object.fromEntries(
      Object.entries(STRANGE).map(([name, { status, kept: body }]) => [name, { status, bytes: Buffer.from(body) }]),
    ),
  )
})

it('dcalab sql reads them as text', async () => {
  const sql = (statement: string) => programWith('strange')(['sql', statement, '--json'])
  const { out } = await sql(
    "select object, reply_text(body) as said from service_reply where object in ('page', 'empty')",
  )
  expect(JSON.parse(out)).toEqual([
    { object: 'empty', said: STRANGE.empty.body },
    { object: 'page', said: STRANGE.page.kept },
  ])
  expect(JSON.parse((await sql('select reply_text(null) as said')).out)).toEqual([{ said: null }])
  for (const [wrong, problem] of [
    ["'text'", 'reply_text takes a body of the table reply or service_reply, not a string'],
    ["x'1f8b08'", 'reply_text: the body is no whole reply'],
  ]) {
    expect(await sql(`select reply_text(${wrong})`)).toMatchObject({ code: 2, err: expect.stringContaining(problem) })
  }
})

it('no key is in any of them, in any spelling', () => {
  const texts = ['usual', 'strange'].flatMap((name) => storedTexts(storeAt(name)))
  expect(texts.length).toBeGreaterThan(10)
  for (const spelling of spellings) expect(texts.filter((text) => text.includes(spelling))).toEqual([])
})

it('a command that cannot keep what it heard ends as if nothing were', async () => {
  script = (hit, response) => json(response, 200, goodBody(hit))
  const busy = programWith('busy')
  const quiet = await busy(['service', 'symbols', 'binance'])
  const store = new Database(storeAt('busy'))
  store.exec("create trigger full before insert on service_reply begin select raise(abort, 'the disk is full'); end")
  store.exec('delete from service_reply')
  expect(await busy(['service', 'symbols', 'binance'])).toEqual(quiet)
  expect(serviceReplies(storeAt('busy'))).toEqual([])
  store.close()
})
