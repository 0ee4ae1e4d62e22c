import { describe, expect, it } from 'vitest'
import type { BotListBody, ExecutionListBody, OrderBody, OrderListBody } from '../../src/contract/bot-bodies.ts'
import { day, hour, setUpBots, worldForEachTest } from './bots-world.ts'

const world = worldForEachTest()
const setUp = (options: Parameters<typeof setUpBots>[1] = {}) => setUpBots(world(), options)

describe('lists', () => {
  it('of bots, executions and orders come page by page, newest first, and new items do not shift them', async () => {
    const { call, create, start } = await setUp()
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
    await world().system.advance(2 * day)
    const all = (await call<ExecutionListBody>(`/${id}/executions?limit=1000`)).executions
    const firstPage = await call<ExecutionListBody>(`/${id}/executions?limit=3`)
    await world().system.advance(12 * hour)
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
    const { create, executions, orders, pnl } = await setUp()
    const { id } = await create()
    expect([await executions(id), await orders(id)]).toEqual([[], []])
    expect(await pnl(id)).toMatchObject({ candles: null, equity: 1000, netProfit: 0, dailyEquity: [], costs: null })
  })
})
