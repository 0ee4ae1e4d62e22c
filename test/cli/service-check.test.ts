/** The doctor looks and does not touch: GET only, no key shown, every body's fields accounted for, and an exit code for the worst it saw. */
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readEndpoints } from '../../src/cli/commands/service/read-endpoints.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { putEmptyStore } from '../support/empty-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import {
  API_KEY,
  BOT_PAYLOAD,
  goodBody,
  type Hit,
  JOB_REQUEST,
  json,
  type Script,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

const parse = (text: string) => JSON.parse(text)

interface Shown {
  readonly endpoint: string
  readonly state: string
  readonly note: string | null
  readonly fields: readonly { readonly field: string; readonly found: string; readonly reason: string | null }[]
}

/** Lists with one item each, so that every endpoint can be asked. */
function fullBody(hit: Hit): unknown {
  if (hit.method === 'GET' && /^\/api\/backtest\/jobs(\?|$)/.test(hit.url))
    return { jobs: [{ id: 'job-1', state: 'queued', request: JOB_REQUEST }] }
  if (/^\/api\/bots\?/.test(hit.url)) return { bots: [{ id: 'bot-1', ...BOT_PAYLOAD, state: 'created' }], next: null }
  return goodBody(hit)
}

async function examine(script: Script, args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const service = await scriptedService(script)
  const dcalab = elsewhere(service.url, more)
  const { code, out, err } = await dcalab(['service', 'check', '--json', ...args])
  const text = await dcalab(['service', 'check', ...args])
  await service.close()
  const shown: { endpoints: Shown[]; [part: string]: unknown } = parse(out)
  const of = (endpoint: string) => shown.endpoints.find((row) => row.endpoint === endpoint)
  return { code, shown, of, text: text.out, hits: service.hits, said: dcalab.said(), err }
}

it('asks every read endpoint of the document, with GET and nothing else', async () => {
  const { code, shown, hits, of } = await examine((hit, response) => json(response, 200, fullBody(hit)))
  expect(code).toBe(0)
  expect(shown.endpoints.map(({ endpoint }) => endpoint).sort()).toEqual(readEndpoints().sort())
  expect(readEndpoints().every((name) => ENDPOINTS[name].method === 'GET')).toBe(true)
  expect(shown.endpoints.every(({ state }) => state === 'answers')).toBe(true)
  expect(hits.every(({ method }) => method === 'GET')).toBe(true)
  expect(of('listSymbols')).toMatchObject({ items: 0, fields: [] })
  expect(hits.some(({ url }) => url === '/api/markets/binance/symbols?type=spot')).toBe(true)
})

it('says of every field whether it was read, null, absent or unreadable, and why', async () => {
  const { of, text } = await examine((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, { limit: 100, used: 'many', remaining: null })
    if (hit.url.includes('/jobs/')) {
      return json(response, 200, {
        id: 'job-1',
        state: 'marinating',
        result: { metrics: { netProfit: 'n/a', sharpe: 1 } },
      })
    }
    json(response, 200, fullBody(hit))
  })
  expect(of('readLimits')?.fields).toEqual([
    { field: 'limit', found: 'read', reason: null },
    { field: 'windowHours', found: 'absent', reason: null },
    { field: 'windowType', found: 'absent', reason: null },
    { field: 'used', found: 'unreadable', reason: 'expected a finite number, found "many"' },
    { field: 'remaining', found: 'null', reason: null },
    { field: 'nextAt', found: 'absent', reason: null },
    { field: 'scopes', found: 'absent', reason: null },
  ])
  expect(of('readJob')?.fields).toContainEqual({
    field: 'state',
    found: 'unreadable',
    reason: 'the state "marinating" is not known',
  })
  expect(of('readJob')?.fields).toContainEqual({
    field: 'result.metrics.netProfit',
    found: 'unreadable',
    reason: 'expected a finite number, found "n/a"',
  })
  expect(of('readJob')?.fields).toContainEqual({ field: 'result.metrics.roiPercent', found: 'absent', reason: null })
  expect(text).toContain('readLimits: used: expected a finite number, found "many"')
  expect(text).toContain('readJob: state: the state "marinating" is not known')
})

it.each([
  ['a key that is not valid', 401, { error: { code: 'ApiKeyInvalid' } }, 4, 'refused'],
  ['an address that is not allowed', 403, { error: { code: 'ApiKeyAddress' } }, 4, 'refused'],
  ['a page that leads elsewhere', 302, {}, 4, 'refused'],
  ['a list of another shape', 200, { jobs: 'none', bots: 'none' }, 5, 'unreadable'],
])('%s ends with its exit code', async (_what, status, body, exitCode, state) => {
  const { code, shown } = await examine((_hit, response) => json(response, status, body))
  expect(code).toBe(exitCode)
  expect(shown.endpoints.some((row) => row.state === state)).toBe(true)
})

