/** What is refused of a body, each problem with its field. */
import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, jobRequest, json, OWNER, openWorld, outcomeOf, refusalOf, type World } from './world.ts'

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

describe('a body', () => {
  const post = (body: string, headers = {}) => ask(service, { path: jobs, keys, body, headers })

  it('is JSON by its type, or refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
      '',
    ]) {
      expect(refusalOf(await post('{}', { 'Content-Type': type }))).toBe('415 UnsupportedMediaType')
    }
    expect(refusalOf(await post('{}', { 'Content-Type': 'Application/JSON; charset=UTF-8' }))).toBe(
      '400 InvalidPayload',
    )
  })

  it('longer than 64 KB is refused, announced or not', async () => {
    const long = JSON.stringify(jobRequest({ name: 'x'.repeat(65_536) }))
    expect(refusalOf(await post(long))).toBe('413 PayloadTooLarge')
    const unannounced = { method: 'POST', path: jobs, keys, body: long, headers: { 'Transfer-Encoding': 'chunked' } }
    expect(refusalOf(await ask(service, unannounced))).toBe('413 PayloadTooLarge')
  })

  it('that nobody read does not disturb what follows on the same connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const long = 'x'.repeat(3_000_000)
    const send = (pair: IssuedKeys | null, body?: string) => {
      const question = body === undefined ? { path: limits } : { path: jobs, body }
      return ask(service, { ...question, keys: pair, agent }).then(outcomeOf)
    }
    const outcomes = [
      await send(null, JSON.stringify(jobRequest())),
      await send(keys),
      await send(null, long),
      await send(keys),
      await send(keys, long),
      await send(keys),
    ]
    agent.destroy()
    const refusedUnread = ['401 AuthRequired', '200', '401 AuthRequired', '200', '413 PayloadTooLarge', '200']
    expect(outcomes).toEqual(refusedUnread)
  })

  it('that is not strict JSON is refused', async () => {
    const bodies = [
      '',
      '{',
      'nonsense',
      '{"a":NaN}',
      '[1,]',
      '\ufeff{}',
      '{"isDemo":true,"isDemo":false}',
      '{"a":{"b":1,"\\u0062":2}}',
    ]
    for (const body of bodies) expect(refusalOf(await post(body))).toBe('400 InvalidPayload')
  })

  it('that is JSON but no payload names what is wrong, all at once', async () => {
    for (const body of ['null', '[]', '"text"', '1']) expect(refusalOf(await post(body))).toBe('400 InvalidPayload')
    const reply = await post(
      JSON.stringify({ ...jobRequest({ takeProfit: 0, dcaMaxSafetyOrders: 2.5, leverage: 3, to: 'soon' }), typo: 1 }),
    )
    expect(json(reply)).toEqual({
      error: {
        code: 'InvalidPayload',
        message: expect.stringContaining('takeProfit: expected more than 0, found 0'),
        details: [
          { field: 'typo', message: 'is not a field of this body' },
          { field: 'to', message: 'expected an ISO 8601 date or instant with its zone, found "soon"' },
          { field: 'leverage', message: 'expected 1, found 3' },
          { field: 'dcaMaxSafetyOrders', message: 'expected a whole number, found 2.5' },
          { field: 'takeProfit', message: 'expected more than 0, found 0' },
        ],
      },
    })
  })

  it('cannot smuggle fields in through a prototype', async () => {
    for (const body of [`{"__proto__":${JSON.stringify(jobRequest())}}`, '{"constructor":{"prototype":{}}}']) {
      expect(refusalOf(await post(body))).toBe('400 InvalidPayload')
    }
    expect('takeProfit' in {}).toBe(false)
  })

  it('with a market or a period that is not stored is refused and names what is', async () => {
    const wrong = [
      { exchange: 'nowhere' },
      { exchange: '../..' },
      { baseAsset: 'ETH' },
      { baseAsset: 'btc' },
      { from: '2024-01-29' },
      { to: '2024-02-03' },
      { interval: '1h' },
      { interval: '7m' },
      { from: '2024-02-02', to: '2024-01-30' },
    ]
    for (const changes of wrong)
      expect(refusalOf(await post(JSON.stringify(jobRequest(changes))))).toBe('400 InvalidPayload')
    for (const [changes, ...fields] of [
      [{ baseAsset: 'ETH' }, 'baseAsset'],
      [{ quoteAsset: 'EUR' }, 'quoteAsset'],
      [{ baseAsset: 'btc', quoteAsset: 'usdt' }, 'baseAsset', 'quoteAsset'],
      [{ interval: '1h' }, 'interval'],
      [{ from: '0000-01-01T00:00:00+01:00' }, 'from'],
    ] as const) {
      const { error } = JSON.parse((await post(JSON.stringify(jobRequest(changes)))).text)
      expect(error.details.map(({ field }: { field: string }) => field)).toEqual(fields)
    }
    const reply = await post(JSON.stringify(jobRequest({ from: '2024-01-29' })))
    expect(reply.text).toContain('2024-01-30')
    expect(await used()).toBe(0)
  })
})

it('nothing of all this was printed', () => {
  expect(world.system.printed()).toEqual({ out: '', err: '' })
})
