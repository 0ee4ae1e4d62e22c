/** Starting a demo bot: read back, started once, read back again; a real bot is refused without one write. */
import { expect, it } from 'vitest'
import type { Client } from '../../../src/workbench/api/calls.ts'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { promote } from '../../../src/workbench/bots/promote/promote.ts'
import { startDemoBot } from '../../../src/workbench/bots/promote/start.ts'
import type { Hit } from '../api/world.ts'
import { OWNER, STUDY, type World, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

const demo = { id: 'b', name: 'mine', userEmail: OWNER, isDemo: true, state: 'created' }
const isStart = ({ method, url }: Hit) => method === 'POST' && url.endsWith('/start')
const starts = ({ hits }: World) => hits.filter(isStart)

it('a demo bot is read back, started, and read back again', async () => {
  const lab = await setup({ bots: [demo] })
  expect(await startDemoBot(lab.client, { id: 'b' })).toMatchObject({ bot: { state: 'running' }, wasRunning: false })
  expect(lab.hits.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/bots/b',
    'POST /api/bots/b/start',
    'GET /api/bots/b',
  ])
})

it('a bot that runs already is left alone', async () => {
  const lab = await setup({ bots: [{ ...demo, state: 'running' }] })
  expect(await startDemoBot(lab.client, { id: 'b' })).toMatchObject({ wasRunning: true })
  expect(starts(lab)).toEqual([])
})

it.each([false, 'true', 1, null, undefined])(
  'a bot whose isDemo is %j is refused, and nothing is sent',
  async (isDemo) => {
    const lab = await setup({ bots: [{ ...demo, isDemo }] })
    await expect(startDemoBot(lab.client, { id: 'b' })).rejects.toMatchObject({ code: 'notADemoBot', exitCode: 2 })
    expect(lab.hits.every(({ method }) => method === 'GET')).toBe(true)
  },
)

it('an answer lost after the start is settled by reading the bot', async () => {
  const lab = await setup({ bots: [demo], fate: (hit) => (isStart(hit) ? { do: 'resetAfter' } : undefined) })
  expect(await startDemoBot(lab.client, { id: 'b' })).toMatchObject({ bot: { state: 'running' }, wasRunning: false })
  expect(starts(lab).length).toBe(1)
})

it('a start that was lost before it arrived is reported and not sent again by itself', async () => {
  const lab = await setup({ bots: [demo], fate: (hit) => (isStart(hit) ? { do: 'reset' } : undefined) })
  await expect(startDemoBot(lab.client, { id: 'b' })).rejects.toMatchObject({ code: 'attemptUnresolved', exitCode: 5 })
  expect(starts(lab).length).toBe(1)
})

it('a service that takes the start and does not start is named', async () => {
  const ignore = { do: 'answer', status: 200, body: {} } as const
  const lab = await setup({ bots: [demo], fate: (hit) => (isStart(hit) ? ignore : undefined) })
  await expect(startDemoBot(lab.client, { id: 'b' })).rejects.toMatchObject({ code: 'serviceRefused' })
})

it('a bot that is not there is not found', async () => {
  const lab = await setup()
  await expect(startDemoBot(lab.client, { id: 'nobody' })).rejects.toMatchObject({ code: 'notFound', exitCode: 2 })
})

it('promotion starts the bot it made when it is asked to, once, and says so', async () => {
  const lab = await setup()
  const request = {
    system: lab.system,
    store: lab.store,
    client: lab.client,
    plan: planPromotion(lab.store, { target: STUDY, userEmail: OWNER }),
  }
  expect(await promote(request)).toMatchObject({ created: true, started: false })
  expect(starts(lab)).toEqual([])
  expect(await promote({ ...request, start: true })).toMatchObject({ botId: 'bot-1', reused: true, started: true })
  expect(await promote({ ...request, start: true })).toMatchObject({ reused: true, started: true })
  expect(starts(lab).length).toBe(1)
  const rows = lab.store.db.prepare('select state, started_at from promotion').all()
  expect(rows).toEqual([{ state: 'verified', started_at: expect.any(String) }])
})

it('a promoted bot that is no demo any more is not started', async () => {
  const lab = await setup()
  const request = {
    system: lab.system,
    store: lab.store,
    client: lab.client,
    plan: planPromotion(lab.store, { target: STUDY, userEmail: OWNER }),
  }
  await promote(request)
  lab.bots[0].isDemo = false
  await expect(promote({ ...request, start: true })).rejects.toMatchObject({ exitCode: 4 })
  expect(starts(lab)).toEqual([])
})

it('a proof that goes stale on the way is renewed, and the start is sent once', async () => {
  const lab = await setup({ bots: [demo] })
  expect(await startDemoBot(dawdling(lab, 2), { id: 'b' })).toMatchObject({ bot: { state: 'running' } })
  expect(lab.hits.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST', 'GET'])
})

it('a proof that always goes stale ends with exit code 5, and nothing is sent', async () => {
  const lab = await setup({ bots: [demo] })
  await expect(startDemoBot(dawdling(lab, 99), { id: 'b' })).rejects.toMatchObject({
    code: 'proofExpired',
    exitCode: 5,
  })
  expect(starts(lab)).toEqual([])
  expect(lab.hits.length).toBe(5)
})

/** A client between whose reading and acting six seconds pass, `times` times. */
function dawdling({ client, advance }: World, times: number): Client {
  let left = times
  return {
    ...client,
    proveDemo: async (id, options) => {
      const outcome = await client.proveDemo(id, options)
      if (left-- > 0) await advance(6_000)
      return outcome
    },
  }
}
