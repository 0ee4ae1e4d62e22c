/** Demo bots trade on the candles of their market, and what they did follows from their orders and the candles alone. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { storeCandles } from '../../src/candles/folder/folder.ts'
import { generateCandles, generateMarket, keepRecipe } from '../../src/candles/synthetic/generate.ts'
import { backtest } from '../../src/engine/backtest.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { day, hour, minute, setUpBots, time, worldForEachTest } from './bots-world.ts'
import { addCandles, ask, CONFIG, FROM, json, refusalOf, swingingCandles, TO } from './world.ts'

const world = worldForEachTest()
const setUp = (options: Parameters<typeof setUpBots>[1] = {}) => setUpBots(world(), options)

describe('a demo bot that was started and left alone for three days', () => {
  it('shows what a backtest over the same candles shows, to the cent', async () => {
    const { create, start, pnl, executions, orders, read } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(3 * day)
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
      openDeal: openDeal && {
        ...openDeal,
        openedAt: time(openDeal.openedAt),
        lowestValue: expect.closeTo(openDeal.lowestValue, 8),
      },
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
    const { service, on, create, start, pnl, executions } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(2 * day)
    const before = { pnl: await pnl(id), executions: await executions(id) }
    await service.close()
    const changed = { costs: { feePercent: 1, slippagePercent: 1 }, conventions: CONVENTION_PRESETS.default }
    const later = on(await world().start({ rate: 0, ...changed }))
    expect({ pnl: await later.pnl(id), executions: await later.executions(id) }).toEqual(before)
    await later.stop(id, false)
    const set = on(await world().start({ rate: 0, market: { now: FROM + hour } }))
    expect(await set.executions(id)).toEqual(before.executions)
    expect(await set.read(id)).toMatchObject({ state: 'stopped', stoppedAt: time(FROM + 2 * day) })
  })
})

describe('what a bot does on a candle', () => {
  it('shows once the candle is complete, and the first deal opens at or after the start', async () => {
    const { create, start, executions, read } = await setUp({ market: { now: FROM + 30_000 } })
    const { id } = await create()
    expect(await start(id)).toMatchObject({ state: 'running', tradedUntil: null })
    await world().system.advance(minute)
    expect(await executions(id)).toEqual([])
    await world().system.advance(30_000)
    expect(await executions(id)).toMatchObject([
      { role: 'base', deal: 1, executedAt: time(FROM + minute), profit: null },
    ])
    expect(await read(id)).toMatchObject({ tradedUntil: time(FROM + 2 * minute) })
  })

  it('ends with the market: the bot stands still and says so, until there are more candles', async () => {
    const { create, start, pnl, read } = await setUp({ market: { now: TO - hour } })
    const { id } = await create()
    await start(id)
    await world().system.advance(5 * hour)
    expect(await read(id)).toMatchObject({ state: 'running', tradedUntil: time(TO) })
    expect((await pnl(id)).candles).toMatchObject({ ended: true, count: 60 })
    addCandles(world().candlesFolder, { from: TO, to: TO + 10 * hour })
    expect((await pnl(id)).candles).toMatchObject({ ended: false, count: 300 })
  })

  it('stands still where a stretch of its market ends, though years later there are candles again', async () => {
    const { create, start, pnl } = await setUp({ market: { now: TO - hour } })
    addCandles(world().candlesFolder, { from: FROM + 1000 * day, to: TO + 1000 * day })
    const { id } = await create()
    await start(id)
    expect((await pnl(id)).candles).toBeNull()
    await world().system.advance(30 * minute)
    expect((await pnl(id)).candles).toMatchObject({ ended: false, to: time(TO - 30 * minute) })
    await world().system.advance(5 * hour)
    expect((await pnl(id)).candles).toMatchObject({ ended: true, to: time(TO) })
  })

  it('takes the finest interval whose stretch holds its start', async () => {
    const year = FROM + 365 * day
    addCandles(world().candlesFolder, { from: FROM + 1000 * day, to: TO + 1000 * day })
    addCandles(world().candlesFolder, { interval: '1h', from: year, to: year + 3 * day })
    const { create, start, pnl } = await setUp({ market: { now: year } })
    const { id } = await create()
    await start(id)
    await world().system.advance(2 * day)
    expect((await pnl(id)).candles).toMatchObject({ interval: '1h', count: 48, ended: false })
  })

  it('goes on to the present and beyond where the market is generated', async () => {
    const market = 'synthetic/DEMO-USDT'
    const from = Date.UTC(2025, 10, 25)
    const recipe = { seed: 3, interval: '5m' as const, from, days: 7 }
    const made = generateMarket(recipe)
    const stored = { market, interval: '5m' as const, candles: made.candles, synthetic: true }
    storeCandles(world().candlesFolder, { ...stored, conflict: 'refuse' })
    keepRecipe(world().candlesFolder, market, recipe, made)
    const { create, start, pnl, executions } = await setUp({ market: { now: 'wall' } })
    const { id } = await create({ exchange: 'synthetic', baseAsset: 'DEMO' })
    const now = world().system.clock.wall()
    await start(id)
    await world().system.advance(35 * day)
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
    const { service, keys, create, start, pnl } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(day)
    const before = await pnl(id)
    const month = join(world().candlesFolder, 'binance/BTC-USDT/1m/2024-01.arrow')
    const good = readFileSync(month)
    writeFileSync(month, 'no candles')
    const reply = await ask(service, { path: `/api/bots/${id}/pnl`, keys })
    expect([refusalOf(reply), reply.headers['retry-after']]).toEqual(['503 ServiceBusy', '1'])
    expect(reply.text).not.toContain(world().folder)
    writeFileSync(month, good)
    expect(await pnl(id)).toEqual(before)
  })
})

describe('a market clock', () => {
  it('runs as fast as it is told, and goes on while nobody serves', async () => {
    const { service, on, create, start } = await setUp({ market: { now: FROM, speed: 60 } })
    const { id } = await create()
    await start(id)
    await world().system.advance(hour / 60)
    expect((await on(service).pnl(id)).marketTime).toBe(time(FROM + hour))
    await service.close()
    await world().system.advance(hour / 60)
    const later = on(await world().start({ rate: 0 }))
    expect(await later.pnl(id)).toMatchObject({ marketTime: time(FROM + 2 * hour), candles: { count: 120 } })
    const slower = on(await world().start({ rate: 0, market: { speed: 1 } }))
    await world().system.advance(hour)
    expect((await slower.pnl(id)).marketTime).toBe(time(FROM + 3 * hour))
    expect((await later.pnl(id)).marketTime).toBe(time(FROM + 3 * hour))
    await world().start({ rate: 0, market: { now: 'wall' } })
    expect((await later.pnl(id)).marketTime).toBe(time(world().system.clock.wall()))
  })
})

it('twenty bots read, started and stopped at once by two services stay one truth', async () => {
  const { service, on, create } = await setUp()
  const other = on(await world().start({ rate: 0 }))
  const ours = on(service)
  const bots = await Promise.all(Array.from({ length: 20 }, () => create()))
  await Promise.all(bots.flatMap(({ id }) => [ours.start(id), other.start(id), ours.start(id)]))
  await world().system.advance(day)
  const seen = await Promise.all(bots.flatMap(({ id }) => [ours.executions(id), other.executions(id)]))
  expect(new Set(seen.map((list) => JSON.stringify(list.map(({ price }) => price)))).size).toBe(1)
  await Promise.all(bots.flatMap(({ id }) => [ours.stop(id, true), other.stop(id, true)]))
  const books = await Promise.all(bots.map(({ id }) => ours.pnl(id)))
  for (const book of books) expect(book.openDeal).toBeNull()
  expect(json(await ask(service, { path: '/api/bots', keys: ours.keys }))).toMatchObject({ next: null })
})