it('one endpoint that fails is named, and the others are asked all the same', async () => {
  const { code, of } = await examine((hit, response) => {
    if (hit.url.endsWith('/pnl')) return void response.end('<html>maintenance</html>')
    json(response, 200, fullBody(hit))
  })
  expect(code).toBe(5)
  expect(of('readPnl')).toMatchObject({ state: 'unreadable', note: 'the reply is not JSON' })
  expect(of('listSymbols')).toMatchObject({ state: 'answers' })
})

it('what cannot be asked says why', async () => {
  const { of } = await examine((hit, response) => json(response, 200, goodBody(hit)))
  expect(of('readJob')).toMatchObject({ state: 'not asked', note: 'there is no job to read' })
  expect(of('readPnl')).toMatchObject({ state: 'not asked', note: 'there is no bot to read' })
  expect(of('listSymbols')).toMatchObject({ state: 'not asked', note: expect.stringContaining('--exchange') })
  const ownerless = await examine((hit, response) => json(response, 200, goodBody(hit)), [], { DCALAB_USER_EMAIL: '' })
  expect(ownerless.of('listBots')).toMatchObject({ state: 'not asked', note: 'DCALAB_USER_EMAIL is not set' })
})

it('a clock that is off is shown in seconds', async () => {
  const { shown, text } = await examine((hit, response) => {
    response.setHeader('Date', new Date(Date.UTC(2040, 0, 1)).toUTCString())
    json(response, 200, fullBody(hit))
  })
  expect(shown.service).toMatchObject({ clockSkewSeconds: expect.any(Number) })
  expect(text).toMatch(/clock {5}the service’s is \d+ s ahead of ours/)
})

it('H71: --show prints a reply as it came, without keys, whatever of it is understood', async () => {
  const strange = { wrapped: { rows: [{ uid: 9 }] }, you: [API_KEY, SECRET_KEY] }
  let listed: object = strange
  const service = await scriptedService((hit, response) => {
    if (hit.method === 'POST') return json(response, 200, { taken: 'thanks', ...strange })
    if (hit.url.includes('/bots')) return void response.end('<html>\u001b[2J down</html>')
    json(response, 200, hit.url.includes('limits') ? { limit: 100 } : listed)
  })
  const dcalab = elsewhere(service.url, { DCALAB_STORE: join(folder, 'shown.sqlite') })
  const list = await dcalab(['service', 'check', '--show', 'listJobs'])
  expect(list).toMatchObject({ code: 0, err: '' })
  expect(parse(list.out)).toEqual({ ...strange, you: ['[secret]', '[secret]'] })
  // Text that is no JSON is printed as text, with nothing in it that a terminal obeys.
  expect((await dcalab(['service', 'check', '--show', 'listBots'])).out).toBe('<html>\ufffd[2J down</html>\n')
  for (const [endpoint, code, said] of [
    ['createJob', 5, 'every answered submission became a job'],
    ['readPnl', 5, 'there is no bot to read'],
    ['deleteJob', 2, 'Allowed choices are'],
  ] as const) {
    expect(await dcalab(['service', 'check', '--show', endpoint])).toMatchObject({
      code,
      err: expect.stringContaining(said),
    })
  }
  listed = { jobs: [], next: null }
  const study = join(folder, 'shown.json')
  const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  const period = { from: '2024-01-01', to: '2024-01-03' }
  const grid = { dcaPriceScalePercent: [0.5] }
  writeFileSync(study, JSON.stringify({ name: 'shown', market, period, base: STUDY_BASE, grid }))
  expect(await dcalab(['run', study])).toMatchObject({ code: 5, err: expect.stringContaining('cannot be read') })
  const answered = await dcalab(['service', 'check', '--show', 'createJob'])
  expect(answered.err).toBe('')
  expect(parse(answered.out)).toMatchObject({
    taken: 'thanks',
    you: ['[secret]', '[secret]'],
  })
  expect(dcalab.said()).not.toContain(API_KEY)
  expect(dcalab.said()).not.toContain(SECRET_KEY)
  await service.close()
})

