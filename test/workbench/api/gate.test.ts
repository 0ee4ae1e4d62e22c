/** The one gate: refused keys stay home, failing services are left alone, pauses are kept, reads repeat within bounds. */
import { expect, it } from 'vitest'
import { createClient } from '../../../src/workbench/api/client.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { Keys } from '../../../src/workbench/api/wire/keys.ts'
import { testSystem } from '../../support/system.ts'
import { API_KEY, CALLS, clientOf, goodBody, json, SECRET_KEY, scriptedService } from './world.ts'

const refusal = (code: string) => ({ error: { code, message: 'no' } })
const atOnce = 16
const manyIds = (count: number) => Array.from({ length: count }, (_, n) => `job-${n}`)

it.each([
  [401, 'ApiKeyInvalid'],
  [401, 'AuthRequired'],
  [403, 'ApiKeyAddress'],
])('after %i %s nothing more is sent', async (status, code) => {
  for (let refusedAt = 0; refusedAt < 5; refusedAt++) {
    const service = await scriptedService((hit, response, i) =>
      i >= refusedAt ? json(response, status, refusal(code)) : json(response, 200, goodBody(hit)),
    )
    const { client } = clientOf(service.url)
    const kinds: string[] = []
    for (let i = 0; i < 8; i++) kinds.push((await (i % 2 === 0 ? CALLS.createJob : CALLS.limits).call(client)).kind)
    expect(service.hits.length).toBe(refusedAt + 1)
    expect(kinds.slice(refusedAt)).toEqual(kinds.slice(refusedAt).fill('refused'))
    await service.close()
  }
})

it('a refused scope closes its writes and leaves reads and other scopes open', async () => {
  const service = await scriptedService((hit, response) =>
    hit.method === 'POST' && hit.url.includes('backtest')
      ? json(response, 403, refusal('ApiKeyScope'))
      : json(response, 200, goodBody(hit)),
  )
  const { client } = clientOf(service.url)
  for (let i = 0; i < 3; i++) expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'refused' })
  expect(await CALLS.deleteJob.call(client)).toMatchObject({ kind: 'refused', code: 'ApiKeyScope' })
  expect(service.hits.length).toBe(1)
  expect(await CALLS.limits.call(client)).toMatchObject({ kind: 'ok' })
  expect(await CALLS.createBot.call(client)).toMatchObject({ kind: 'acked' })
  await service.close()
})

it('a two-hour outage sees at most 2 writes and 40 requests, and the work goes on after it', async () => {
  let down = true
  const service = await scriptedService((hit, response) =>
    down ? json(response, 503, refusal('Down')) : json(response, 200, goodBody(hit)),
  )
  const { client, system } = clientOf(service.url)
  const end = system.clock.monotonic() + 2 * 3_600_000
  while (system.clock.monotonic() < end) {
    const outcome = await CALLS.createJob.call(client)
    expect(['ambiguous', 'notSent']).toContain(outcome.kind)
  }
  expect(service.hits.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(2)
  expect(service.hits.length).toBeLessThanOrEqual(40)
  down = false
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'acked' })
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'acked' })
  await service.close()
})

it('a rate refusal pauses everything for a minute, then goes at half the rate', async () => {
  const service = await scriptedService((hit, response, i) =>
    i === 0 ? json(response, 429, refusal('ApiKeyRateLimit')) : json(response, 200, goodBody(hit)),
  )
  const { client, system, waits } = clientOf(service.url)
  const start = system.clock.monotonic()
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'refused', code: 'ApiKeyRateLimit' })
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'acked' })
  expect(system.clock.monotonic() - start).toBeGreaterThanOrEqual(60_000)
  expect(waits.join()).toContain('the service asked for a pause')
  const resumed = system.clock.monotonic()
  for (let i = 0; i < 10; i++) await CALLS.createJob.call(client)
  expect(system.clock.monotonic() - resumed).toBeGreaterThanOrEqual(10_000)
  await service.close()
})

