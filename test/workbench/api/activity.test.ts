/** Executions, orders and profit and loss are read field by field: what a service does not tell, or tells oddly, is null. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readExecution, readOrder, readPnlBody } from '../../../src/workbench/api/client.ts'
import { EXECUTION_SHAPE, ORDER_SHAPE, PNL_SHAPE, reportShape } from '../../../src/workbench/api/reading/shape.ts'
import { clientOf, json, scriptedService } from './world.ts'

const mutations = 1_000

const execution = {
  id: 'e-1',
  orderId: 'o-1',
  deal: 1,
  side: 'buy',
  role: 'safety',
  safetyOrder: 2,
  price: 50_000.5,
  quantity: 0.0004,
  quote: 20,
  fee: 0.02,
  profit: null,
  executedAt: '2026-01-01T00:00:00Z',
}

it('an execution is read with its time in ms', () => {
  expect(readExecution(execution)).toEqual({ ...execution, executedAt: Date.UTC(2026, 0, 1) })
})

it('decimal text counts as a number, an id as its digits, and anything else as nothing', () => {
  expect(readExecution({ id: 7, price: '50000.5', quantity: 'NaN', fee: {}, executedAt: 1_767_225_600 })).toEqual({
    ...Object.fromEntries(Object.keys(EXECUTION_SHAPE).map((field) => [field, null])),
    id: '7',
    price: 50_000.5,
    executedAt: Date.UTC(2026, 0, 1),
  })
})

it.each([[null], [[]], ['text'], [{}], [{ id: 'x', side: 'buy' }]])(
  '%j is neither an execution nor an order',
  (item) => {
    expect(readExecution(item)).toBeNull()
    expect(readOrder(item)).toBeNull()
  },
)

it('profit and loss without one of its amounts is not understood', () => {
  expect(readPnlBody({ marketTime: '2026-01-01', orders: 3 }, '{}')).toBeNull()
  expect(
    readPnlBody({ netProfit: '1.5', dailyEquity: [{ date: '2026-01-01', equity: 1 }, 'odd'] }, 'raw'),
  ).toMatchObject({
    netProfit: 1.5,
    roiPercent: null,
    openDeal: null,
    dailyEquity: [{ date: '2026-01-01', equity: 1 }],
    rawText: 'raw',
  })
})

it('whatever stands in a field, reading never throws, gives only finite numbers, and the report agrees with it', () => {
  const wild = fc.oneof(fc.jsonValue(), fc.constantFrom('1e999', 'NaN', -0, '0x10', ' 7 ', '9007199254740993'))
  for (const [shape, read] of [
    [EXECUTION_SHAPE, readExecution],
    [ORDER_SHAPE, readOrder],
    [PNL_SHAPE, (body: unknown) => readPnlBody(body, '')],
  ] as const) {
    const body = fc.record(Object.fromEntries(Object.keys(shape).map((field) => [field, wild])), { requiredKeys: [] })
    fc.assert(
      fc.property(body, (fields) => {
        const reading = read(fields)
        const found = new Map(reportShape(fields, shape).map((report) => [report.field, report.found]))
        for (const [field, value] of Object.entries(reading ?? {})) {
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
          const simple = value === null || typeof value !== 'object'
          if (simple && found.has(field) && field !== 'openDeal')
            expect([field, found.get(field) === 'read']).toEqual([field, value !== null])
        }
      }),
      { numRuns: mutations },
    )
  }
})

it('lists are asked with our parameters and followed by the service’s own', async () => {
  const service = await scriptedService((hit, response) => {
    const key = hit.url.includes('executions') ? 'executions' : 'orders'
    json(response, 200, { [key]: [execution, 'odd'], next: 'before=17&limit=2' })
  })
  const { client } = clientOf(service.url)
  expect(await client.listExecutions('b', { limit: 2, since: 0 })).toMatchObject({
    kind: 'ok',
    value: { items: [{ id: 'e-1' }], next: 'before=17&limit=2', unreadable: 1 },
  })
  await client.listExecutions('b', { limit: 2, since: 0, next: 'before=17&limit=2' })
  await client.listOrders('b', { state: 'open' })
  await client.listOrders('b', { next: 'a-cursor' })
  expect(service.hits.map(({ url }) => url)).toEqual([
    '/api/bots/b/executions?limit=2&since=1970-01-01T00%3A00%3A00.000Z',
    '/api/bots/b/executions?before=17&limit=2',
    '/api/bots/b/orders?state=open',
    '/api/bots/b/orders?cursor=a-cursor',
  ])
  await service.close()
})
