/** A backtest job from order to result. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobBody } from '../../src/contract/bodies.ts'
import { backtest, ENGINE_VERSION } from '../../src/engine/backtest.ts'
import { CONVENTION_PRESETS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import {
  addCandles,
  ask,
  type Bench,
  CONFIG,
  jobRequest,
  json,
  listAll,
  OWNER,
  openBench,
  refusalOf,
  swingingCandles,
  untilEnded,
} from './bench.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

async function setup(options: Parameters<Bench['start']>[0] = {}) {
  const service = await bench.start({ rate: 0, ...options })
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
})
