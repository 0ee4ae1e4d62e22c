/** What a job is computed with: what its body asks, and the service's own for the rest. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveSymbolRules } from '../../src/candles/folder/folder.ts'
import type { JobBody, JobSettingsBody } from '../../src/contract/bodies.ts'
import { backtest } from '../../src/engine/backtest.ts'
import {
  CONVENTION_PRESETS,
  type Conventions,
  type Costs,
  DEFAULT_COSTS,
  NO_SYMBOL_RULES,
  type SymbolRules,
} from '../../src/engine/conventions.ts'
import { deafWorker } from '../workers/fixtures.ts'
import {
  addCandles,
  ask,
  CONFIG,
  jobRequest,
  json,
  MARKET,
  OWNER,
  openWorld,
  refusalOf,
  swingingCandles,
  untilEnded,
  type World,
} from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const jobs = '/api/backtest/jobs'
const net: Conventions = { ...CONVENTION_PRESETS.default, takeProfitBasis: 'net', spacing: 'from-previous' }
const explicit: Conventions = { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 }
const rules: SymbolRules = { tick: 50, lot: 0.0001, minNotional: 5 }

async function setup(options: Parameters<World['start']>[0] = {}) {
  const service = await world.start({ rate: 0, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const order = async (settings?: JobSettingsBody, changes = {}): Promise<JobBody> => {
    const body = jobRequest({ ...changes, ...(settings === undefined ? {} : { settings }) })
    const reply = await ask(service, { path: jobs, keys, body })
    expect(reply.status, reply.text).toBe(201)
    return JSON.parse(reply.text) // the shape is tested elsewhere
  }
  return { service, keys, order }
}

interface Asked {
  readonly conventions?: Conventions
  readonly costs?: Costs
  readonly symbol?: SymbolRules
}

/** What `dcalab backtest` computes under these settings. */
function local({ conventions = CONVENTION_PRESETS.default, costs = DEFAULT_COSTS, symbol = NO_SYMBOL_RULES }: Asked) {
  return backtest({ candles: swingingCandles({}), config: CONFIG, conventions, costs, symbol })
}

