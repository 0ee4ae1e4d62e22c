/** Demo bots trade on the candles of their market, and what they did follows from their orders and the candles alone. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepRecipe } from '../../src/candles/continue.ts'
import { storeCandles } from '../../src/candles/folder.ts'
import { generateCandles, generateMarket } from '../../src/candles/generate.ts'
import type {
  BotBody,
  BotListBody,
  ExecutionBody,
  ExecutionListBody,
  OrderBody,
  OrderListBody,
  PnlBody,
} from '../../src/contract/bodies.ts'
import { backtest } from '../../src/engine/backtest.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { RunningService } from '../../src/service/start.ts'
import {
  addCandles,
  ask,
  type Bench,
  botPayload,
  CONFIG,
  FROM,
  json,
  OWNER,
  openBench,
  refusalOf,
  swingingCandles,
  TO,
} from './bench.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const time = (ms: number) => new Date(ms).toISOString()

/** A service whose market stands where its recording begins, and one bot on it. */
async function setup(options: Parameters<Bench['start']>[0] = {}) {
  const service = await bench.start({ rate: 0, market: { now: FROM }, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const on = (running: RunningService) => {
    const call = async <T>(path: string, question: { method?: string; body?: unknown } = {}): Promise<T> => {
      const reply = await ask(running, { path: `/api/bots${path}`, keys, ...question })
      expect(reply.status, reply.text).toBeLessThan(300)
      return JSON.parse(reply.text) // the shapes under test
    }
    return {
      keys,
      call,
      refused: async (path: string, question: { method?: string; body?: unknown } = {}) =>
        refusalOf(await ask(running, { path: `/api/bots${path}`, keys, ...question })),
      create: (changes = {}) => call<BotBody>('', { body: botPayload(changes) }),
      read: (id: string) => call<BotBody>(`/${id}`),
      start: (id: string) => call<BotBody>(`/${id}/start`, { method: 'POST' }),
      stop: (id: string, closePosition: boolean) =>
        call<BotBody>(`/${id}/stop?closePosition=${closePosition}`, { method: 'POST' }),
      update: (id: string, changes = {}) => call<BotBody>(`/${id}`, { method: 'PUT', body: botPayload(changes) }),
      pnl: (id: string) => call<PnlBody>(`/${id}/pnl`),
      executions: async (id: string): Promise<readonly ExecutionBody[]> =>
        (await call<ExecutionListBody>(`/${id}/executions?limit=1000`)).executions,
      orders: async (id: string, query = ''): Promise<readonly OrderBody[]> =>
        (await call<OrderListBody>(`/${id}/orders?limit=1000${query}`)).orders,
    }
  }
  return { service, on, ...on(service) }
}

describe('a demo bot that was started and left alone for three days', () => {
  it('shows what a backtest over the same candles shows, to the cent', async () => {
    const { create, start, pnl, executions, orders, read } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(3 * day)
    const expected = backtest({
      candles: swingingCandles({}),
      config: CONFIG,
      conventions: CONVENTION_PRESETS.default,
      costs: DEFAULT_COSTS,
      symbol: NO_SYMBOL_RULES,
    })
    expect(expected.deals.length).toBeGreaterThan(3)
    const { metrics, deals, openDeal } = expected
    const found = await pnl(id)
    for (const name of ['realizedProfit', 'unrealizedProfit', 'netProfit', 'feesPaid', 'volume'] as const) {
      expect(found[name]).toBeCloseTo(metrics[name], 8)
    }
    expect(found).toMatchObject({
      botId: id,
      marketTime: time(TO),
      candles: {
        market: 'binance/BTC-USDT',
        interval: '1m',
        from: time(FROM),
        to: time(TO),
        count: 4320,
        synthetic: true,
        ended: false,
      },
      investment: 1000,
      closedDeals: metrics.closedDeals,
      winRatePercent: metrics.winRatePercent,
      orders: metrics.orders,
      maxDrawdownPercent: metrics.maxDrawdownPercent,
      dailyEquity: metrics.dailyEquity,
      openDeal: openDeal === null ? null : { ...openDeal, openedAt: time(openDeal.openedAt) },
      costs: DEFAULT_COSTS,
    })
    const fills = await executions(id)
    expect(fills).toHaveLength(metrics.orders)
    const sales = fills.filter(({ profit }) => profit !== null).reverse()
    expect(
      sales.map(({ deal, executedAt, price, quantity, profit }) => ({ deal, executedAt, price, quantity, profit })),
    ).toEqual(
      deals.map(({ closedAt, price, quantity, profit }, i) => ({
        deal: i + 1,
        executedAt: time(closedAt),
        price,
        quantity,
        profit,
      })),
    )
    const open = await orders(id, '&state=open')
    expect(open.filter(({ role }) => role === 'takeProfit')).toHaveLength(openDeal === null ? 0 : 1)
    expect(await read(id)).toMatchObject({ state: 'running', startedAt: time(FROM), tradedUntil: time(TO) })
  })

  it('tells the same after a restart, under other terms and with its market clock set back', async () => {
    const { service, on, create, start, pnl, executions } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(2 * day)
    const before = { pnl: await pnl(id), executions: await executions(id) }
    await service.close()
    const changed = { costs: { feePercent: 1, slippagePercent: 1 }, conventions: CONVENTION_PRESETS.default }
    const later = on(await bench.start({ rate: 0, ...changed }))
    expect({ pnl: await later.pnl(id), executions: await later.executions(id) }).toEqual(before)
    await later.stop(id, false)
    const set = on(await bench.start({ rate: 0, market: { now: FROM + hour } }))
    expect(await set.executions(id)).toEqual(before.executions)
    expect(await set.read(id)).toMatchObject({ state: 'stopped', stoppedAt: time(FROM + 2 * day) })
  })
})

describe('what a bot does on a candle', () => {
  it('shows once the candle is complete, and the first deal opens at or after the start', async () => {
    const { create, start, executions, read } = await setup({ market: { now: FROM + 30_000 } })
    const { id } = await create()
    expect(await start(id)).toMatchObject({ state: 'running', tradedUntil: null })
    await bench.system.advance(minute)
    expect(await executions(id)).toEqual([])
    await bench.system.advance(30_000)
    expect(await executions(id)).toMatchObject([
      { role: 'base', deal: 1, executedAt: time(FROM + minute), profit: null },
    ])
    expect(await read(id)).toMatchObject({ tradedUntil: time(FROM + 2 * minute) })
  })

  it('ends with the market: the bot stands still and says so, until there are more candles', async () => {
    const { create, start, pnl, read } = await setup({ market: { now: TO - hour } })
    const { id } = await create()
    await start(id)
    await bench.system.advance(5 * hour)
    expect(await read(id)).toMatchObject({ state: 'running', tradedUntil: time(TO) })
    expect((await pnl(id)).candles).toMatchObject({ ended: true, count: 60 })
    addCandles(bench.candlesFolder, { from: TO, to: TO + 10 * hour })
    expect((await pnl(id)).candles).toMatchObject({ ended: false, count: 300 })
  })

  it('goes on to the present and beyond where the market is generated', async () => {
    const market = 'synthetic/DEMO-USDT'
    const from = Date.UTC(2025, 10, 25)
    const recipe = { seed: 3, interval: '5m' as const, from, days: 7 }
    const made = generateMarket(recipe)
    const stored = { market, interval: '5m' as const, candles: made.candles, synthetic: true }
    storeCandles(bench.candlesFolder, { ...stored, conflict: 'refuse' })
    keepRecipe(bench.candlesFolder, market, recipe, made)
    const { create, start, pnl, executions } = await setup({ market: { now: 'wall' } })
    const { id } = await create({ exchange: 'synthetic', baseAsset: 'DEMO' })
    const now = bench.system.clock.wall()
    await start(id)
    await bench.system.advance(35 * day)
    const seen = sliceCandles(generateCandles({ ...recipe, days: 80 }), now, now + 35 * day)
    const { metrics } = backtest({
      candles: seen,
      config: CONFIG,
      conventions: CONVENTION_PRESETS.default,
      costs: DEFAULT_COSTS,
      symbol: NO_SYMBOL_RULES,
    })
    expect(await executions(id)).toHaveLength(metrics.orders)
    const found = await pnl(id)
    expect(found.netProfit).toBeCloseTo(metrics.netProfit, 8)
    expect(found.candles).toMatchObject({ interval: '5m', to: time(now + 35 * day), synthetic: true, ended: false })
  })

  it('cannot be told while its candles are damaged: come back later, nothing is lost', async () => {
    const { service, keys, create, start, pnl } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(day)
    const before = await pnl(id)
    const month = join(bench.candlesFolder, 'binance/BTC-USDT/1m/2024-01.arrow')
    const good = readFileSync(month)
    writeFileSync(month, 'no candles')
    const reply = await ask(service, { path: `/api/bots/${id}/pnl`, keys })
    expect([refusalOf(reply), reply.headers['retry-after']]).toEqual(['503 ServiceBusy', '1'])
    expect(reply.text).not.toContain(bench.folder)
    writeFileSync(month, good)
    expect(await pnl(id)).toEqual(before)
  })

  it('is nothing when the candles are gone', async () => {
    const { create, start, pnl, stop } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(day)
    rmSync(bench.candlesFolder, { recursive: true })
    expect(await pnl(id)).toMatchObject({ candles: null, orders: 0, equity: 1000 })
    expect(await stop(id, true)).toMatchObject({ state: 'stopped' })
  })
})

describe('a market clock', () => {
  it('runs as fast as it is told, and goes on while nobody serves', async () => {
    const { service, on, create, start } = await setup({ market: { now: FROM, speed: 60 } })
    const { id } = await create()
    await start(id)
    await bench.system.advance(hour / 60)
    expect((await on(service).pnl(id)).marketTime).toBe(time(FROM + hour))
    await service.close()
    await bench.system.advance(hour / 60)
    const later = on(await bench.start({ rate: 0 }))
    expect(await later.pnl(id)).toMatchObject({ marketTime: time(FROM + 2 * hour), candles: { count: 120 } })
    const slower = on(await bench.start({ rate: 0, market: { speed: 1 } }))
    await bench.system.advance(hour)
    expect((await slower.pnl(id)).marketTime).toBe(time(FROM + 3 * hour))
    expect((await later.pnl(id)).marketTime).toBe(time(FROM + 3 * hour))
    await bench.start({ rate: 0, market: { now: 'wall' } })
    expect((await later.pnl(id)).marketTime).toBe(time(bench.system.clock.wall()))
  })
})

describe('start and stop', () => {
  it('may be repeated, and a bot never started stays created', async () => {
    const { create, start, stop, read } = await setup()
    const { id } = await create()
    expect(await stop(id, true)).toMatchObject({ state: 'created', stoppedAt: null })
    const started = await start(id)
    await bench.system.advance(hour)
    expect(await start(id)).toEqual({ ...started, tradedUntil: time(FROM + hour) })
    const stopped = await stop(id, false)
    expect(stopped).toMatchObject({ state: 'stopped', stopReason: 'request', stoppedAt: time(FROM + hour) })
    await bench.system.advance(hour)
    expect(await stop(id, false)).toEqual({ ...stopped, tradedUntil: time(FROM + 2 * hour) })
    expect(await read(id)).toMatchObject({ startedAt: time(FROM), updatedAt: time(FROM + hour) })
  })

  it('with closePosition=true sells at the last close less the fee, and nothing is open any more', async () => {
    const { create, start, stop, pnl, executions, orders } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(2 * minute)
    const before = await pnl(id)
    expect(before.openDeal).not.toBeNull()
    await stop(id, true)
    const [sale] = await executions(id)
    expect(sale).toMatchObject({ role: 'close', side: 'sell', price: swingingCandles({}).close[1] })
    expect(sale.executedAt).toBe(time(FROM + 2 * minute))
    const after = await pnl(id)
    expect(after).toMatchObject({ openDeal: null, closedDeals: 1, stopLosses: 0, unrealizedProfit: 0 })
    expect(after.realizedProfit).toBeCloseTo(before.unrealizedProfit, 10)
    expect(after.equity).toBeCloseTo(after.cash, 10)
    expect(await orders(id, '&state=open')).toEqual([])
    await bench.system.advance(day)
    expect(await pnl(id)).toMatchObject({ closedDeals: 1, orders: 2 })
  })

  it('with closePosition=false, or without it, keeps the position without orders; a start places them again', async () => {
    const { create, call, start, stop, pnl, orders } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(2 * minute)
    const open = await orders(id, '&state=open')
    expect(open.map(({ role, safetyOrder }) => [role, safetyOrder])).toEqual([
      ['takeProfit', null],
      ['safety', 3],
      ['safety', 2],
      ['safety', 1],
    ])
    await call(`/${id}/stop`, { method: 'POST' })
    await bench.system.advance(day)
    const kept = await pnl(id)
    expect(kept).toMatchObject({ orders: 1, openDeal: { safetyOrders: 0 } })
    expect(await orders(id, '&state=open')).toEqual([])
    const again = await start(id)
    expect(again).toMatchObject({ state: 'running', startedAt: time(FROM + day + 2 * minute), stoppedAt: null })
    expect((await orders(id, '&state=open')).map(({ id: order }) => order)).toEqual(open.map(({ id: order }) => order))
    await stop(id, false)
    await stop(id, true)
    expect(await pnl(id)).toMatchObject({ openDeal: null, closedDeals: 1 })
  })

  it('refuses a closePosition that is neither true nor false', async () => {
    const { create, refused } = await setup()
    const { id } = await create()
    for (const value of ['', 'yes', '1', 'TRUE']) {
      expect(await refused(`/${id}/stop?closePosition=${value}`, { method: 'POST' })).toBe('400 InvalidPayload')
    }
  })

  it('a bot that cannot pay its base order stops by itself, and says why', async () => {
    const { create, start, read } = await setup()
    const { id } = await create({ investment: 10 })
    await start(id)
    await bench.system.advance(hour)
    expect(await read(id)).toMatchObject({ state: 'stopped', stopReason: 'outOfCash', stoppedAt: time(FROM) })
  })
})

describe('an update', () => {
  it('leaves the running deal its ladder and gives the next one the new values', async () => {
    const { create, start, update, executions, orders } = await setup()
    const { id } = await create()
    await start(id)
    await bench.system.advance(2 * minute)
    const before = await orders(id)
    expect(await update(id, { name: 'renamed', dcaInitialOrderSize: 50, dcaMaxSafetyOrders: 1 })).toMatchObject({
      name: 'renamed',
      dcaInitialOrderSize: 50,
      state: 'running',
    })
    expect(await orders(id)).toEqual(before)
    await bench.system.advance(day)
    const bases = (await executions(id)).filter(({ role }) => role === 'base').reverse()
    expect(bases.map(({ quote }) => Math.round(quote)).slice(0, 3)).toEqual([20, 50, 50])
    expect((await orders(id)).filter(({ deal }) => deal === 2).map(({ role }) => role)).toEqual([
      'takeProfit',
      'safety',
      'base',
    ])
  })

  it('that changes nothing leaves the bot as it was', async () => {
    const { create, start, update } = await setup()
    const { id } = await create()
    const started = await start(id)
    await bench.system.advance(hour)
    expect(await update(id)).toEqual({ ...started, tradedUntil: time(FROM + hour) })
  })

  it('before the first start may change everything but whose it is and that it is a demo', async () => {
    addCandles(bench.candlesFolder, { market: 'binance/ETH-USDT' })
    const { create, update, refused } = await setup()
    const { id } = await create()
    expect(await update(id, { baseAsset: 'ETH', investment: 500 })).toMatchObject({ baseAsset: 'ETH', investment: 500 })
    const put = (changes: object) => refused(`/${id}`, { method: 'PUT', body: botPayload(changes) })
    expect(await put({ isDemo: false })).toBe('400 InvalidPayload')
    expect(await put({ userEmail: 'other@localhost' })).toBe('400 InvalidPayload')
    expect(await put({ takeProfit: 0 })).toBe('400 InvalidPayload')
  })

  it('after the first start cannot change its market or its investment', async () => {
    addCandles(bench.candlesFolder, { market: 'binance/ETH-USDT' })
    const { create, start, stop, read, refused } = await setup()
    const { id } = await create()
    await start(id)
    const stopped = await stop(id, true)
    for (const changes of [{ baseAsset: 'ETH' }, { investment: 999 }]) {
      expect(await refused(`/${id}`, { method: 'PUT', body: botPayload(changes) })).toBe('400 InvalidPayload')
    }
    expect(await read(id)).toEqual(stopped)
  })
})

describe('lists', () => {
  it('of bots, executions and orders come page by page, newest first, and new items do not shift them', async () => {
    const { call, create, start } = await setup()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.push((await create({ name: `n${i}` })).id)
    const first = await call<BotListBody>('?limit=2')
    await create({ name: 'later' })
    const second = await call<BotListBody>(`?${first.next}`)
    const third = await call<BotListBody>(`?${second.next}`)
    expect([first, second, third].map(({ bots }) => bots.map(({ name }) => name))).toEqual([
      ['n4', 'n3'],
      ['n2', 'n1'],
      ['n0'],
    ])
    expect(third.next).toBeNull()

    const [id] = ids
    await start(id)
    await bench.system.advance(2 * day)
    const all = (await call<ExecutionListBody>(`/${id}/executions?limit=1000`)).executions
    const firstPage = await call<ExecutionListBody>(`/${id}/executions?limit=3`)
    await bench.system.advance(12 * hour)
    const secondPage = await call<ExecutionListBody>(`/${id}/executions?${firstPage.next}`)
    expect([...firstPage.executions, ...secondPage.executions]).toEqual(all.slice(0, 6))
    const since = all[4].executedAt
    const recent = await call<ExecutionListBody>(`/${id}/executions?limit=1000&since=${since}`)
    expect(recent.executions.at(-1)?.executedAt).toBe(since)

    const orders: OrderBody[] = []
    for (let query: string | null = 'limit=4'; query !== null; ) {
      const page: OrderListBody = await call<OrderListBody>(`/${id}/orders?${query}`)
      orders.push(...page.orders)
      query = page.next
    }
    expect(orders).toEqual((await call<OrderListBody>(`/${id}/orders?limit=1000`)).orders)
    const filled = await call<OrderListBody>(`/${id}/orders?state=filled&limit=2`)
    const more = await call<OrderListBody>(`/${id}/orders?${filled.next}`)
    expect([...filled.orders, ...more.orders]).toEqual(orders.filter(({ state }) => state === 'filled').slice(0, 4))
  })

  it('of a bot that never started are empty', async () => {
    const { create, executions, orders, pnl } = await setup()
    const { id } = await create()
    expect([await executions(id), await orders(id)]).toEqual([[], []])
    expect(await pnl(id)).toMatchObject({ candles: null, equity: 1000, netProfit: 0, dailyEquity: [], costs: null })
  })
})

it('twenty bots read, started and stopped at once by two services stay one truth', async () => {
  const { service, on, create } = await setup()
  const other = on(await bench.start({ rate: 0 }))
  const ours = on(service)
  const bots = await Promise.all(Array.from({ length: 20 }, () => create()))
  await Promise.all(bots.flatMap(({ id }) => [ours.start(id), other.start(id), ours.start(id)]))
  await bench.system.advance(day)
  const seen = await Promise.all(bots.flatMap(({ id }) => [ours.executions(id), other.executions(id)]))
  expect(new Set(seen.map((list) => JSON.stringify(list.map(({ price }) => price)))).size).toBe(1)
  await Promise.all(bots.flatMap(({ id }) => [ours.stop(id, true), other.stop(id, true)]))
  const books = await Promise.all(bots.map(({ id }) => ours.pnl(id)))
  for (const book of books) expect(book.openDeal).toBeNull()
  expect(json(await ask(service, { path: '/api/bots', keys: ours.keys }))).toMatchObject({ next: null })
})
