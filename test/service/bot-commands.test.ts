import { describe, expect, it } from 'vitest'
import { day, hour, minute, setUpBots, time, worldForEachTest } from './bots-world.ts'
import { addCandles, botPayload, FROM, swingingCandles } from './world.ts'

const world = worldForEachTest()
const setUp = (options: Parameters<typeof setUpBots>[1] = {}) => setUpBots(world(), options)

describe('start and stop', () => {
  it('may be repeated, and a bot never started stays created', async () => {
    const { create, start, stop, read } = await setUp()
    const { id } = await create()
    expect(await stop(id, true)).toMatchObject({ state: 'created', stoppedAt: null })
    const started = await start(id)
    await world().system.advance(hour)
    expect(await start(id)).toEqual({ ...started, tradedUntil: time(FROM + hour) })
    const stopped = await stop(id, false)
    expect(stopped).toMatchObject({ state: 'stopped', stopReason: 'request', stoppedAt: time(FROM + hour) })
    await world().system.advance(hour)
    expect(await stop(id, false)).toEqual({ ...stopped, tradedUntil: time(FROM + hour) })
    expect(await read(id)).toMatchObject({ startedAt: time(FROM), updatedAt: time(FROM + hour) })
  })

  it('with closePosition=true sells at the last close less the fee, and nothing is open any more', async () => {
    const { create, start, stop, pnl, executions, orders } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(2 * minute)
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
    await world().system.advance(day)
    expect(await pnl(id)).toMatchObject({ closedDeals: 1, orders: 2 })
  })

  it('with closePosition=false, or without it, keeps the position without orders; a start places them again', async () => {
    const { create, call, start, stop, pnl, orders } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(2 * minute)
    const open = await orders(id, '&state=open')
    expect(open.map(({ role, safetyOrder }) => [role, safetyOrder])).toEqual([
      ['takeProfit', null],
      ['safety', 3],
      ['safety', 2],
      ['safety', 1],
    ])
    await call(`/${id}/stop`, { method: 'POST' })
    await world().system.advance(day)
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
    const { create, refused } = await setUp()
    const { id } = await create()
    for (const value of ['', 'yes', '1', 'TRUE']) {
      expect(await refused(`/${id}/stop?closePosition=${value}`, { method: 'POST' })).toBe('400 InvalidPayload')
    }
  })

  it('a bot that cannot pay its base order stops by itself, and says why', async () => {
    const { create, start, read } = await setUp()
    const { id } = await create({ investment: 10 })
    await start(id)
    await world().system.advance(hour)
    expect(await read(id)).toMatchObject({ state: 'stopped', stopReason: 'outOfCash', stoppedAt: time(FROM) })
  })
})

it('the times of a bot follow each other: its last change is not before it stopped by itself, nor a start before it was made', async () => {
  const { service, create, on } = await setUpBots(world(), { market: { now: FROM + minute / 2 } })
  const { id, createdAt } = await create({ investment: 10 })
  await service.close()
  const earlier = on(await world().start({ rate: 0, market: { now: FROM } }))
  expect(await earlier.start(id)).toMatchObject({ createdAt, startedAt: createdAt })
  await world().system.advance(hour)
  const stoppedAt = time(FROM + minute)
  expect(await earlier.read(id)).toMatchObject({ stopReason: 'outOfCash', stoppedAt, updatedAt: stoppedAt })
})

describe('an update', () => {
  it('leaves the running deal its ladder and gives the next one the new values', async () => {
    const { create, start, update, executions, orders } = await setUp()
    const { id } = await create()
    await start(id)
    await world().system.advance(2 * minute)
    const before = await orders(id)
    expect(await update(id, { name: 'renamed', dcaInitialOrderSize: 50, dcaMaxSafetyOrders: 1 })).toMatchObject({
      name: 'renamed',
      dcaInitialOrderSize: 50,
      state: 'running',
    })
    expect(await orders(id)).toEqual(before)
    await world().system.advance(day)
    const bases = (await executions(id)).filter(({ role }) => role === 'base').reverse()
    expect(bases.map(({ quote }) => Math.round(quote)).slice(0, 3)).toEqual([20, 50, 50])
    expect((await orders(id)).filter(({ deal }) => deal === 2).map(({ role }) => role)).toEqual([
      'takeProfit',
      'safety',
      'base',
    ])
  })

  it('that changes nothing leaves the bot as it was', async () => {
    const { create, start, update } = await setUp()
    const { id } = await create()
    const started = await start(id)
    await world().system.advance(hour)
    expect(await update(id)).toEqual({ ...started, tradedUntil: time(FROM + hour) })
  })

  it('before the first start may change everything but whose it is and that it is a demo', async () => {
    addCandles(world().candlesFolder, { market: 'binance/ETH-USDT' })
    const { create, update, refused } = await setUp()
    const { id } = await create()
    expect(await update(id, { baseAsset: 'ETH', investment: 500 })).toMatchObject({ baseAsset: 'ETH', investment: 500 })
    const put = (changes: object) => refused(`/${id}`, { method: 'PUT', body: botPayload(changes) })
    expect(await put({ isDemo: false })).toBe('400 InvalidPayload')
    expect(await put({ userEmail: 'other@localhost' })).toBe('400 InvalidPayload')
    expect(await put({ takeProfit: 0 })).toBe('400 InvalidPayload')
  })

  it('after the first start cannot change its market or its investment', async () => {
    addCandles(world().candlesFolder, { market: 'binance/ETH-USDT' })
    const { create, start, stop, read, refused } = await setUp()
    const { id } = await create()
    await start(id)
    const stopped = await stop(id, true)
    for (const changes of [{ baseAsset: 'ETH' }, { investment: 999 }]) {
      expect(await refused(`/${id}`, { method: 'PUT', body: botPayload(changes) })).toBe('400 InvalidPayload')
    }
    expect(await read(id)).toEqual(stopped)
  })
})