it('what waits for its turn when another request meets a rate refusal waits for that pause too', async () => {
  const hitAt: number[] = []
  const service = await scriptedService((hit, response, i) => {
    hitAt.push(system.clock.monotonic())
    return i === 0 ? json(response, 429, refusal('ApiKeyRateLimit')) : json(response, 200, goodBody(hit))
  })
  // One at a time: the others wait for a slot of the minute log while the first is on its way.
  let isFree = true
  const rateLog = {
    tryStart: () => {
      if (!isFree) return { waitMs: 400 }
      isFree = false
      return { slot: 1 }
    },
    finish: () => {
      isFree = true
    },
  }
  const { client, system } = clientOf(service.url, { rateLog })
  const [refused, ...others] = await Promise.all([
    CALLS.createJob.call(client),
    ...manyIds(3).map((id) => client.readJob(id)),
  ])
  expect(refused).toMatchObject({ kind: 'refused', code: 'ApiKeyRateLimit' })
  expect(others.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok'])
  expect(hitAt).toHaveLength(4)
  expect(Math.min(...hitAt.slice(1)) - hitAt[0]).toBeGreaterThanOrEqual(60_000)
  await service.close()
})

it('a pause of an hour is kept, though another request under way is refused without one after it', async () => {
  const hitAt: number[] = []
  const held: (() => void)[] = []
  const service = await scriptedService((hit, response, i) => {
    hitAt.push(system.clock.monotonic())
    if (i > 1) return json(response, 200, goodBody(hit))
    if (i === 0) response.setHeader('retry-after', '3600')
    held.push(() => json(response, 429, refusal('ApiKeyRateLimit')))
    if (held.length === 2) held[0]()
  })
  const { client, system } = clientOf(service.url)
  const pending = [CALLS.deleteJob.call(client), CALLS.deleteJob.call(client)]
  expect(await Promise.race(pending)).toMatchObject({ kind: 'refused', retryAfterMs: 3_600_000 })
  held[1]()
  expect((await Promise.all(pending)).map(({ kind }) => kind)).toEqual(['refused', 'refused'])
  expect(await CALLS.limits.call(client)).toMatchObject({ kind: 'ok' })
  expect(hitAt[2] - hitAt[0]).toBeGreaterThanOrEqual(3_600_000)
  await service.close()
})

const minute = 60_000
const hour = 60 * minute
const serverDate = 'Thu, 01 Jan 2026 00:00:00 GMT'

it.each([
  ['0', 1000, minute],
  ['1', 1000, minute],
  ['30', 30_000, minute],
  ['90', 90_000, 90_000],
  ['3600', hour, hour],
  ['99999999999', hour, 24 * hour + minute],
  ['1e400', null, null],
  ['-5', null, null],
  ['soon', null, null],
  ['', null, null],
  ['NaN', null, null],
  ['12 hours', null, null],
  ['0.5', 1000, minute],
  ['Thu, 01 Jan 2026 00:01:30 GMT', 90_000, 90_000],
  ['Thu, 01 Jan 2020 00:00:00 GMT', 1000, minute],
  ['Thu, 01 Jan 2099 00:00:00 GMT', hour, 24 * hour + minute],
])('Retry-After %j is understood and clamped', async (header, rateMs, allowanceMs) => {
  for (const [code, expected] of [
    ['ApiKeyRateLimit', rateMs],
    ['ApiKeyBacktestLimit', allowanceMs],
  ] as const) {
    const service = await scriptedService((_hit, response) => {
      response.setHeader('date', serverDate)
      response.setHeader('retry-after', header)
      json(response, 429, refusal(code))
    })
    const outcome = await CALLS.createJob.call(clientOf(service.url).client)
    expect([code, 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined]).toEqual([code, expected])
    await service.close()
  }
})

it('a read is repeated after growing pauses, and answers when the service has recovered', async () => {
  const service = await scriptedService((hit, response, i) =>
    i < 3 ? json(response, 500, refusal('Oops')) : json(response, 200, goodBody(hit)),
  )
  const { client, slept } = clientOf(service.url)
  expect(await CALLS.limits.call(client)).toMatchObject({ kind: 'ok' })
  expect(slept.length).toBe(3)
  slept.forEach((ms, i) => {
    expect(ms).toBeGreaterThanOrEqual(500 * 2 ** i)
    expect(ms).toBeLessThanOrEqual(1500 * 2 ** i)
  })
  await service.close()
})

it('requests that were under way together when a service failed once are repeated, each of them', async () => {
  const held: (() => void)[] = []
  const service = await scriptedService((hit, response, i) => {
    if (i >= atOnce) return json(response, 200, goodBody(hit))
    held.push(() => json(response, 503, refusal('Down')))
    if (held.length === atOnce) for (const answer of held) answer()
  })
  const { client, slept } = clientOf(service.url)
  const outcomes = await Promise.all(manyIds(atOnce).map((id) => client.readJob(id)))
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(atOnce).fill('ok'))
  expect(service.hits.length).toBe(2 * atOnce)
  expect(Math.max(...slept)).toBeLessThan(5_000) // it was not left alone as a service that fails five times in a row is
  await service.close()
})

it('every slot of the minute log is given back after the answer was read, and no request goes without one', async () => {
  const open = new Set<number>()
  const log: string[] = []
  let tries = 0
  const rateLog = {
    tryStart: () => {
      if (tries++ % 2 === 0) return { waitMs: 400 }
      open.add(tries)
      log.push('start')
      return { slot: tries }
    },
    finish: (slot: number) => {
      expect(open.delete(slot)).toBe(true)
      log.push('finish')
    },
  }
  const service = await scriptedService((hit, response, i) => {
    log.push('hit')
    if (i === 1) response.socket?.destroy()
    else json(response, 200, goodBody(hit))
  })
  const { client } = clientOf(service.url, { rateLog })
  await CALLS.createJob.call(client)
  await CALLS.createJob.call(client)
  await CALLS.limits.call(client)
  expect(open.size).toBe(0)
  expect(log.join(' ')).toBe(Array(service.hits.length).fill('start hit finish').join(' '))
  await service.close()
})

