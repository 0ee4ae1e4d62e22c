/** A bot goes on trading while it is read: what is compared has to be of one moment. */
import { expect, it } from 'vitest'
import { readLife } from '../../../src/workbench/bots/drift/replay-life.ts'

type Client = Parameters<typeof readLife>[0]

/** A bot whose n-th request finds it with `tradesAt(n)` executions, as many orders and a profit of as much. */
function trading(tradesAt: (request: number) => number) {
  let requests = 0
  const ok = (value: unknown) => ({ kind: 'ok', value }) as never
  const some = () => Array.from({ length: tradesAt(++requests) }, (_, n) => ({ id: `trade-${n}` })).reverse()
  const page = ({ limit }: { readonly limit?: number }) =>
    ok({ items: some().slice(0, limit), unreadable: 0, next: null })
  const client: Client = {
    readBot: async () => ok({}),
    listExecutions: async (_, asked) => page(asked ?? {}),
    listOrders: async (_, asked) => page(asked ?? {}),
    readPnl: async () => ok({ realized: some().length }),
  }
  return { client, requests: () => requests }
}

const counted = (list: { readonly value: readonly unknown[] } | { readonly unstated: string }) =>
  'value' in list ? list.value.length : list.unstated

it('a bot at rest is read once', async () => {
  const { client, requests } = trading(() => 3)
  const life = await readLife(client, 'bot')
  expect([counted(life.executions), counted(life.orders), life.pnl]).toEqual([3, 3, { value: { realized: 3 } }])
  expect(requests()).toBe(4)
})

it('one that trades between the requests is read again, until executions, orders and profit are of one moment', async () => {
  for (let trade = 1; trade <= 4; trade++) {
    const { client } = trading((request) => (request > trade ? 4 : 3))
    const life = await readLife(client, 'bot')
    const orders = counted(life.orders)
    expect([counted(life.executions), orders]).toEqual([orders, orders])
    expect(life.pnl).toEqual({ value: { realized: orders } })
  }
})

it('of one that never rests orders and profit are not stated: they are of other moments', async () => {
  const { client } = trading((request) => request)
  const life = await readLife(client, 'bot')
  expect('value' in life.executions).toBe(true)
  expect(life.orders).toEqual({ unstated: 'its orders: it traded during each of 4 readings' })
  expect(life.pnl).toEqual({ unstated: 'its profit: it traded during each of 4 readings' })
})
