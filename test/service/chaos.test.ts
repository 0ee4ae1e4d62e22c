/** The service on a bad day: answers suffer, work and books do not. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BotListBody } from '../../src/contract/bot-bodies.ts'
import { CHAOS_PROFILES, type ChaosProfile, FAULTS, type Fault, parseChaos } from '../../src/service/http/chaos.ts'
import { deafWorker } from '../workers/fixtures.ts'
import { ask, botPayload, jobRequest, OWNER, openWorld, refusalOf, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

/** A service under chaos, and a second one on the same store that tells what is true. */
async function setup(profile: ChaosProfile, seed = 1) {
  const service = await world.start({ rate: 0, chaos: { profile, seed } })
  const calm = await world.start({ rate: 0, allowance: 0, workerFile: deafWorker })
  const keys = service.issueKeys({ userEmail: OWNER })
  const create = () => ask(service, { path: '/api/bots', keys, body: botPayload() })
  const bots = async () => {
    const list: BotListBody = JSON.parse((await ask(calm, { path: '/api/bots', keys })).text) // the shape is tested elsewhere
    return list.bots.length
  }
  return { service, calm, keys, create, bots }
}

const outcomeOf = (reply: ReturnType<typeof ask>) =>
  reply.then(
    ({ status }) => String(status),
    (error: { code?: string }) => error.code ?? String(error),
  )

describe('a fault', () => {
  it('reset: the connection is reset, and the work may or may not have been done', async () => {
    const { create, bots } = await setup({ reset: 1 })
    const outcomes = new Set<string>()
    for (let i = 0; i < 12; i += 1) outcomes.add(await outcomeOf(create()))
    expect([...outcomes]).toEqual(['ECONNRESET'])
    expect(await bots()).toBeGreaterThan(0)
    expect(await bots()).toBeLessThan(12)
  })

  it('cut: the work is done, and half of the answer arrives', async () => {
    const { create, bots } = await setup({ cut: 1 })
    expect(await outcomeOf(create())).toBe('ECONNRESET') // "aborted": fewer bytes than announced
    expect(await bots()).toBe(1)
  })

  it('late: the connection is gone at once, the work is done seconds later', async () => {
    const { create, bots } = await setup({ late: 1 })
    expect(await outcomeOf(create())).toBe('ECONNRESET')
    expect(await bots()).toBe(0)
    await world.system.advance(10_000)
    while ((await bots()) === 0);
    expect(await bots()).toBe(1)
  })

  it('late: is given up when the service closes first', async () => {
    const { service, create, bots } = await setup({ late: 1 })
    expect(await outcomeOf(create())).toBe('ECONNRESET')
    await service.close()
    await world.system.advance(10_000)
    expect(await bots()).toBe(0)
  })

  it('error-after: the work is done, and the answer says that it failed', async () => {
    const { create, bots } = await setup({ 'error-after': 1 })
    expect(refusalOf(await create())).toBe('500 InternalError')
    expect(await bots()).toBe(1)
  })

  it('duplicate: the work is done twice', async () => {
    const { create, bots } = await setup({ duplicate: 1 })
    expect((await create()).status).toBe(201)
    expect(await bots()).toBe(2)
  })

  it('html: a gateway answers', async () => {
    const { create } = await setup({ html: 1 })
    const reply = await create()
    expect([reply.status, reply.headers['content-type']]).toEqual([502, 'text/html'])
    expect(reply.text).toContain('<h1>')
  })

  it('latency: the answer waits, and is the right one', async () => {
    const { create, bots } = await setup({ latency: 1 })
    const pending = create()
    while (world.system.sleeping() === 0) await bots()
    expect(await bots()).toBe(0)
    await world.system.advance(3_000)
    expect((await pending).status).toBe(201)
  })
})

it('a service under chaos still refuses strangers, counts every job once and keeps its allowance', async () => {
  const service = await world.start({
    rate: 0,
    allowance: 10,
    workerFile: deafWorker,
    chaos: { profile: { ...CHAOS_PROFILES.hostile, latency: 0, late: 0 }, seed: 7 },
  })
  const calm = await world.start({ rate: 0, allowance: 10, workerFile: deafWorker })
  const keys = service.issueKeys({ userEmail: OWNER })
  const order = (pair: typeof keys | null) =>
    ask(service, { path: '/api/backtest/jobs', keys: pair, body: jobRequest() })
  for (let i = 0; i < 40; i += 1) await outcomeOf(order(null))
  const limits = async () => JSON.parse((await ask(calm, { path: '/api/backtest/limits', keys })).text)
  expect(await limits()).toMatchObject({ used: 0 })
  for (let i = 0; i < 60; i += 1) await outcomeOf(order(keys))
  expect(await limits()).toMatchObject({ used: 10, remaining: 0 })
})

it('the same seed brings the same faults, another seed others', async () => {
  const play = async (seed: number) => {
    const service = await world.start({ rate: 0, chaos: { profile: { ...CHAOS_PROFILES.hostile, latency: 0 }, seed } })
    const keys = service.issueKeys({ userEmail: OWNER })
    const outcomes: string[] = []
    for (let i = 0; i < 60; i += 1) outcomes.push(await outcomeOf(ask(service, { path: '/api/bots', keys })))
    await service.close()
    return outcomes.join(' ')
  }
  const [once, again, other] = [await play(5), await play(5), await play(6)]
  expect(again).toBe(once)
  expect(other).not.toBe(once)
  expect(new Set(once.split(' ')).size).toBeGreaterThan(2)
})

describe('the words of --chaos', () => {
  it('name a profile, or faults with or without their chance', () => {
    expect(parseChaos('flaky')).toEqual(CHAOS_PROFILES.flaky)
    expect(parseChaos('reset,late=0.1')).toEqual({ reset: 0.25, late: 0.1 })
    for (const fault of FAULTS) expect(parseChaos(`${fault}=1`)).toEqual({ [fault satisfies Fault]: 1 })
    for (const text of ['', 'wild', 'reset=2', 'reset=', 'reset=x', 'flaky,reset']) {
      expect(() => parseChaos(text), text).toThrow('--chaos expects')
    }
  })
})
