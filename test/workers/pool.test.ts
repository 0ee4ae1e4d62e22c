/** Engine threads behind one queue: nothing is lost silently, and one task's end is no other's. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { backtest } from '../../src/engine/backtest.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { createEnginePool, type EnginePool, shareCandles } from '../../src/workers/pool.ts'
import { CONFIG, FROM, swingingCandles } from '../service/world.ts'
import { workerFile } from '../support/worker-file.ts'
import { fixture } from './fixtures.ts'

const candles = swingingCandles({})
const input: BacktestInput = {
  candles,
  config: CONFIG,
  conventions: CONVENTION_PRESETS.default,
  costs: DEFAULT_COSTS,
  symbol: NO_SYMBOL_RULES,
}

const pools: EnginePool[] = []
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())))

function open(size: number, file: URL = workerFile()): EnginePool {
  const pool = createEnginePool({ workerFile: file, size })
  pools.push(pool)
  return pool
}

/** A pool of the obedient fixture and a way to tell it what to do. */
function setup(size: number) {
  const pool = open(size, fixture('obedient.mjs'))
  const order = (what: string, signal?: AbortSignal): Promise<unknown> => {
    const symbol = { ...NO_SYMBOL_RULES, order: what }
    return pool.backtest({ ...input, symbol }, signal === undefined ? {} : { signal })
  }
  return { pool, order }
}

describe('the engine pool', () => {
  it('answers what the engine answers, for many tasks at once', async () => {
    const pool = open(2)
    const configs = [0.5, 1, 1.5, 2, 2.5, 3].map((takeProfit) => ({ ...CONFIG, takeProfit }))
    const results = await Promise.all(configs.map((config) => pool.backtest({ ...input, config })))
    expect(results).toEqual(configs.map((config) => backtest({ ...input, config })))
  })

  it('uses as many threads as it was given, and no more', async () => {
    const { order } = setup(2)
    const answers = await Promise.all(Array.from({ length: 12 }, () => order('answer')))
    expect(new Set(answers.map((answer) => (answer as { threadId: number }).threadId)).size).toBe(2) // the fixture's shape
  })

  it('lets threads read the candles where they lie', async () => {
    const { order } = setup(1)
    expect(await order('answer')).toMatchObject({ shared: true, close: candles.close[0] })
    const before = shareCandles(candles).close[0]
    await order('write')
    expect(shareCandles(candles).close[0]).toBe(42)
    shareCandles(candles).close[0] = before
  })

  it('passes on what the engine threw, and keeps the thread', async () => {
    const { order } = setup(1)
    const first = await order('answer')
    await expect(order('refuse')).rejects.toThrow(new TypeError('no such rung'))
    expect(await order('answer')).toEqual(first)
  })

  it.each(['exit', 'throw'])(
    'rejects the task whose thread ended (%s), and runs the others on a new thread',
    async (how) => {
      const { order } = setup(1)
      const [before, lost, after] = await Promise.allSettled([order('answer'), order(how), order('answer')])
      expect(lost).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('worker ended') } })
      expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled'])
    },
  )

  it('says so when the worker cannot start', async () => {
    const pool = open(1, fixture('nowhere.mjs'))
    await expect(pool.backtest(input)).rejects.toThrow(/worker ended.*nowhere\.mjs/s)
    await expect(pool.backtest(input)).rejects.toThrow(/worker ended/)
  })

  it('drops a queued task when its signal aborts', async () => {
    const { order } = setup(1)
    const stop = new AbortController()
    const blocking = new AbortController()
    const running = order('wait', blocking.signal)
    const queued = order('answer', stop.signal)
    const behind = order('answer')
    stop.abort(new Error('never mind'))
    await expect(queued).rejects.toThrow('never mind')
    blocking.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(await behind).toMatchObject({ order: 'answer' })
  })

  it('ends the thread of a running task when its signal aborts, and refuses a signal that aborted before', async () => {
    const { order } = setup(1)
    const stop = new AbortController()
    const running = order('wait', stop.signal)
    await nextTurn()
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await expect(order('answer', stop.signal)).rejects.toThrow('enough')
    expect(await order('answer')).toMatchObject({ order: 'answer' })
  })

  it('closes with tasks under way and waiting: each is told, and nothing starts afterwards', async () => {
    const { pool, order } = setup(1)
    const tasks = [order('wait'), order('answer'), order('answer')]
    const outcomes = Promise.allSettled(tasks)
    await pool.close()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'interrupted' } })
    await expect(order('answer')).rejects.toMatchObject({ code: 'interrupted' })
    await pool.close()
  })
})

describe('shared candles', () => {
  it('hold the same numbers, are made once, and stay as they are when shared already', () => {
    const shared = shareCandles(candles)
    expect(shared.close).toEqual(candles.close)
    expect(shareCandles(candles)).toBe(shared)
    expect(shareCandles(shared)).toBe(shared)
    const slice = sliceCandles(shared, FROM, FROM + 600_000)
    expect(shareCandles(slice)).toBe(slice)
  })
})
