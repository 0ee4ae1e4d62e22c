/** The minute of a key and the day of an account. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deafWorker } from '../workers/fixtures.ts'
import { ask, type Bench, jobRequest, json, OWNER, openBench, refusalOf, untilEnded } from './bench.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

const minute = 60_000
const day = 24 * 60 * minute
const limitsPath = '/api/backtest/limits'

async function setup(options: Parameters<Bench['start']>[0] = {}) {
  const service = await bench.start(options)
  const keys = service.issueKeys({ userEmail: OWNER })
  const limits = async () => json(await ask(service, { path: limitsPath, keys }))
  const order = (changes = {}) => ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest(changes) })
  const knock = (count: number) => parallel(count, () => ask(service, { path: limitsPath, keys }))
  return { service, keys, limits, order, knock }
}

const parallel = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

const admitted = (replies: readonly { status: number }[]) => replies.filter(({ status }) => status < 300).length

describe.each(['sliding', 'fixed'] as const)(
  '200 clients that share one key and come at once (%s windows)',
  (window) => {
    it('get 120 requests of the minute through, never the 121st, and hear when to come back', async () => {
      const { knock } = await setup({ rateWindow: window })
      const replies = await knock(200)
      expect(admitted(replies)).toBe(120)
      const wait = window === 'sliding' ? 60 : 60 - ((bench.system.clock.monotonic() / 1000) % 60)
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        expect(refusalOf(reply)).toBe('429 ApiKeyRateLimit')
        expect(reply.headers['retry-after']).toBe(String(Math.ceil(wait)))
      }
      await bench.system.advance(minute)
      expect(admitted(await knock(130))).toBe(120)
    })

    it('get 100 jobs of the day through, never the 101st', async () => {
      const { service, keys, limits } = await setup({ rate: 0, window, workerFile: deafWorker })
      const order = (i: number) =>
        ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest({ name: `n${i}`, to: '2024-01-31' }) })
      expect(admitted(await parallel(200, order))).toBe(100)
      expect(await limits()).toMatchObject({ windowType: window, used: 100, remaining: 0 })
      await bench.system.advance(day)
      expect(admitted(await parallel(110, order))).toBe(100)
    })
  },
)

describe('the request rate of a key', () => {
  it('in fixed minutes opens when the next one begins, however late the requests came', async () => {
    const { knock } = await setup({ rateWindow: 'fixed', rate: 10 })
    const untilNext = minute - (bench.system.clock.monotonic() % minute)
    await bench.system.advance(untilNext - 1000)
    expect(admitted(await knock(20))).toBe(10)
    const [refused] = await knock(1)
    expect([refusalOf(refused), refused.headers['retry-after']]).toEqual(['429 ApiKeyRateLimit', '1'])
    await bench.system.advance(1000)
    expect(admitted(await knock(20))).toBe(10)
    await bench.system.advance(minute - 1)
    expect(admitted(await knock(1))).toBe(0)
  })

  it('slides: room opens exactly a minute after each request', async () => {
    const { knock } = await setup()
    expect(admitted(await knock(100))).toBe(100)
    await bench.system.advance(30_000)
    expect(admitted(await knock(21))).toBe(20)
    await bench.system.advance(29_999)
    const early = await knock(1)
    expect([refusalOf(early[0]), early[0].headers['retry-after']]).toEqual(['429 ApiKeyRateLimit', '1'])
    await bench.system.advance(1)
    expect(admitted(await knock(101))).toBe(100)
  })

  it('is no longer blocked by asking too often', async () => {
    const { knock } = await setup()
    await knock(130)
    for (let second = 0; second < 59; second += 1) {
      await bench.system.advance(1000)
      expect(admitted(await knock(2))).toBe(0)
    }
    await bench.system.advance(1000)
    expect(admitted(await knock(1))).toBe(1)
  })

  it('counts requests that were refused later, and is asked before the scope', async () => {
    const { service } = await setup({ rate: 3 })
    const keys = service.issueKeys({ userEmail: OWNER, scopes: ['CanTrade'] })
    const outcomes = []
    for (let i = 0; i < 4; i += 1) outcomes.push(refusalOf(await ask(service, { path: limitsPath, keys })))
    expect(outcomes).toEqual([...Array(3).fill('403 ApiKeyScope'), '429 ApiKeyRateLimit'])
  })

  it('belongs to the key: another key of the account has its own', async () => {
    const { service, knock } = await setup()
    await knock(121)
    const other = service.issueKeys({ userEmail: OWNER })
    expect((await ask(service, { path: limitsPath, keys: other })).status).toBe(200)
  })

  it('is one for all processes on the file, and outlives them', async () => {
    const { service, keys, knock } = await setup()
    const second = await bench.start()
    const replies = await Promise.all([knock(100), parallel(100, () => ask(second, { path: limitsPath, keys }))])
    expect(admitted(replies.flat())).toBe(120)
    await service.close()
    await second.close()
    const third = await bench.start()
    expect(refusalOf(await ask(third, { path: limitsPath, keys }))).toBe('429 ApiKeyRateLimit')
  })

  it('does not notice a wall clock that steps', async () => {
    const { knock } = await setup()
    await knock(120)
    bench.system.stepWall(10 * day)
    expect(admitted(await knock(1))).toBe(0)
    bench.system.stepWall(-20 * day)
    expect(admitted(await knock(1))).toBe(0)
    await bench.system.advance(minute)
    expect(admitted(await knock(1))).toBe(1)
  })

  it('of 0 limits nothing', async () => {
    const { knock } = await setup({ rate: 0 })
    expect(admitted(await knock(300))).toBe(300)
  })
})

describe('the allowance of an account', () => {
  it('accepts 100 of 200 jobs that come at once, through two processes and two keys', async () => {
    const { service, keys } = await setup({ rate: 0 })
    const second = await bench.start({ rate: 0 })
    const otherKeys = second.issueKeys({ userEmail: OWNER })
    const replies = await parallel(200, (i) =>
      ask(i % 2 === 0 ? service : second, {
        path: '/api/backtest/jobs',
        keys: i % 3 === 0 ? keys : otherKeys,
        body: jobRequest({ name: `n${i}`, to: '2024-01-31' }),
      }),
    )
    expect(admitted(replies)).toBe(100)
    const refused = replies.filter(({ status }) => status !== 201)
    for (const reply of refused) expect(refusalOf(reply)).toBe('429 ApiKeyBacktestLimit')
    expect(refused[0].headers['retry-after']).toBe('86400')
    expect(await untilEnded(service, keys)).toHaveLength(100)
  })

  it('slides: a job stops counting exactly 24 hours after it was accepted', async () => {
    const { order, limits } = await setup({ rate: 0, allowance: 3 })
    expect(await limits()).toEqual({
      limit: 3,
      windowHours: 24,
      windowType: 'sliding',
      used: 0,
      remaining: 3,
      nextAt: null,
    })
    await order()
    await bench.system.advance(3 * 60 * minute)
    await order()
    await order()
    const full = {
      limit: 3,
      windowHours: 24,
      windowType: 'sliding',
      used: 3,
      remaining: 0,
      nextAt: '2026-01-02T00:00:00.000Z',
    }
    expect(await limits()).toEqual(full)
    await bench.system.advance(day - 3 * 60 * minute - 1)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    expect(await limits()).toEqual(full)
    await bench.system.advance(1)
    expect(await limits()).toMatchObject({ used: 2, remaining: 1, nextAt: null })
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 3, remaining: 0, nextAt: '2026-01-02T03:00:00.000Z' })
  })

  it('fixed: everything opens at midnight UTC, however late the jobs came', async () => {
    const { order, limits } = await setup({ rate: 0, allowance: 2, window: 'fixed' })
    await bench.system.advance(day - 1)
    expect((await order()).status).toBe(201)
    expect((await order()).status).toBe(201)
    const refused = await order()
    expect(refusalOf(refused)).toBe('429 ApiKeyBacktestLimit')
    expect(refused.headers['retry-after']).toBe('1')
    expect(await limits()).toMatchObject({ windowType: 'fixed', used: 2, nextAt: '2026-01-02T00:00:00.000Z' })
    await bench.system.advance(1)
    expect(await limits()).toMatchObject({ used: 0, remaining: 2, nextAt: null })
    expect((await order()).status).toBe(201)
  })

  it('fixed at a phase: everything opens at that time of day', async () => {
    const phase = 6.5 * 60 * minute
    const { order, limits } = await setup({ rate: 0, allowance: 1, window: 'fixed', windowPhaseMs: phase })
    await bench.system.advance(phase - 1)
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 1, nextAt: '2026-01-01T06:30:00.000Z' })
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    await bench.system.advance(1)
    expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({ used: 1, nextAt: '2026-01-02T06:30:00.000Z' })
    await bench.system.advance(day - 1)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('is not spent by what is refused, and not given back by what is deleted', async () => {
    const { service, keys, order, limits } = await setup({ rate: 0, allowance: 2 })
    await order({ takeProfit: -1 })
    await order({ from: '2023-01-01' })
    expect(await limits()).toMatchObject({ used: 0 })
    const created: { id: string } = JSON.parse((await order()).text) // the shape is tested elsewhere
    expect((await ask(service, { method: 'DELETE', path: `/api/backtest/jobs/${created.id}`, keys })).status).toBe(204)
    await order()
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
    expect(await limits()).toMatchObject({ used: 2, remaining: 0 })
  })

  it('belongs to the account: another account has its own', async () => {
    const { service, order } = await setup({ rate: 0, allowance: 1 })
    await order()
    const keys = service.issueKeys({ userEmail: 'demo@localhost' })
    expect((await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() })).status).toBe(201)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('never opens early because the wall clock stepped back', async () => {
    const { order } = await setup({ rate: 0, allowance: 1 })
    await order()
    bench.system.stepWall(-5 * day)
    expect(refusalOf(await order())).toBe('429 ApiKeyBacktestLimit')
  })

  it('of 0 limits nothing, and still answers numbers', async () => {
    const { order, limits } = await setup({ rate: 0, allowance: 0 })
    for (let i = 0; i < 3; i += 1) expect((await order()).status).toBe(201)
    expect(await limits()).toMatchObject({
      limit: Number.MAX_SAFE_INTEGER,
      used: 3,
      remaining: Number.MAX_SAFE_INTEGER - 3,
    })
  })
})
