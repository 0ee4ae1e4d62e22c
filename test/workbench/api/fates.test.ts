/** Whatever a service answers, a write reaches it once, and its outcome is the one of the table (`workbench/run/outcome-table.ts`). */

import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import {
  CALLS,
  clientOf,
  goodBody,
  JOB_REQUEST,
  json,
  type Script,
  type ScriptedService,
  scriptedService,
} from './world.ts'
import { WRITE_OUTCOMES } from './write-outcomes.ts'

const open: ScriptedService[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()))
})

async function serve(script: Script): Promise<ScriptedService> {
  const service = await scriptedService(script)
  open.push(service)
  return service
}

const reset = (response: ServerResponse) => response.socket?.resetAndDestroy()

const mostReads = 4

describe.each(Object.entries(CALLS))('%s', (_name, { write, call }) => {
  it('reaches the service once per write, whatever status it answers', async () => {
    for (const [status, kind] of Object.entries(WRITE_OUTCOMES)) {
      const service = await serve((_hit, response) => json(response, Number(status), { error: { message: 'no' } }))
      const outcome = await call(clientOf(service.url).client)
      if (write) {
        expect([status, outcome.kind, service.hits.length]).toEqual([status, kind, 1])
      } else {
        expect(['refused', 'failed']).toContain(outcome.kind)
        expect(service.hits.length).toBeLessThanOrEqual(mostReads)
      }
    }
  })

  it('knows neither success nor failure of a write after a reset, and sends it no second time', async () => {
    const service = await serve((_hit, response) => reset(response))
    const outcome = await call(clientOf(service.url).client)
    expect(outcome.kind).toBe(write ? 'ambiguous' : 'failed')
    expect(service.hits.length).toBe(write ? 1 : mostReads)
  })

  it('knows neither success nor failure of a write after the deadline', async () => {
    const service = await serve(() => {})
    const { client, strikeDeadline } = clientOf(service.url)
    const pending = call(client)
    for (let strikes = 0; strikes < (write ? 1 : mostReads); strikes++) {
      while (service.hits.length <= strikes) await new Promise(setImmediate)
      await strikeDeadline()
    }
    const outcome = await pending
    expect(outcome.kind).toBe(write ? 'ambiguous' : 'failed')
    expect(service.hits.length).toBe(write ? 1 : mostReads)
  })

  it('is understood when all is well, on a connection of its own', async () => {
    const service = await serve((hit, response) => json(response, 200, goodBody(hit)))
    const { client } = clientOf(service.url)
    for (let i = 0; i < 5; i++) expect((await call(client)).kind).toBe(write ? 'acked' : 'ok')
    expect(service.sockets()).toBe(5)
    expect(service.hits.every((hit) => hit.headers['x-api-key'] !== undefined)).toBe(true)
  })
})

it('a closed port means the request never left', async () => {
  const service = await scriptedService(() => {})
  await service.close()
  const { client } = clientOf(service.url)
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'notSent' })
  expect(await client.limits()).toMatchObject({ kind: 'failed', unreachable: true })
})

it('TLS that never shakes hands means the request never left', async () => {
  const service = await serve(() => {})
  const { client } = clientOf(service.url.replace('http:', 'https:'))
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'notSent' })
  expect(service.hits).toEqual([])
})

it('a POST that finds nothing behind its path is refused: the base address is wrong', async () => {
  const service = await serve((_hit, response) => json(response, 404, { error: { message: 'nothing here' } }))
  const { client } = clientOf(service.url)
  expect(await client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'refused', code: 'WrongAddress' })
  expect(await client.readJob('job-1')).toMatchObject({ kind: 'missing' })
  expect(await client.deleteJob('job-1')).toMatchObject({ kind: 'rejected', status: 404 })
})

it.each([
  [400, 'BotPlanLimit', 'refused', 'BotPlanLimit'],
  [400, 'InvalidPayload', 'rejected', 'InvalidPayload'],
  [401, 'ApiKeyInvalid', 'refused', 'ApiKeyInvalid'],
  [401, 'AuthRequired', 'refused', 'AuthRequired'],
  [403, 'ApiKeyAddress', 'refused', 'ApiKeyAddress'],
  [403, 'ApiKeyScope', 'refused', 'ApiKeyScope'],
  [403, 'Forbidden', 'refused', 'ApiKeyScope'],
  [429, 'ApiKeyRateLimit', 'refused', 'ApiKeyRateLimit'],
  [429, 'ApiKeyBacktestLimit', 'refused', 'ApiKeyBacktestLimit'],
  [429, 'SlowDown', 'refused', 'Unknown429'],
  [400, 'NotABotPlanLimitAtAll', 'rejected', 'NotABotPlanLimitAtAll'],
])('%i %s is %s as %s, in whatever body the name stands', async (status, code, kind, understood) => {
  for (const body of [{ error: { code, message: 'm' } }, { code }, { errors: [{ title: code }] }]) {
    const service = await serve((_hit, response) => json(response, status, body))
    const outcome = await CALLS.createBot.call(clientOf(service.url).client)
    const expected = kind === 'rejected' && !('error' in body || 'code' in body) ? null : understood
    expect(outcome).toMatchObject({ kind, code: expected })
  }
})

it('a plan limit means bots: a job refused with those words is merely rejected', async () => {
  const service = await serve((_hit, response) => json(response, 400, { error: { code: 'BotPlanLimit' } }))
  expect(await clientOf(service.url).client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'rejected' })
})
