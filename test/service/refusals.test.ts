/** Every no of the service: its status, its code, and that nothing happened before it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_HEADER } from '../../src/contract/bodies.ts'
import { ENDPOINTS, type EndpointName, SCOPES } from '../../src/contract/endpoints.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, botPayload, jobRequest, OWNER, openWorld, outcomeOf, refusalOf, type World } from './world.ts'

let world: World
let service: RunningService
let keys: IssuedKeys
beforeAll(async () => {
  world = openWorld()
  service = await world.start({ rate: 0 })
  keys = service.issueKeys({ userEmail: OWNER })
})
afterAll(() => world.clear())

const limits = '/api/backtest/limits'
const jobs = '/api/backtest/jobs'

async function used(): Promise<number> {
  const body: { used: number } = JSON.parse((await ask(service, { path: limits, keys })).text) // the shape is tested elsewhere
  return body.used
}

/** Where each endpoint of the document stands here. */
const CALLS: Readonly<Record<EndpointName, { path: string; body?: unknown; admitted: string }>> = {
  listBots: { path: `/api/bots?userEmail=${OWNER}`, admitted: '200' },
  readBot: { path: '/api/bots/none', admitted: '404 NotFound' },
  listExecutions: { path: '/api/bots/none/executions', admitted: '404 NotFound' },
  listOrders: { path: '/api/bots/none/orders', admitted: '404 NotFound' },
  readPnl: { path: '/api/bots/none/pnl', admitted: '404 NotFound' },
  listSymbols: { path: '/api/markets/binance/symbols?type=spot&quote=USDT', admitted: '200' },
  validateBot: { path: '/api/bots/validate', body: botPayload(), admitted: '200' },
  createBot: { path: '/api/bots', body: {}, admitted: '400 InvalidPayload' },
  updateBot: { path: '/api/bots/none', body: botPayload(), admitted: '404 NotFound' },
  startBot: { path: '/api/bots/none/start', admitted: '404 NotFound' },
  stopBot: { path: '/api/bots/none/stop?closePosition=false', admitted: '404 NotFound' },
  readLimits: { path: limits, admitted: '200' },
  listJobs: { path: jobs, admitted: '200' },
  readJob: { path: `${jobs}/none`, admitted: '404 NotFound' },
  createJob: { path: jobs, body: {}, admitted: '400 InvalidPayload' },
  deleteJob: { path: `${jobs}/none`, admitted: '404 NotFound' },
}

describe.each(Object.keys(CALLS) as EndpointName[])('%s', (name) => {
  // keys of a record over all endpoints
  const { method, scope } = ENDPOINTS[name]
  const { path, body, admitted } = CALLS[name]
  const call = (pair: IssuedKeys | null, headers = {}) => ask(service, { method, path, body, keys: pair, headers })

  it('needs both headers, a pair that belongs together, and the scope of the document', async () => {
    expect(refusalOf(await call(null))).toBe('401 AuthRequired')
    expect(refusalOf(await call(null, { 'X-API-Key': keys.apiKey }))).toBe('401 AuthRequired')
    expect(refusalOf(await call({ ...keys, secretKey: '' }))).toBe('401 AuthRequired')
    const other = service.issueKeys({ userEmail: OWNER })
    expect(refusalOf(await call({ apiKey: keys.apiKey, secretKey: other.secretKey }))).toBe('401 ApiKeyInvalid')
    expect(refusalOf(await call({ apiKey: 'dk_unknown', secretKey: keys.secretKey }))).toBe('401 ApiKeyInvalid')
    const without = service.issueKeys({ userEmail: OWNER, scopes: SCOPES.filter((each) => each !== scope) })
    expect(refusalOf(await call(without))).toBe('403 ApiKeyScope')
    expect(outcomeOf(await call(service.issueKeys({ userEmail: OWNER, scopes: [scope] })))).toBe(admitted)
  })
})