describe('a job that asks for settings', () => {
  it('is another result at another fee, each the local backtest’s to the last digit', async () => {
    const { service, keys, order } = await setup()
    const usual = { costs: { feePercent: 0.1, slippagePercent: 0 } }
    const dear = { costs: { feePercent: 0.5, slippagePercent: 0.02 } }
    await order(usual)
    await order(dear)
    const [second, first] = await untilEnded(service, keys)
    expect(first.result?.metrics).toEqual(local(usual).metrics)
    expect(second.result?.metrics).toEqual(local(dear).metrics)
    expect([first.result?.costs, second.result?.costs]).toEqual([usual.costs, dear.costs])
    expect(first.result?.metrics.netProfit).not.toBe(second.result?.metrics.netProfit)
  })

  it.each<[string, Asked]>([
    ['conventions', { conventions: net }],
    ['conventions and a size of safety orders', { conventions: explicit }],
    ['symbol rules', { symbol: rules }],
    ['symbol rules, though none is enforced,', { symbol: { tick: null, lot: null, minNotional: 0 } }],
    ['everything', { conventions: explicit, costs: { feePercent: 0.3, slippagePercent: 0.1 }, symbol: rules }],
  ])('is computed with %s of its own, and its result says so', async (_what, asked) => {
    const { service, keys, order } = await setup()
    await order(asked)
    const [job] = await untilEnded(service, keys)
    const { metrics, deals } = local(asked)
    expect(job.result?.metrics).toEqual(metrics)
    expect(job.result?.deals.map(({ profit }) => profit)).toEqual(deals.map(({ profit }) => profit))
    expect(job.result).toMatchObject(asked)
  })

  it('has the service’s own for what it does not name, and is told all of it as soon as it is accepted', async () => {
    const costs = { feePercent: 0.075, slippagePercent: 0.01 }
    saveSymbolRules(world.candlesFolder, new Map([[MARKET, rules]]))
    const { service, keys, order } = await setup({ conventions: net, costs })
    const accepted = [await order(), await order({}), await order({ conventions: explicit })]
    expect(accepted.map(({ request }) => request.settings)).toEqual([
      { conventions: net, costs, symbol: rules },
      { conventions: net, costs, symbol: rules },
      { conventions: explicit, costs, symbol: rules },
    ])
    const ended = (await untilEnded(service, keys)).toReversed()
    for (const [i, { request, result }] of ended.entries()) {
      expect(request.settings).toEqual(accepted[i].request.settings)
      expect(result).toMatchObject(request.settings ?? {})
      expect(result?.metrics).toEqual(
        local({ ...accepted[i].request.settings, conventions: i < 2 ? net : explicit }).metrics,
      )
    }
  })

  it('and names an interval is computed on that one', async () => {
    addCandles(world.candlesFolder, { interval: '1h' })
    const { service, keys, order } = await setup()
    await order({ costs: { feePercent: 0.5, slippagePercent: 0 } }, { interval: '1h' })
    const [job] = await untilEnded(service, keys)
    expect(job.result?.candles).toMatchObject({ interval: '1h', count: 72 })
    expect(job).toMatchObject({ request: { interval: '1h' }, result: { costs: { feePercent: 0.5 } } })
  })

  it('keeps the symbol rules it was accepted under, whatever is imported before it runs', async () => {
    saveSymbolRules(world.candlesFolder, new Map([[MARKET, rules]]))
    const { service, keys, order } = await setup({ workerFile: deafWorker })
    await order()
    await service.close()
    saveSymbolRules(world.candlesFolder, new Map([[MARKET, { tick: 1000, lot: null, minNotional: 900 }]]))
    const [job] = await untilEnded(await world.start({ rate: 0 }), keys)
    expect(job.result?.symbol).toEqual(rules)
    expect(job.result?.metrics).toEqual(local({ symbol: rules }).metrics)
  })

  it('is not accepted while the symbol rules cannot be read, unless it brings its own; nothing is spent', async () => {
    const { service, keys, order } = await setup()
    writeFileSync(join(world.candlesFolder, 'symbols.json'), '{ "binance/BTC-USDT": { "tick": -1 } }')
    const refused = await ask(service, { path: jobs, keys, body: jobRequest() })
    expect(refusalOf(refused)).toBe('503 ServiceBusy')
    expect(world.system.printed().err).toContain('tick must be null or a number above 0, found -1')
    expect(json(await ask(service, { path: '/api/backtest/limits', keys }))).toMatchObject({ used: 0 })
    await order({ symbol: rules })
    const [job] = await untilEnded(service, keys)
    expect(job.result?.symbol).toEqual(rules)
  })

  it('that was accepted before symbol rules were kept runs under those of the candle folder, and says so', async () => {
    const { service, keys, order } = await setup({ workerFile: deafWorker })
    await order()
    await service.close()
    const db = new BetterSqlite3(world.storePath)
    db.exec("update jobs set terms_json = json_remove(terms_json, '$.symbol')")
    db.close()
    saveSymbolRules(world.candlesFolder, new Map([[MARKET, rules]]))
    const [job] = await untilEnded(await world.start({ rate: 0 }), keys)
    expect(job.request.settings).toEqual({ conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS })
    expect(job.result?.symbol).toEqual(rules)
    expect(job.result?.metrics).toEqual(local({ symbol: rules }).metrics)
  })

  it.each<[string, Asked]>([
    ['a tick above every price', { symbol: { tick: 1e308, lot: null, minNotional: null } }],
    ['a lot above every quantity', { symbol: { tick: null, lot: 1e308, minNotional: null } }],
    ['the finest steps there are', { symbol: { tick: 5e-324, lot: 5e-324, minNotional: 5e-324 } }],
    ['a smallest order that nobody can pay', { symbol: { tick: null, lot: null, minNotional: 1.7e308 } }],
    ['safety orders beyond every budget', { conventions: { ...explicit, safetyOrderSize: 1.7e308 } }],
    ['costs just below the bound', { costs: { feePercent: 49.999, slippagePercent: 49.999 } }],
  ])('may ask for %s: it ends, and no number is invented', async (_what, asked) => {
    const { service, keys, order } = await setup()
    await order(asked)
    const [job] = await untilEnded(service, keys)
    expect(job.state).toBe('completed')
    expect(job.result?.metrics).toEqual(json({ status: 200, headers: {}, text: JSON.stringify(local(asked).metrics) }))
    expect(job.result?.metrics.netProfit).not.toBeNull()
  })
})
