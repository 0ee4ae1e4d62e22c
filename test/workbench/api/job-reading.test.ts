/** Whatever a service makes of a job, reading it never throws, never invents a number, and keeps its text byte for byte. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findMetric, METRIC_NAMES, METRICS } from '../../../src/contract/metrics.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { readJobBody } from '../../../src/workbench/api/reading/read-job.ts'
import { job, metrics, mutatedJob } from './mutated-job.ts'
import { clientOf, JOB_REQUEST, json, scriptedService } from './world.ts'

const mutants = 10_000

const read = (body: unknown) => readJobBody(body, 'text', builtInDialect.jobState)

it('reads our own spelling completely', () => {
  const reading = read(job)
  expect(reading?.result?.flags).toEqual({})
  expect(reading?.result?.metrics).toEqual(metrics)
  expect(reading?.result?.deals).toEqual(job.result.deals)
  expect(reading?.result?.openDeal).toEqual(job.result.openDeal)
  expect(reading).toMatchObject({
    id: 'job-1',
    state: 'done',
    createdAt: Date.UTC(2026, 0, 1),
    request: {
      market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
      period: { from: Date.UTC(2021, 3, 21), to: Date.UTC(2021, 4, 19) },
      config: { dcaMaxSafetyOrders: 5, takeProfit: 1 },
    },
  })
})

it('reads the deals of a service that does not tell their worst open loss, or not as a number, without it', () => {
  const { deals, openDeal } = job.result
  const told = (lowestValue: unknown) =>
    read({
      ...job,
      result: {
        ...job.result,
        deals: deals.map((deal) => ({ ...deal, lowestValue })),
        openDeal: { ...openDeal, lowestValue },
      },
    })?.result
  for (const silent of [undefined, null, 'deep', Number.NEGATIVE_INFINITY]) {
    const result = told(silent)
    expect(result).toMatchObject({ flags: {}, openDeal: { ...openDeal, lowestValue: null } })
    expect(result?.deals).toEqual([{ ...deals[0], lowestValue: null }])
  }
  expect(told('-35.25')?.deals).toEqual(deals)
})

it('reads what a job is computed with, before its result and with it, part by part', () => {
  const { settings } = job.request
  const { conventions, costs, symbol } = settings
  expect(read({ ...job, state: 'queued', result: null })?.request?.settings).toEqual(settings)
  expect(read(job)?.result).toMatchObject({ conventions, costs, symbol })
  const stated = (parts: unknown) => read({ ...job, request: { ...job.request, settings: parts } })?.request?.settings
  expect(stated({ costs: { feePercent: '0.5', slippagePercent: 0 } })).toEqual({
    conventions: null,
    costs: { feePercent: 0.5, slippagePercent: 0 },
    symbol: null,
  })
  for (const nothing of [undefined, null, 'default', [], {}, { costs: { feePercent: 0.1 }, symbol: [], more: 1 }]) {
    expect(stated(nothing)).toBeNull()
  }
  const silent = { metrics, deals: job.result.deals }
  expect(read({ ...job, result: silent })?.result).toMatchObject({ conventions: null, costs: null, symbol: null })
})

it('no setting is sent that the job does not name: nothing of ours travels to a service by itself', async () => {
  const service = await scriptedService((_hit, response) => json(response, 201, { id: 'job-1', state: 'queued' }))
  const { client } = clientOf(service.url)
  await client.createJob(JOB_REQUEST)
  expect(Object.keys(JSON.parse(service.hits.at(-1)?.body ?? '')).toSorted()).toEqual(
    Object.keys(JOB_REQUEST).toSorted(),
  )
  await service.close()
})

it.each(METRIC_NAMES)(
  'null is an answer for %s where its row says when it is null, and otherwise a number that is missing',
  (name) => {
    const [outer, inner] = name.split('.')
    const group: unknown = Reflect.get(metrics, outer)
    const body = { ...metrics, [outer]: inner === undefined ? null : { ...Object(group), [inner]: null } }
    const flags = read({ ...job, result: { ...job.result, metrics: body } })?.result?.flags
    expect(Object.keys(flags ?? {})).toEqual(METRICS[name].nullWhen === null ? [name] : [])
  },
)

const OPTIONAL = METRIC_NAMES.filter((name) => METRICS[name].optional)

it('a service that tells no metric of the optional ones has told all, and one that tells nonsense has not', () => {
  expect(OPTIONAL.length).toBeGreaterThan(0)
  const without = Object.fromEntries(
    Object.entries(metrics).filter(([name]) => !OPTIONAL.some((each) => each === name)),
  )
  const silent = read({ ...job, result: { ...job.result, metrics: without } })?.result
  expect(silent?.flags).toEqual({})
  expect(OPTIONAL.map((name) => findMetric(silent?.metrics, name))).toEqual(OPTIONAL.map(() => null))
  const nonsense = Object.fromEntries(OPTIONAL.map((name) => [name, 'x']))
  const flags = read({ ...job, result: { ...job.result, metrics: { ...metrics, ...nonsense } } })?.result?.flags
  expect(Object.keys(flags ?? {}).toSorted()).toEqual(OPTIONAL.toSorted())
})

it('the size of a sample is read in words, and flagged without them', () => {
  const sampleOfBody = (told: object) => {
    const { sampleSize: _, ...rest } = metrics
    const result = read({ ...job, result: { ...job.result, metrics: { ...rest, ...told } } })?.result
    return [result?.metrics.sampleSize, Object.keys(result?.flags ?? {})]
  }
  expect(sampleOfBody({ sampleSize: '385+' })).toEqual(['385+', []])
  expect(sampleOfBody({})).toEqual([null, ['sampleSize']])
})

it('a mutated body never makes it throw, and every number it tells is finite or flagged', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 5, arbitrary: mutatedJob }, { weight: 1, arbitrary: fc.anything() }), (body) => {
      const reading = read(body)
      if (reading?.result == null) return
      const { metrics: found, flags, deals } = reading.result
      const wrong = METRIC_NAMES.filter((name) => {
        const value = findMetric(found, name)
        return !Number.isFinite(value) && typeof value !== 'boolean' && value !== null
      })
      expect(wrong).toEqual([])
      const silent = METRIC_NAMES.filter(
        (name) =>
          METRICS[name].nullWhen === null &&
          !METRICS[name].optional &&
          findMetric(found, name) === null &&
          flags[name] === undefined,
      )
      expect(silent).toEqual([])
      const told = (deals ?? []).flatMap(({ lowestValue, ...deal }) => [lowestValue ?? 0, ...Object.values(deal)])
      expect(told.filter((value) => typeof value !== 'string' && !Number.isFinite(value))).toEqual([])
    }),
    { numRuns: mutants },
  )
})

it.each([
  ['NaN', null],
  ['Infinity', null],
  ['1e999', null, 'it is too large'],
  [Number.POSITIVE_INFINITY, null],
  [null, null],
  ['', null],
  [' ', null],
  ['0x10', null],
  ['1,000', null, 'say which'],
  [true, null],
  [[1], null],
  ['12.5', 12.5],
  ['-3e2', -300],
  [-0, -0],
  [5e-324, 5e-324],
])(
  'a net profit of %j reads as %j, with a reason when it is null',
  (netProfit, expected, why = 'expected a finite number') => {
    const result = read({ ...job, result: { ...job.result, metrics: { ...metrics, netProfit } } })?.result
    expect(result?.metrics.netProfit).toBe(expected)
    expect(result?.flags).toEqual(expected === null ? { netProfit: expect.stringContaining(why) } : {})
  },
)

it('a metric that may be undefined is null without a complaint; a count with decimals is a complaint', () => {
  const result = read({
    ...job,
    result: { ...job.result, metrics: { ...metrics, sharpe: null, closedDeals: 3.5 } },
  })?.result
  expect(result?.metrics).toMatchObject({ sharpe: null, closedDeals: null })
  expect(Object.keys(result?.flags ?? {})).toEqual(['closedDeals'])
})

it('a state nobody told us about keeps the job polled', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('CANCELLED', 'constructor', '__proto__', 'toString')), (word) => {
      const known = [
        'queued',
        'pending',
        'running',
        'completed',
        'done',
        'finished',
        'succeeded',
        'failed',
        'error',
        'deleted',
      ]
      fc.pre(!known.includes(word.toLowerCase()))
      expect(read({ id: 'job-1', state: word })).toMatchObject({ state: 'unknown', stateText: word })
    }),
    { numRuns: 1000 },
  )
  expect(read({ id: 'job-1' })).toMatchObject({ state: 'unknown', stateText: '' })
  expect(read({ id: 'job-1', state: { name: 'done' } })).toMatchObject({ state: 'unknown' })
})

it.each([
  ['a bare list', (jobs: unknown) => jobs],
  ['jobs', (jobs: unknown) => ({ jobs, next: null })],
  ['data', (jobs: unknown) => ({ data: jobs })],
  ['data.items', (jobs: unknown) => ({ status: 'ok', data: { items: jobs, next: null } })],
])('the list is found in %s, each job with its own text as received', async (_name, wrap) => {
  const big = { ...job, id: 0, name: '  spaced "quotes" é ' }
  const text = JSON.stringify(wrap([job, big, { state: 'no id' }]), null, 2).replace(
    '"id": 0',
    '"id": 9007199254740993',
  )
  const service = await scriptedService((_hit, response) => {
    response.writeHead(200)
    response.end(text)
  })
  const outcome = await clientOf(service.url).client.listJobs()
  if (outcome.kind !== 'ok') throw new Error(outcome.kind)
  expect(outcome.value.items.map(({ id }) => id)).toEqual(['job-1', '9007199254740993'])
  expect(outcome.value.unreadable).toBe(1)
  for (const reading of outcome.value.items) expect(text).toContain(reading.rawText)
  expect(outcome.value.items.map(({ rawText }) => JSON.parse(rawText).state)).toEqual(['completed', 'completed'])
  await service.close()
})

it('H23: an id above 2^53 asks for exactly that job', async () => {
  const service = await scriptedService((hit, response) => {
    response.writeHead(200)
    response.end(hit.method === 'POST' ? '{"job":{"id":9007199254740993,"state":"queued"}}' : '{"id":9007199254740993}')
  })
  const { client } = clientOf(service.url)
  const created = await client.createJob(JOB_REQUEST)
  if (created.kind !== 'acked') throw new Error(created.kind)
  expect(created.value.rawText).toBe('{"job":{"id":9007199254740993,"state":"queued"}}')
  expect(await client.readJob(created.value.id)).toMatchObject({ kind: 'ok', value: { id: '9007199254740993' } })
  expect(service.hits.at(-1)?.url).toBe('/api/backtest/jobs/9007199254740993')
  await service.close()
})

it('pages are followed by their query alone, on the documented path', async () => {
  const nexts = ['cursor=abc&limit=2', '/elsewhere?cursor=d%2Fe', 'https://evil.example/?cursor=f', 'bare', null]
  const service = await scriptedService((_hit, response, i) => json(response, 200, { jobs: [], next: nexts[i] }))
  const { client } = clientOf(service.url)
  let next: string | null | undefined
  for (let page = 0; next !== null; page++) {
    const outcome = await client.listJobs(next === undefined ? { limit: 2, since: Date.UTC(2026, 0, 1) } : { next })
    if (outcome.kind !== 'ok' || page > 9) throw new Error(outcome.kind)
    next = outcome.value.next
  }
  expect(service.hits.map(({ url }) => url)).toEqual([
    '/api/backtest/jobs?limit=2&since=2026-01-01T00%3A00%3A00.000Z',
    '/api/backtest/jobs?cursor=abc&limit=2',
    '/api/backtest/jobs?cursor=d%2Fe',
    '/api/backtest/jobs?cursor=f',
    '/api/backtest/jobs?cursor=bare',
  ])
  await service.close()
})