describe('keys', () => {
  it('a revoked key is refused from its next request on', async () => {
    const pair = service.issueKeys({ userEmail: OWNER })
    expect((await ask(service, { path: limits, keys: pair })).status).toBe(200)
    expect(service.revokeKey(pair.apiKey)).toBe(true)
    expect(service.revokeKey(pair.apiKey)).toBe(false)
    expect(refusalOf(await ask(service, { path: limits, keys: pair }))).toBe('401 ApiKeyInvalid')
  })

  it('are revoked by their first characters too, never by the beginning of another', () => {
    const pair = service.issueKeys({ userEmail: OWNER })
    const [prefix] = /^dk_[0-9a-f]{8}/.exec(pair.apiKey) ?? ['']
    expect(service.revokeKey(prefix.slice(0, 8))).toBe(false)
    expect(service.revokeKey(`${prefix}_and something else`)).toBe(false)
    expect(service.revokeKey(prefix)).toBe(true)
    expect(service.listKeys().find((key) => key.prefix === prefix)).toMatchObject({
      userEmail: OWNER,
      scopes: [...SCOPES],
      addresses: null,
      revokedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it('bound to addresses work from there alone', async () => {
    const far = service.issueKeys({ userEmail: OWNER, addresses: ['10.0.0.1', '2001:db8::1'] })
    const near = service.issueKeys({ userEmail: OWNER, addresses: ['10.0.0.1', '127.0.0.1'] })
    expect(refusalOf(await ask(service, { path: limits, keys: far }))).toBe('403 ApiKeyAddress')
    expect((await ask(service, { path: limits, keys: near })).status).toBe(200)
    expect(() => service.issueKeys({ userEmail: OWNER, addresses: ['here'] })).toThrow('IP addresses')
    expect(() => service.issueKeys({ userEmail: 'nobody' })).toThrow('e-mail')
  })
})

describe('a web page', () => {
  const port = () => new URL(service.url).port

  it('is refused by its Origin, whatever it asks and whichever keys it holds', async () => {
    const origins = ['http://evil.example', 'null', 'http://localhost', `http://127.0.0.1:${port()}`, '']
    for (const origin of origins) {
      for (const { method, path, body } of [
        { method: 'GET', path: limits, body: undefined },
        { method: 'POST', path: jobs, body: jobRequest() },
        { method: 'OPTIONS', path: jobs, body: undefined },
      ]) {
        const reply = await ask(service, { method, path, body, keys, headers: { Origin: origin } })
        expect(refusalOf(reply)).toBe('403 OriginRefused')
        expect(Object.keys(reply.headers).filter((header) => header.startsWith('access-control'))).toEqual([])
      }
    }
    expect(await used()).toBe(0)
  })

  it('is refused by a name that only resolves to this machine', async () => {
    for (const host of ['evil.example', `evil.example:${port()}`, '127.0.0.1', '127.0.0.1:1', `127.0.0.1.:${port()}`]) {
      expect(refusalOf(await ask(service, { path: limits, keys, headers: { Host: host } }))).toBe('403 HostRefused')
    }
    for (const host of [`127.0.0.1:${port()}`, `localhost:${port()}`, `[::1]:${port()}`]) {
      expect((await ask(service, { path: limits, keys, headers: { Host: host } })).status).toBe(200)
    }
  })

  it('cannot reach us but through the loopback address', () => {
    expect(new URL(service.url).hostname).toBe('127.0.0.1')
  })
})

describe('a path', () => {
  it('that nobody knows is 404, a known one with another method 405 with what it takes', async () => {
    for (const path of [
      '/openapi.json/',
      '/api',
      '/api/bots/',
      '/api/bots/a/b',
      '/api/backtest/jobs/a/b',
      '/api/backtest/jobs/%2e%2e',
    ]) {
      expect(refusalOf(await ask(service, { path, keys }))).toBe('404 NotFound')
    }
    const reply = await ask(service, { method: 'PUT', path: jobs, keys })
    expect(refusalOf(reply)).toBe('405 MethodNotAllowed')
    expect(reply.headers.allow).toBe('GET, POST')
  })

  it('tells a stranger nothing', async () => {
    for (const path of ['/nowhere', '/openapi', jobs])
      expect(refusalOf(await ask(service, { path }))).toBe('401 AuthRequired')
  })

  it('with a query parameter that is unknown or given twice is refused, not half understood', async () => {
    for (const query of [
      'limt=5',
      'limit=5&limit=6',
      'limit=five',
      'since=yesterday',
      'since=2024-02-30',
      'before=-1',
    ]) {
      expect(refusalOf(await ask(service, { path: `${jobs}?${query}`, keys }))).toBe('400 InvalidPayload')
    }
  })
})

describe('every response', () => {
  it('carries the service identity and cannot be cached', async () => {
    const replies = [
      await ask(service, { path: limits, keys }),
      await ask(service, { path: limits }),
      await ask(service, { path: '/nowhere', keys }),
      await ask(service, { path: limits, keys, headers: { Host: 'evil.example' } }),
      await ask(service, { path: jobs, keys, body: '{' }),
    ]
    for (const { headers } of replies) {
      expect(headers[SERVICE_HEADER.toLowerCase()]).toBe(`embedded:${service.serviceId}`)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['content-type']).toContain('application/json')
    }
  })
})

it('nothing of all this was printed', () => {
  expect(world.system.printed()).toEqual({ out: '', err: '' })
})
