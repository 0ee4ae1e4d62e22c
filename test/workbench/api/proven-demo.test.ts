/** Starting and updating need a bot that was read back as a demo at most five seconds ago (H48, H49); nothing overrides it. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import type { BotReading } from '../../../src/workbench/api/reading/readings.ts'
import { findProofProblem, ProvenDemoBot, proofValidMs } from '../../../src/workbench/api/wire/send.ts'
import { demoText, prove, setup, writes } from './proof.ts'
import { BOT_PAYLOAD, clientOf, json, scriptedService } from './world.ts'

it('a bot that was not read back does not compile', async () => {
  const { client, service } = await setup(() => demoText)
  const read = await client.readBot('bot-1')
  if (read.kind !== 'ok') throw new Error(read.kind)
  const reading: BotReading = read.value
  const calls = [
    // @ts-expect-error a reading is not a proof, whatever it says
    () => client.startBot(reading),
    // @ts-expect-error an id is not a proof
    () => client.startBot('bot-1'),
    // @ts-expect-error something of the same shape is not a proof
    () => client.startBot({ bot: reading }),
    // @ts-expect-error a reading is not a proof for an update either
    () => client.updateBot(reading, BOT_PAYLOAD),
    // @ts-expect-error nobody but the class itself makes one
    () => client.startBot(new ProvenDemoBot(reading, {}, 0)),
    // @ts-expect-error an update carries a demo payload
    async () => client.updateBot(await prove(client), { ...BOT_PAYLOAD, isDemo: false }),
    // @ts-expect-error an id is not a proof for selling
    () => client.closeBot('bot-1'),
  ]
  expect(calls.length).toBe(7)
  expect(writes(service)).toEqual([])
})

it('a value that only looks like a proof is refused at the wire', async () => {
  const service = {}
  const forged: unknown[] = [
    undefined,
    null,
    {},
    { bot: { id: 'bot-1', isDemo: true } },
    Object.create(ProvenDemoBot.prototype),
  ]
  for (const proof of forged) {
    expect(ProvenDemoBot.findProblem(proof, { id: 'bot-1', service, now: 0 })).toBe('missing')
  }
  for (const endpoint of ['startBot', 'updateBot'] as const) {
    expect(findProofProblem({ endpoint, parameter: 'bot-1' }, service, 0)).toBe('missing')
  }
  const closing = { endpoint: 'stopBot', parameter: 'bot-1', query: { closePosition: 'true' } } as const
  expect(findProofProblem(closing, service, 0)).toBe('missing')
  const keeping = { ...closing, query: { closePosition: 'false' } }
  expect(findProofProblem(keeping, service, 0)).toBeUndefined()
  for (const endpoint of ['createBot', 'readBot', 'deleteJob'] as const) {
    expect(findProofProblem({ endpoint, parameter: 'bot-1' }, service, 0)).toBeUndefined()
  }
})

it('only the typed calls make proofs and such requests: no other file of the program does', () => {
  const src = new URL('../../../src/', import.meta.url)
  const makers = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) =>
      /ProvenDemoBot\.readBack|endpoint: '(startBot|updateBot)'/.test(readFileSync(new URL(name, src), 'utf8')),
    )
  expect(makers).toEqual(['workbench/api/client.ts'])
})

it('a fresh proof starts and updates, and the update says demo on the wire', async () => {
  const { client, service } = await setup(() => demoText)
  expect(await client.startBot(await prove(client))).toMatchObject({ kind: 'acked', value: { bot: { id: 'bot-1' } } })
  expect(await client.updateBot(await prove(client), { ...BOT_PAYLOAD, takeProfit: 2 })).toMatchObject({
    kind: 'acked',
  })
  const [start, update] = writes(service)
  expect(start).toMatchObject({ method: 'POST', url: '/api/bots/bot-1/start', body: '' })
  expect(update).toMatchObject({ method: 'PUT', url: '/api/bots/bot-1' })
  expect(JSON.parse(update.body)).toEqual({ ...BOT_PAYLOAD, takeProfit: 2, isDemo: true })
})

it('a proof is good for five seconds and not for a tick more, and once stale says so', async () => {
  const { client, service, advance } = await setup(() => demoText)
  const proof = await prove(client)
  await advance(proofValidMs)
  expect(await client.startBot(proof)).toMatchObject({ kind: 'acked' })
  await advance(1)
  for (const outcome of [await client.startBot(proof), await client.updateBot(proof, BOT_PAYLOAD)]) {
    expect(outcome).toMatchObject({ kind: 'notSent', stale: true, reason: expect.stringContaining('5 s') })
  }
  expect(writes(service).length).toBe(1)
})

it('a proof that goes stale while the request waits for its turn is refused when the turn comes', async () => {
  const service = await scriptedService((_hit, response) => {
    response.end(demoText)
  })
  onTestFinished(() => service.close())
  let full = false
  const { client } = clientOf(service.url, {
    rateLog: {
      tryStart: () => {
        if (!full) return { slot: 1 }
        full = false
        return { waitMs: 6_000 }
      },
      finish: () => {},
    },
  })
  const proof = await prove(client)
  full = true
  expect(await client.startBot(proof)).toMatchObject({ kind: 'notSent', stale: true })
  expect(writes(service)).toEqual([])
})

it('a proof of one bot, or of another service, is no proof here', async () => {
  const here = await setup((id) => JSON.stringify({ id, ...BOT_PAYLOAD }))
  const there = await setup((id) => JSON.stringify({ id, ...BOT_PAYLOAD }))
  const foreign = await prove(there.client, 'bot-1')
  expect(await here.client.startBot(foreign)).toMatchObject({ kind: 'notSent' })
  const own = await prove(here.client, 'bot-1')
  expect(writes(here.service)).toEqual([])
  // The reading inside is data; changing it changes nothing that the request is made of.
  Object.assign(own, { bot: { ...own.bot, id: 'bot-2' } })
  await here.client.startBot(own)
  expect(writes(here.service).map(({ url }) => url)).toEqual(['/api/bots/bot-1/start'])
})

it.each([
  ['says false', '{"id":"bot-1","isDemo":false}'],
  ['says "true"', '{"id":"bot-1","isDemo":"true"}'],
  ['says 1', '{"id":"bot-1","isDemo":1}'],
  ['says nothing', '{"id":"bot-1"}'],
  ['says both', '{"id":"bot-1","isDemo":false,"isDemo":true}'],
  ['says both in other letters', '{"id":"bot-1","ISDEMO":false,"isDemo":true}'],
  ['says both in escapes', '{"id":"bot-1","\\u0069sDemo":false,"isDemo":true}'],
  ['says otherwise deeper inside', '{"id":"bot-1","isDemo":true,"account":{"isDemo":false}}'],
  ['says otherwise beside it', '{"bot":{"id":"bot-1","isDemo":true},"isDemo":false}'],
  ['is another bot', '{"id":"bot-2","isDemo":true}'],
])('a bot that %s gets no proof', async (_what, text) => {
  const { client } = await setup(() => text)
  expect(await client.proveDemo('bot-1')).toMatchObject({ kind: 'ok', value: { proof: null } })
})

it('a dialect cannot make a demo of a bot whose own text does not say so', async () => {
  const service = await scriptedService((_hit, response) => {
    response.end('{"id":"bot-1","mode":"paper"}')
  })
  onTestFinished(() => service.close())
  const dialect = { ...builtInDialect, bot: () => ({ id: 'bot-1', isDemo: true }) }
  const { client } = clientOf(service.url, { dialect })
  expect(await client.proveDemo('bot-1')).toMatchObject({ kind: 'ok', value: { bot: { isDemo: false }, proof: null } })
})

it('a dialect may spell an update as it likes, but not as that of a real bot', async () => {
  const spellings = [
    () => ({ settings: { name: 'x' }, isDemo: false }),
    () => ({ bot: { isDemo: false } }),
    () => ({ IsDemo: false }),
    () => ({ toJSON: () => ({ isDemo: false }) }),
    () => ({ list: [{ isDemo: 'true' }] }),
  ]
  const sent: string[] = []
  for (const updateRequest of spellings) {
    const { service } = await setup(() => demoText)
    const { client } = clientOf(service.url, { dialect: { ...builtInDialect, updateRequest } })
    const outcome = await client.updateBot(await prove(client), BOT_PAYLOAD)
    if (outcome.kind !== 'notSent') sent.push(...writes(service).map(({ body }) => body))
    else expect(writes(service)).toEqual([])
  }
  expect(sent).toEqual(['{"settings":{"name":"x"},"isDemo":true}'])
})

it('stopping is always allowed, real bot or not; selling is for demo bots', async () => {
  const real = await setup(() => '{"id":"bot-1","isDemo":false}')
  expect(await real.client.stopBot('bot-1')).toMatchObject({ kind: 'acked' })
  expect(writes(real.service).map(({ url }) => url)).toEqual(['/api/bots/bot-1/stop?closePosition=false'])
  expect(await real.client.proveDemo('bot-1')).toMatchObject({ kind: 'ok', value: { proof: null } })

  const demo = await setup(() => '{"id":"bot-1","isDemo":true}')
  expect(await demo.client.closeBot(await prove(demo.client))).toMatchObject({ kind: 'acked' })
  expect(writes(demo.service).map(({ url }) => url)).toEqual(['/api/bots/bot-1/stop?closePosition=true'])
})

it.each([200, 201, 202, 204])('status %i to a start is enough, with or without the bot in it', async (status) => {
  const service = await scriptedService((hit, response) => {
    if (hit.method === 'GET') return void response.end(demoText)
    response.writeHead(status)
    response.end(status === 204 ? undefined : '{"ok":true}')
  })
  onTestFinished(() => service.close())
  const { client } = clientOf(service.url)
  expect(await client.startBot(await prove(client))).toMatchObject({ kind: 'acked', value: { bot: null } })
})

it.each([
  [400, 'rejected'],
  [403, 'refused'],
  [404, 'rejected'],
  [409, 'ambiguous'],
  [500, 'ambiguous'],
  [503, 'ambiguous'],
])('status %i to a start or an update is %s, and it is sent once', async (status, kind) => {
  for (const action of ['start', 'update'] as const) {
    const service = await scriptedService((hit, response) => {
      if (hit.method === 'GET') return void response.end(demoText)
      json(response, status, { error: { message: 'no' } })
    })
    onTestFinished(() => service.close())
    const { client } = clientOf(service.url)
    const proof = await prove(client)
    const outcome = action === 'start' ? await client.startBot(proof) : await client.updateBot(proof, BOT_PAYLOAD)
    expect(outcome.kind).toBe(kind)
    expect(writes(service).length).toBe(1)
  }
})
