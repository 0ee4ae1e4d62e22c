/** Bodies that are not what they should be: none counts as success, none does harm (H30, H31). */

import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BODIES, raw } from './bad-bodies.ts'
import { CALLS, clientOf, goodBody, scriptedService } from './world.ts'

/** JSON, but not an answer to any call that reads its answer. */
const SHAPES = [
  'null',
  '0',
  '"job-1"',
  '[[]]',
  '{"id":{}}',
  '{"jobs":"none"}',
  '{"id":""}',
  '{"id":".."}',
  '{"data":[1]}',
]

describe.each(Object.entries(CALLS))('%s', (_name, { write, call }) => {
  it.each(Object.entries(BODIES))('does not take %s for an answer', async (_body, answer) => {
    const service = await scriptedService((_hit, response) => answer(response))
    try {
      const outcome = await call(clientOf(service.url).client)
      expect(outcome.kind).toBe(write ? 'ambiguous' : 'failed')
      if (write) expect(service.hits.length).toBe(1)
    } finally {
      await service.close()
    }
  })
})

it.each(['readJob', 'createJob', 'readBot', 'createBot', 'validateBot'] as const)(
  '%s does not take JSON of another shape for an answer',
  async (name) => {
    const { write, call } = CALLS[name]
    for (const shape of SHAPES) {
      const service = await scriptedService((_hit, response) => raw(shape)(response))
      const outcome = await call(clientOf(service.url).client)
      expect([shape, outcome.kind]).toEqual([shape, write ? 'ambiguous' : 'failed'])
      await service.close()
    }
  },
)

it('an empty body answers a deletion and nothing else', async () => {
  const service = await scriptedService((_hit, response) => {
    response.writeHead(204)
    response.end()
  })
  const { client } = clientOf(service.url)
  expect(await client.deleteJob('job-1')).toMatchObject({ kind: 'acked', value: { id: 'job-1' } })
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'ambiguous' })
  expect(await client.readJob('job-1')).toMatchObject({ kind: 'failed', unreachable: false })
  await service.close()
})

it('a gzip bomb ends at 8 MB decoded, and is not asked for again', async () => {
  const bomb = gzipSync(Buffer.alloc(80_000_000, 0x20), { level: 1 })
  const service = await scriptedService((_hit, response) => raw(bomb, { 'content-encoding': 'gzip' })(response))
  const { client } = clientOf(service.url)
  // H31 bounds what one answer may take. Node collects the garbage of several when it likes.
  const memoryFor = async <T>(ask: () => Promise<T>): Promise<T> => {
    const before = process.memoryUsage().rss
    const value = await ask()
    expect(process.memoryUsage().rss - before).toBeLessThan(64e6)
    return value
  }
  expect(await memoryFor(() => client.readJob('job-1'))).toMatchObject({ kind: 'failed', unreachable: false })
  expect(await memoryFor(() => CALLS.createJob.call(client))).toMatchObject({
    kind: 'ambiguous',
    reason: expect.stringContaining('8 MB'),
  })
  expect(service.hits.length).toBe(2)
  await service.close()
})

it('an endless body ends at 8 MB', async () => {
  const service = await scriptedService((_hit, response) => {
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write('['.repeat(65_536)));
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  })
  expect(await CALLS.createJob.call(clientOf(service.url).client)).toMatchObject({ kind: 'ambiguous' })
  await service.close()
})

it('a body that trickles for ever ends at the deadline, though its headers came in time', async () => {
  const service = await scriptedService((_hit, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"id":')
  })
  const { client, strikeDeadline } = clientOf(service.url)
  const pending = CALLS.createJob.call(client)
  while (service.hits.length === 0) await new Promise(setImmediate)
  await strikeDeadline()
  expect(await pending).toMatchObject({ kind: 'ambiguous', reason: 'no complete answer within 30 s' })
  await service.close()
})

it('deeply nested JSON is read or refused, never a crash', async () => {
  const depth = 200_000
  const service = await scriptedService((hit, response) => {
    const nested = `${'{"data":'.repeat(depth)}1${'}'.repeat(depth)}`
    raw(hit.url.includes('limits') ? JSON.stringify(goodBody(hit)) : nested)(response)
  })
  const { client } = clientOf(service.url)
  expect(await CALLS.createJob.call(client)).toMatchObject({ kind: 'ambiguous' })
  expect(await client.listJobs()).toMatchObject({ kind: 'failed' })
  await service.close()
})
