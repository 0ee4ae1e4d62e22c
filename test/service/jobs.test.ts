/** A backtest job from order to result. */
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobBody, JobListBody } from '../../src/contract/bodies.ts'
import { backtest, ENGINE_VERSION } from '../../src/engine/backtest.ts'
import { CONVENTION_PRESETS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import { deafWorker, fixture } from '../workers/fixtures.ts'
import {
  addCandles,
  ask,
  CONFIG,
  FROM,
  jobRequest,
  json,
  listAll,
  OWNER,
  openWorld,
  refusalOf,
  swingingCandles,
  TO,
  untilEnded,
  type World,
} from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

async function setup(options: Parameters<World['start']>[0] = {}) {
  const service = await world.start({ rate: 0, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const order = (changes = {}) => ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest(changes) })
  return { service, keys, order }
}

describe('a job', () => {
  it('is answered at once, and its result is what the engine says about the stored candles', async () => {
    const { service, keys, order } = await setup({ costs: { feePercent: 0.075, slippagePercent: 0.01 } })
    const created = await order({ name: 'first' })
    expect(created.status).toBe(201)
    expect(json(created)).toMatchObject({
      name: 'first',
      createdAt: '2026-01-01T00:00:00.000Z',
      finishedAt: null,
      request: { ...jobRequest({ name: 'first' }), from: '2024-01-30T00:00:00.000Z', to: '2024-02-02T00:00:00.000Z' },
      result: null,
      error: null,
    })
    const [job] = await untilEnded(service, keys)
    const costs = { feePercent: 0.075, slippagePercent: 0.01 }
    const conventions = CONVENTION_PRESETS.default
    const expected = backtest({
      candles: swingingCandles({}),
      config: CONFIG,
      conventions,
      costs,
      symbol: NO_SYMBOL_RULES,
    })
    expect(expected.deals.length).toBeGreaterThan(3)
    expect(job.state).toBe('completed')
    expect(job.result?.metrics).toEqual(expected.metrics)
    expect(job.result?.deals).toEqual(
      expected.deals.map((deal) => ({
        ...deal,
        openedAt: new Date(deal.openedAt).toISOString(),
        closedAt: new Date(deal.closedAt).toISOString(),
      })),
    )
    expect(job.result).toMatchObject({ conventions, costs, engineVersion: ENGINE_VERSION })
    expect(job.result?.candles).toMatchObject({
      market: 'binance/BTC-USDT',
      interval: '1m',
      count: 4320,
      synthetic: true,
    })
    expect(json(await ask(service, { path: `/api/backtest/jobs/${job.id}`, keys }))).toEqual(job)
  })

  it('keeps the terms it was accepted under, whatever the service is told later', async () => {
    const { service, keys } = await setup({ workerFile: deafWorker, costs: { feePercent: 0.2, slippagePercent: 0 } })
    await ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest() })
    await service.close()
    const later = await world.start({ rate: 0, costs: { feePercent: 0, slippagePercent: 0 } })
    const [job] = await untilEnded(later, keys)
    expect(job.result?.costs).toEqual({ feePercent: 0.2, slippagePercent: 0 })
  })

  it('uses the finest candles that cover its period, or the interval it names', async () => {
    addCandles(world.candlesFolder, { interval: '1h', from: FROM - 10 * 86_400_000 })
    const { service, keys, order } = await setup()
    await order()
    await order({ interval: '1h' })
    await order({ from: '2024-01-21T00:00:00+00:00' })
    const jobs = await untilEnded(service, keys)
    expect(jobs.map(({ result }) => result?.candles.interval)).toEqual(['1h', '1h', '1m'])
    expect(jobs.map(({ request }) => request.interval)).toEqual([undefined, '1h', undefined])
  })

  it('sees candles that were imported while the service runs', async () => {
    const { order } = await setup()
    expect(refusalOf(await order({ to: '2024-02-03' }))).toBe('400 InvalidPayload')
    addCandles(world.candlesFolder, { from: TO, to: TO + 86_400_000 })
    expect((await order({ to: '2024-02-03' })).status).toBe(201)
  })

  it('fails with a reason when its candles are gone by the time it runs', async () => {
    const { service, keys, order } = await setup({ workerFile: deafWorker })
    await order()
    await service.close()
    rmSync(world.candlesFolder, { recursive: true })
    const [job] = await untilEnded(await world.start({ rate: 0 }), keys)
    expect(job).toMatchObject({ state: 'failed', result: null, error: { code: 'CandlesUnusable' } })
    expect(job.finishedAt).not.toBeNull()
  })

  it('fails with a reason when its worker crashes', async () => {
    const { service, keys, order } = await setup({ workerFile: fixture('crash.mjs'), workers: 1 })
    await order({ name: 'crash' })
    const [job] = await untilEnded(service, keys)
    expect(job).toMatchObject({ state: 'failed', error: { code: 'EngineFailed' } })
    expect(job.error?.message).toContain('worker ended')
  })

  it('that is deleted disappears, running or not, and its thread is free again', async () => {
    const { service, keys, order } = await setup({ workerFile: deafWorker, workers: 1 })
    const running: JobBody = JSON.parse((await order()).text)
    const queued: JobBody = JSON.parse((await order()).text)
    const path = (job: JobBody) => `/api/backtest/jobs/${job.id}`
    const read = async (job: JobBody): Promise<string> => {
      const reply = await ask(service, { path: path(job), keys })
      return reply.status === 200 ? JSON.parse(reply.text).state : refusalOf(reply)
    }
    expect([await read(running), await read(queued)]).toEqual(['running', 'queued'])
    expect((await ask(service, { method: 'DELETE', path: path(running), keys })).status).toBe(204)
    while ((await read(queued)) === 'queued') await delay(5)
    expect([await read(running), await read(queued)]).toEqual(['404 NotFound', 'running'])
    expect(refusalOf(await ask(service, { method: 'DELETE', path: path(running), keys }))).toBe('404 NotFound')
    expect(await listAll(service, keys)).toHaveLength(1)
  })

  it('is no one else’s: another account neither reads, lists nor deletes it', async () => {
    const { service, order } = await setup()
    const job: JobBody = JSON.parse((await order()).text)
    const stranger = service.issueKeys({ userEmail: 'stranger@localhost' })
    const path = `/api/backtest/jobs/${job.id}`
    expect(refusalOf(await ask(service, { path, keys: stranger }))).toBe('404 NotFound')
    expect(refusalOf(await ask(service, { method: 'DELETE', path, keys: stranger }))).toBe('404 NotFound')
    expect(await listAll(service, stranger)).toEqual([])
  })
})

