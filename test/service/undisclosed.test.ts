/** Our service as a stranger's: it says neither who it is nor what it computes with, and reads no settings. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SERVICE_HEADER } from '../../src/contract/bodies.ts'
import { backtest } from '../../src/engine/backtest.ts'
import { CONVENTION_PRESETS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { ServiceOptions } from '../../src/service/start.ts'
import { deafWorker } from '../workers/fixtures.ts'
import {
  ask,
  botPayload,
  CONFIG,
  FROM,
  jobRequest,
  OWNER,
  openWorld,
  swingingCandles,
  untilEnded,
  type World,
} from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const own = { conventions: CONVENTION_PRESETS.default, costs: { feePercent: 0.2, slippagePercent: 0 } }
const asked = { costs: { feePercent: 0.5, slippagePercent: 0 } }
const jobs = '/api/backtest/jobs'

async function setup(options: Partial<ServiceOptions> = {}) {
  const service = await world.start({ rate: 0, undisclosed: true, costs: own.costs, market: { now: FROM }, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const order = (settings: unknown) => ask(service, { path: jobs, keys, body: jobRequest({ settings }) })
  return { service, keys, order }
}

/** What tells a service of ours, or its settings, from a stranger's. */
const SIGNS = ['settings', 'conventions', 'costs', 'symbol', 'engineVersion']
const signsIn = (value: unknown) => SIGNS.filter((sign) => JSON.stringify(value).includes(`"${sign}":`))

describe('an undisclosed service', () => {
  it('announces itself in no answer, refusals included', async () => {
    const { service, keys } = await setup()
    for (const pair of [keys, null]) {
      const { headers } = await ask(service, { path: jobs, keys: pair })
      expect(headers[SERVICE_HEADER.toLowerCase()]).toBeUndefined()
    }
    const known = await world.start()
    const { headers } = await ask(known, { path: jobs, keys: null })
    expect(headers[SERVICE_HEADER.toLowerCase()]).toBe(`embedded:${known.serviceId}`)
  })

  it('has no page and no description of itself', async () => {
    const { service, keys } = await setup()
    for (const path of ['/', '/openapi.json']) {
      expect((await ask(service, { path, keys: null })).status).toBe(401)
      expect((await ask(service, { path, keys })).status).toBe(404)
    }
  })

  it.each([
    ['are right', asked],
    ['are wrong', { costs: 'high', fee: 1 }],
    ['are nothing', null],
  ])('ignores settings that %s without a word, and computes with its own', async (_which, settings) => {
    const { service, keys, order } = await setup()
    const created = await order(settings)
    expect(created.status).toBe(201)
    expect(signsIn(JSON.parse(created.text))).toEqual([])
    const [job] = await untilEnded(service, keys)
    const terms = { ...own, symbol: NO_SYMBOL_RULES }
    expect(job.result?.metrics).toEqual(backtest({ candles: swingingCandles({}), config: CONFIG, ...terms }).metrics)
    expect(signsIn(job)).toEqual([])
    expect(signsIn(JSON.parse((await ask(service, { path: `${jobs}/${job.id}`, keys })).text))).toEqual([])
  })

  it('says no more of a bot, whose profit and loss it tells all the same', async () => {
    const { service, keys } = await setup()
    const { id } = JSON.parse((await ask(service, { path: '/api/bots', keys, body: botPayload() })).text)
    await ask(service, { method: 'POST', path: `/api/bots/${id}/start`, keys })
    await world.system.advance(86_400_000)
    const pnl = JSON.parse((await ask(service, { path: `/api/bots/${id}/pnl`, keys })).text)
    expect(pnl.orders).toBeGreaterThan(0)
    expect(signsIn(pnl)).toEqual([])
  })

  it('conceals also what it disclosed before, and tells it again when it discloses', async () => {
    const { service, keys, order } = await setup({ undisclosed: false })
    await order(asked)
    const [stated] = await untilEnded(service, keys)
    expect(stated.result).toMatchObject(asked)
    const silent = await world.start({ rate: 0, undisclosed: true })
    const [concealed] = await untilEnded(silent, keys)
    expect(signsIn(concealed)).toEqual([])
    expect(concealed.result?.metrics).toEqual(stated.result?.metrics)
    expect(await untilEnded(service, keys)).toEqual([stated])
  })

  it('runs a job that was accepted under its settings as it was accepted', async () => {
    const { service, keys, order } = await setup({ undisclosed: false, workerFile: deafWorker })
    await order(asked)
    await service.close()
    const [job] = await untilEnded(await world.start({ rate: 0, undisclosed: true }), keys)
    const { feesPaid, volume } = job.result?.metrics ?? { feesPaid: 0, volume: 1 }
    expect(feesPaid / volume).toBeCloseTo(0.005, 9)
  })
})
