/** Jobs outlive the processes that run them, and each runs once. */
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deafWorker } from '../workers/fixtures.ts'
import { ask, jobRequest, listAll, OWNER, openWorld, readClaims, refusalOf, untilEnded, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const claims = () => readClaims(world.storePath)
const filesBeside = () => readdirSync(dirname(world.storePath)).sort()

async function setup(options: Parameters<World['start']>[0] = {}) {
  const service = await world.start({ rate: 0, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const order = (name: string) => ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest({ name }) })
  return { service, keys, order }
}

describe('two services on one file', () => {
  it('share the jobs, and run each exactly once', async () => {
    const { service, keys, order } = await setup()
    const second = await world.start({ rate: 0 })
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
    await Promise.all(names.map((name) => order(name)))
    const [jobs] = await Promise.all([untilEnded(service, keys), untilEnded(second, keys)])
    expect(jobs.map(({ state }) => state)).toEqual(names.map(() => 'completed'))
    expect(claims()).toEqual(Object.fromEntries(names.map((name) => [name, 1])))
  })

  it('have one identity and know each other’s keys', async () => {
    const { service, keys } = await setup()
    const second = await world.start()
    expect(second.serviceId).toBe(service.serviceId)
    expect((await ask(second, { path: '/api/backtest/limits', keys })).status).toBe(200)
    second.revokeKey(keys.apiKey)
    expect((await ask(service, { path: '/api/backtest/limits', keys })).status).toBe(401)
  })

  it('leave a job alone while the other works on it, however long', async () => {
    const { order, keys } = await setup({ workerFile: deafWorker })
    await order('long')
    const second = await world.start({ rate: 0 })
    await world.system.advance(30 * 86_400_000)
    expect(await listAll(second, keys)).toMatchObject([{ name: 'long', state: 'running' }])
    expect(claims()).toEqual({ long: 1 })
  })
})

describe('a service that closes', () => {
  it('puts running jobs back, and the next one takes them up; the first try is forgotten', async () => {
    const { service, keys, order } = await setup({ workerFile: deafWorker, workers: 1 })
    await order('running')
    await order('waiting')
    expect((await listAll(service, keys)).map(({ state }) => state)).toEqual(['queued', 'running'])
    await service.close()
    const db = new BetterSqlite3(world.storePath, { readonly: true })
    const rows = db.prepare('select name, state, claims, claimed_by, started_at_ms from jobs order by seq').all()
    const fresh = { state: 'queued', claims: 0, claimed_by: null, started_at_ms: null }
    expect(rows).toEqual([
      { name: 'running', ...fresh },
      { name: 'waiting', ...fresh },
    ])
    db.close()
    const jobs = await untilEnded(await world.start({ rate: 0 }), keys)
    expect(jobs.map(({ state }) => state)).toEqual(['completed', 'completed'])
    expect(claims()).toEqual({ running: 1, waiting: 1 })
  })

  it('leaves one file and nothing that keeps the process alive', async () => {
    const { service, keys, order } = await setup()
    await order('only')
    await untilEnded(service, keys)
    expect(filesBeside()).toHaveLength(5)
    await service.close()
    expect(filesBeside()).toEqual(['service.sqlite'])
    expect(world.system.sleeping()).toBe(0)
    await expect(ask(service, { path: '/api/backtest/limits', keys })).rejects.toThrow('ECONNREFUSED')
  })

  it('answers a request that is under way, and hangs up on a reader that never comes', async () => {
    const { service, keys } = await setup()
    const replies = Array.from({ length: 20 }, () => ask(service, { path: '/api/backtest/limits', keys }))
    await replies[0]
    const closing = service.close()
    for (const outcome of await Promise.allSettled(replies)) {
      if (outcome.status === 'fulfilled') expect(outcome.value.status).toBe(200)
      else expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/ECONNREFUSED|ECONNRESET/) })
    }
    await closing
  })
})

describe('a store that another process holds', () => {
  it('makes the service busy for a while, and loses no result', async () => {
    const { service, keys, order } = await setup({ workers: 1 })
    await order('held')
    const holder = new BetterSqlite3(world.storePath)
    holder.exec('begin immediate')
    const busy = await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() })
    expect([refusalOf(busy), busy.headers['retry-after']]).toEqual(['503 ServiceBusy', '1'])
    expect(await listAll(service, keys)).toMatchObject([{ name: 'held', state: 'running' }])
    while (world.system.sleeping() === 0) await listAll(service, keys)
    holder.exec('rollback')
    holder.close()
    await world.system.advance(1000)
    expect(await untilEnded(service, keys)).toMatchObject([{ name: 'held', state: 'completed' }])
    expect(claims()).toEqual({ held: 1 })
  })
})