it('an interrupt ends a waiting read, and keeps an unsent write at home', async () => {
  const service = await scriptedService((_hit, response) => json(response, 500, refusal('Oops')))
  const { client } = clientOf(service.url)
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(client.limits({ signal: aborted })).rejects.toThrow('enough')
  expect(await client.deleteJob('job-1', { signal: aborted })).toMatchObject({ kind: 'notSent' })
  expect(service.hits.length).toBe(0)
  await service.close()
})

it('a write that is on its way when the interrupt comes still tells its outcome', async () => {
  const interrupt = new AbortController()
  const service = await scriptedService((hit, response) => {
    interrupt.abort(new Error('enough'))
    setImmediate(() => json(response, 200, goodBody(hit)))
  })
  const { client } = clientOf(service.url)
  const outcome = await client.deleteJob('job-1', { signal: interrupt.signal })
  expect(outcome.kind).toBe('acked')
  await service.close()
})

it('a write that never answers is given ten seconds after an interrupt, no more', async () => {
  const interrupt = new AbortController()
  const service = await scriptedService(() => {})
  const system = testSystem()
  const client = createClient({
    baseUrl: service.url,
    keys: new Keys(API_KEY, SECRET_KEY),
    system,
    dialect: builtInDialect,
    rateLog: { tryStart: () => ({ slot: 1 }), finish: () => {} },
  })
  const pending = client.deleteJob('job-1', { signal: interrupt.signal })
  while (service.hits.length === 0) await new Promise(setImmediate)
  interrupt.abort(new Error('enough'))
  await system.advance(9_999)
  expect(system.sleeping()).toBeGreaterThan(0)
  await system.advance(1)
  expect(await pending).toMatchObject({ kind: 'ambiguous', reason: 'interrupted while it was on its way' })
  expect(system.sleeping()).toBe(0)
  await service.close()
})

it('sixteen requests are on their way at most; of those that wait a submission leaves first, and a person’s question last', async () => {
  const open: (() => void)[] = []
  const service = await scriptedService((hit, response) => open.push(() => json(response, 200, goodBody(hit))))
  const { client } = clientOf(service.url)
  const arrived = async (count: number) => {
    while (service.hits.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  const pending: Promise<unknown>[] = manyIds(atOnce).map((id) => client.readJob(id))
  pending.push(CALLS.limits.call(client), client.listJobs(), client.readJob('late'))
  pending.push(client.listJobs({ purpose: 'reconciliation' }), CALLS.createJob.call(client))
  await arrived(atOnce)
  for (let done = 0; done < atOnce + 5; done++) {
    await arrived(Math.min(done + atOnce, atOnce + 5))
    expect(service.hits.length).toBeLessThanOrEqual(done + atOnce)
    open[done]()
  }
  await Promise.all(pending)
  const left = service.hits.slice(atOnce).map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)
  expect(left).toEqual([
    'POST /api/backtest/jobs',
    'GET /api/backtest/jobs',
    'GET /api/backtest/jobs/late',
    'GET /api/backtest/jobs',
    'GET /api/backtest/limits',
  ])
  await service.close()
})

it('a request that nobody needs any more when its turn comes is not sent', async () => {
  const service = await scriptedService((hit, response) => json(response, 200, goodBody(hit)))
  const { client } = clientOf(service.url)
  let isNeeded = true
  const outcomes = await Promise.all(
    manyIds(atOnce + 3).map(async (id) => {
      const outcome = await client.readJob(id, { mayLeave: () => isNeeded })
      isNeeded = false
      return outcome.kind
    }),
  )
  expect(service.hits.length).toBeLessThanOrEqual(atOnce + 1) // the next leaves as the first ends, before its caller has thought
  expect(outcomes.slice(atOnce + 1)).toEqual(['failed', 'failed'])
  await service.close()
})

it('what waits for a slot while the key is refused to another request stays home, and gives its slot back', async () => {
  const service = await scriptedService((_, response) => json(response, 401, refusal('ApiKeyInvalid')))
  let given = 0
  let back = 0
  const { client } = clientOf(service.url, {
    rateLog: {
      tryStart: () => (given === 0 || back > 0 ? { slot: given++ } : { waitMs: 1_000 }),
      finish: () => void back++,
    },
  })
  const outcomes = await Promise.all(manyIds(5).map((id) => client.readJob(id)))
  expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused', 'refused', 'refused'])
  expect(service.hits.length).toBe(1)
  expect(back).toBe(given)
  await service.close()
})