describe('the list of jobs', () => {
  const page = async (service: { url: string }, keys: IssuedKeys, query: string): Promise<JobListBody> =>
    JSON.parse((await ask(service, { path: `/api/backtest/jobs?${query}`, keys })).text) // the shape under test

  async function ordered(count: number) {
    const made = await setup({ workerFile: deafWorker })
    for (let i = 1; i <= count; i += 1) {
      await made.order({ name: `n${i}` })
      await world.system.advance(1000)
    }
    return made
  }
  const names = ({ jobs }: JobListBody) => jobs.map(({ name }) => name)

  it('comes newest first, page by page, and new jobs do not shift the pages that follow', async () => {
    const { service, keys, order } = await ordered(5)
    const first = await page(service, keys, 'limit=2')
    expect(names(first)).toEqual(['n5', 'n4'])
    await order({ name: 'n6' })
    const second = await page(service, keys, first.next ?? '')
    expect(names(second)).toEqual(['n3', 'n2'])
    const third = await page(service, keys, second.next ?? '')
    expect([names(third), third.next]).toEqual([['n1'], null])
    expect(names(await page(service, keys, 'limit=6'))).toHaveLength(6)
    expect((await page(service, keys, 'limit=6')).next).toBeNull()
  })

  it('clamps the page length to 1 … 1000', async () => {
    const { service, keys } = await ordered(3)
    expect(names(await page(service, keys, 'limit=0'))).toEqual(['n3'])
    const all = await page(service, keys, 'limit=999999')
    expect([names(all), all.next]).toEqual([['n3', 'n2', 'n1'], null])
  })

  it('since a moment holds the jobs that changed then or later, old ones that ended included', async () => {
    const { service, keys, order } = await setup({ workerFile: deafWorker, workers: 1 })
    await order({ name: 'old' })
    await world.system.advance(5000)
    await order({ name: 'new' })
    const sinceNew = 'since=2026-01-01T00:00:05.000Z'
    expect(names(await page(service, keys, sinceNew))).toEqual(['new'])
    const first = await page(service, keys, 'since=2026-01-01T00:00:00Z&limit=1')
    expect(names(first)).toEqual(['new'])
    expect(names(await page(service, keys, first.next ?? ''))).toEqual(['old'])
    expect(names(await page(service, keys, 'since=2026-01-01T00:00:05.001Z'))).toEqual([])
    await service.close()
    await world.system.advance(5000)
    const working = await world.start({ rate: 0 })
    await untilEnded(working, keys)
    expect(names(await page(working, keys, 'since=2026-01-01T00:00:10Z'))).toEqual(['new', 'old'])
  })

  it('ends a page before 4 MB, and a single longer job still makes one', async () => {
    const { service, keys } = await ordered(4)
    await service.close()
    const db = new BetterSqlite3(world.storePath)
    const result = (bytes: number) => JSON.stringify({ padding: 'x'.repeat(bytes) })
    const finish = db.prepare(
      "update jobs set state = 'completed', result_json = ?, finished_at_ms = 0, claimed_by = null where name = ?",
    )
    for (const [name, bytes] of [
      ['n4', 1_900_000],
      ['n3', 1_900_000],
      ['n2', 1_900_000],
      ['n1', 5_000_000],
    ] as const) {
      finish.run(result(bytes), name)
    }
    db.close()
    const reader = await world.start({ rate: 0 })
    const pages: (string | null)[][] = []
    for (let query: string | null = 'limit=1000'; query !== null; ) {
      const reply: JobListBody = await page(reader, keys, query)
      pages.push(names(reply))
      query = reply.next
    }
    expect(pages).toEqual([['n4', 'n3'], ['n2'], ['n1']])
  })
})

it('a service with running jobs still answers at once', async () => {
  const { service, keys, order } = await setup({ workerFile: deafWorker, workers: 1 })
  for (let i = 0; i < 10; i += 1) await order()
  const states = (await listAll(service, keys)).map(({ state }) => state)
  expect(states.filter((state) => state === 'running')).toHaveLength(1)
  expect(states.filter((state) => state === 'queued')).toHaveLength(9)
})
