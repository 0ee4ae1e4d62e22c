/** How many requests a key may make in a minute. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deafWorker } from '../workers/fixtures.ts'
import { limitsPath, startCounted } from './counted.ts'
import { admitted, ask, jobRequest, OWNER, openWorld, parallel, refusalOf, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const minute = 60_000
const day = 24 * 60 * minute

describe.each(['sliding', 'fixed'] as const)(
  'more clients than are let in, which share one key and come at once (%s windows)',
  (window) => {
    it('get 120 requests of the minute through, never the 121st, and hear when to come back', async () => {
      const { knock } = await startCounted(world, { rateWindow: window })
      const replies = await knock(160)
      expect(admitted(replies)).toBe(120)
      const wait = window === 'sliding' ? 60 : 60 - ((world.system.clock.monotonic() / 1000) % 60)
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        expect(refusalOf(reply)).toBe('429 ApiKeyRateLimit')
        expect(reply.headers['retry-after']).toBe(String(Math.ceil(wait)))
      }
      await world.system.advance(minute)
      expect(admitted(await knock(122))).toBe(120)
    })

    it('get 100 jobs of the day through, never the 101st', async () => {
      const { service, keys, limits } = await startCounted(world, { rate: 0, window, workerFile: deafWorker })
      const order = (i: number) =>
        ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest({ name: `n${i}`, to: '2024-01-31' }) })
      expect(admitted(await parallel(130, order))).toBe(100)
      expect(await limits()).toMatchObject({ windowType: window, used: 100, remaining: 0 })
      await world.system.advance(day)
      expect(admitted(await parallel(102, order))).toBe(100)
    })
  },
)

describe('the request rate of a key', () => {
  it('in fixed minutes opens when the next one begins, however late the requests came', async () => {
    const { knock } = await startCounted(world, { rateWindow: 'fixed', rate: 10 })
    const untilNext = minute - (world.system.clock.monotonic() % minute)
    await world.system.advance(untilNext - 1000)
    expect(admitted(await knock(20))).toBe(10)
    const [refused] = await knock(1)
    expect([refusalOf(refused), refused.headers['retry-after']]).toEqual(['429 ApiKeyRateLimit', '1'])
    await world.system.advance(1000)
    expect(admitted(await knock(20))).toBe(10)
    await world.system.advance(minute - 1)
    expect(admitted(await knock(1))).toBe(0)
  })

  it('slides: room opens exactly a minute after each request', async () => {
    const { knock } = await startCounted(world)
    expect(admitted(await knock(100))).toBe(100)
    await world.system.advance(30_000)
    expect(admitted(await knock(21))).toBe(20)
    await world.system.advance(29_999)
    const early = await knock(1)
    expect([refusalOf(early[0]), early[0].headers['retry-after']]).toEqual(['429 ApiKeyRateLimit', '1'])
    await world.system.advance(1)
    expect(admitted(await knock(101))).toBe(100)
  })

  it('is no longer blocked by asking too often', async () => {
    const { knock } = await startCounted(world)
    await knock(122)
    for (let second = 0; second < 59; second += 1) {
      await world.system.advance(1000)
      expect(admitted(await knock(1))).toBe(0)
    }
    await world.system.advance(1000)
    expect(admitted(await knock(1))).toBe(1)
  })

  it('counts requests that were refused later, and is asked before the scope', async () => {
    const { service } = await startCounted(world, { rate: 3 })
    const keys = service.issueKeys({ userEmail: OWNER, scopes: ['CanTrade'] })
    const outcomes = []
    for (let i = 0; i < 4; i += 1) outcomes.push(refusalOf(await ask(service, { path: limitsPath, keys })))
    expect(outcomes).toEqual([...Array(3).fill('403 ApiKeyScope'), '429 ApiKeyRateLimit'])
  })

  it('belongs to the key: another key of the account has its own', async () => {
    const { service, knock } = await startCounted(world)
    await knock(121)
    const other = service.issueKeys({ userEmail: OWNER })
    expect((await ask(service, { path: limitsPath, keys: other })).status).toBe(200)
  })

  it('is one for all processes on the file, and outlives them', async () => {
    const { service, keys, knock } = await startCounted(world)
    const second = await world.start()
    const replies = await Promise.all([knock(100), parallel(100, () => ask(second, { path: limitsPath, keys }))])
    expect(admitted(replies.flat())).toBe(120)
    await service.close()
    await second.close()
    const third = await world.start()
    expect(refusalOf(await ask(third, { path: limitsPath, keys }))).toBe('429 ApiKeyRateLimit')
  })

  it('does not notice a wall clock that steps', async () => {
    const { knock } = await startCounted(world)
    await knock(120)
    world.system.stepWall(10 * day)
    expect(admitted(await knock(1))).toBe(0)
    world.system.stepWall(-20 * day)
    expect(admitted(await knock(1))).toBe(0)
    await world.system.advance(minute)
    expect(admitted(await knock(1))).toBe(1)
  })

  it('of 0 limits nothing', async () => {
    const { knock } = await startCounted(world, { rate: 0 })
    expect(admitted(await knock(150))).toBe(150)
  })
})