it('shows keys only as set or unset, whatever a service echoes', async () => {
  const { said, shown } = await examine(
    (hit, response) =>
      json(response, 200, {
        ...Object(fullBody(hit)),
        used: hit.headers['x-secret-key'],
        state: hit.headers['x-api-key'],
      }),
    [],
    { DCALAB_TRADE_API_KEY: 'tRaDe-canary-0001', DCALAB_TRADE_SECRET_KEY: 'tRaDe-secret-0002' },
  )
  expect(shown.settings).toContainEqual({ name: 'keys', value: 'set' })
  expect(shown.settings).toContainEqual({ name: 'trading keys', value: 'set' })
  for (const key of [API_KEY, SECRET_KEY, 'tRaDe-canary-0001', 'tRaDe-secret-0002']) {
    expect(said.includes(key)).toBe(false)
    expect(said.includes(JSON.stringify(key).slice(1, -1))).toBe(false)
  }
})

it('nobody there is exit code 5', async () => {
  const service = await scriptedService(() => {})
  await service.close()
  const { code, out } = await elsewhere(service.url)(['service', 'check', '--json'])
  expect(code).toBe(5)
  expect(parse(out)).toMatchObject({ service: null, allowance: null })
  const states = parse(out).endpoints.map(({ state }: Shown) => state)
  expect(states.filter((state: string) => state === 'unreachable').length).toBe(1)
  expect(states.filter((state: string) => state === 'not asked').length).toBe(readEndpoints().length - 1)
})

describe('store check', () => {
  const check = async (path: string) => {
    const { code, out } = await program(folder)(['store', 'check', '--store', path, '--json'])
    return { code, health: parse(out) }
  }

  it('finds a new one healthy, and measures its write-ahead log', async () => {
    const path = join(folder, 'new.sqlite')
    expect(await check(path)).toMatchObject({ code: 6, health: { problem: expect.stringContaining('no store') } })
    putEmptyStore(path)
    expect(await check(path)).toMatchObject({
      code: 0,
      health: { state: 'healthy', studies: 0, jobs: 0, unresolved: 0, walBytes: expect.any(Number), warnings: [] },
    })
  })

  it.each([
    ['is no database', (path: string) => writeFileSync(path, 'a letter to my bank\n'.repeat(100))],
    ['is a damaged one', (path: string) => truncateSync(path, 5_000)],
  ])('of a store that %s ends with exit code 6; a service is not asked with it', async (_what, spoil) => {
    const path = join(folder, 'spoilt.sqlite')
    rmSync(path, { force: true })
    putEmptyStore(path)
    expect((await check(path)).code).toBe(0)
    spoil(path)
    expect(await check(path)).toMatchObject({
      code: 6,
      health: { state: 'unusable', problem: expect.any(String) },
    })
    const service = await scriptedService((hit, response) => json(response, 200, goodBody(hit)))
    expect((await elsewhere(service.url)(['service', 'check', '--store', path])).code).toBe(6)
    await service.close()
    expect(service.hits).toEqual([])
  })
})

it('works on the embedded service: everything is read or the service’s own null', async () => {
  const here = join(folder, 'here')
  const dcalab = program(here)
  const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', from, '--days', '2'])
  const bot = join(folder, 'bot.json')
  const numbers = { ...JOB_REQUEST, exchange: 'synthetic', baseAsset: 'D' }
  const { from: _from, to: _to, ...config } = numbers
  writeFileSync(bot, JSON.stringify({ config }))
  const { botId } = parse((await dcalab(['bots', 'create', bot, '--json'])).out)
  await dcalab(['bots', 'start', botId])
  const { code, out } = await dcalab(['service', 'check', '--json'])
  const { endpoints, service, settings, allowance } = parse(out)
  expect(code).toBe(0)
  expect(service).toMatchObject({ identity: expect.stringMatching(/^embedded:/), simulated: true })
  expect(allowance).toMatchObject({ ledger: { used: 0, limit: 100 }, service: { used: 0, limit: 100 } })
  expect(settings).toContainEqual({ name: 'keys', value: 'issued at each start' })
  const amiss = endpoints.flatMap(({ endpoint, fields }: Shown) =>
    fields
      .filter(({ found }) => found === 'absent' || found === 'unreadable')
      .map(({ field }) => `${endpoint} ${field}`),
  )
  expect(amiss).toEqual([])
  expect(endpoints.find(({ endpoint }: Shown) => endpoint === 'readBot')).toMatchObject({ state: 'answers' })
})

function elsewhere(url: string, more: Readonly<Record<string, string>> = {}): Program {
  return program(folder, {
    DCALAB_STORE: join(folder, 'workbench.sqlite'),
    DCALAB_BASE_URL: url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: BOT_PAYLOAD.userEmail,
    ...more,
  })
}
