/** Starting and updating need a bot that was read back as a demo at most five seconds ago (H48, H49); nothing overrides it. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { Client } from '../../../src/workbench/api/calls.ts'
import { everyMentionIsTrue, findDemoProblem } from '../../../src/workbench/api/demo-only.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import type { BotReading } from '../../../src/workbench/api/reading/readings.ts'
import { findProofProblem } from '../../../src/workbench/api/wire/operations.ts'
import { ProvenDemoBot, proofValidMs } from '../../../src/workbench/api/wire/proven-demo.ts'
import {
  BOT_PAYLOAD,
  type ClientWorld,
  clientOf,
  goodBody,
  json,
  type ScriptedService,
  scriptedService,
} from './world.ts'

/** Runs of the fuzz: 2,000 bots, each looked at, waited for and acted upon. */
const fuzzRuns = 2_000

const open: ScriptedService[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()))
})

async function setup(bodyOf: (id: string) => string): Promise<{ service: ScriptedService } & ClientWorld> {
  const service = await scriptedService((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, goodBody(hit))
    response.setHeader('content-type', 'application/json')
    response.end(bodyOf(decodeURIComponent(hit.url.split('/')[3])))
  })
  open.push(service)
  return { service, ...clientOf(service.url) }
}

const demoText = JSON.stringify({ id: 'bot-1', ...BOT_PAYLOAD, state: 'created' })

async function prove(client: Client, id = 'bot-1'): Promise<ProvenDemoBot> {
  const outcome = await client.proveDemo(id)
  if (outcome.kind !== 'ok' || outcome.value.proof === null) throw new Error(`no proof: ${outcome.kind}`)
  return outcome.value.proof
}

const writes = (service: ScriptedService) => service.hits.filter(({ method }) => method !== 'GET')

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
  expect(makers).toEqual(['workbench/api/bot-calls.ts'])
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
  open.push(service)
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
  open.push(service)
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

it('tells every mention of isDemo in any JSON text from what only looks like one', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  fc.assert(
    fc.property(value, fc.boolean(), fc.constantFrom('isDemo', 'isdemo', 'ISDEMO'), (other, demo, key) => {
      const text = JSON.stringify({ note: '"isDemo":false', deep: [{ other, [key]: demo }] })
      expect(everyMentionIsTrue(text)).toBe(demo)
      expect(everyMentionIsTrue(JSON.stringify({ note: `"isDemo":${demo}`, other }))).toBe(false)
    }),
    { numRuns: 300 },
  )
})

it('tripwire: whatever a service says and however long we dawdle, no start or update goes to a bot that is not a demo', async () => {
  const mentions = fc.constantFrom(
    '"isDemo":true',
    '"isDemo":false',
    '"isDemo":"true"',
    '"isDemo":1',
    '"isDemo":null',
    '"isDemo":false,"isDemo":true',
    '"isDemo":true,"isDemo":false',
    '"isDemo":true,"live":{"isDemo":false}',
    '"mode":"demo"',
  )
  /** What each bot was when it was last read, and when; the service's own book. */
  const book = new Map<string, { text: string; readAt: number }>()
  const texts = new Map<string, string>()
  let now = () => 0
  let broken = 0
  const acted: string[] = []
  const service = await scriptedService((hit, response) => {
    const id = decodeURIComponent(hit.url.split('/')[3])
    const text = `{"id":${JSON.stringify(id)},${texts.get(id) ?? ''}}`
    if (hit.method === 'GET') book.set(id, { text, readAt: now() })
    else {
      const seen = book.get(id)
      const isDemo = seen?.text === `{"id":${JSON.stringify(id)},"isDemo":true}` && now() - seen.readAt <= proofValidMs
      if (!isDemo) broken++
      if (hit.method === 'PUT' && findDemoProblem({ endpoint: 'updateBot', body: hit.body }) !== undefined) broken++
      acted.push(id)
    }
    response.end(text)
  })
  open.push(service)
  const { client, system, advance } = clientOf(service.url)
  now = () => system.clock.monotonic()
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }).map((n) => `bot-${n}`),
      mentions,
      mentions,
      fc.constantFrom(0, 10, 4_990, 5_000, 5_001, 60_000),
      fc.constantFrom('start', 'update'),
      async (id, before, after, waitMs, action) => {
        texts.set(id, before)
        const check = await client.proveDemo(id)
        // A bot may turn real at any moment; what was seen is trusted for five seconds, and the book keeps to that.
        texts.set(id, after)
        await advance(waitMs)
        if (check.kind !== 'ok' || check.value.proof === null) return void refused++
        const { proof } = check.value
        const outcome = action === 'start' ? await client.startBot(proof) : await client.updateBot(proof, BOT_PAYLOAD)
        if (outcome.kind === 'notSent') refused++
      },
    ),
    { numRuns: fuzzRuns },
  )
  expect(broken).toBe(0)
  expect(acted.length).toBeGreaterThan(50)
  expect(refused).toBeGreaterThan(500)
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
  open.push(service)
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
    open.push(service)
    const { client } = clientOf(service.url)
    const proof = await prove(client)
    const outcome = action === 'start' ? await client.startBot(proof) : await client.updateBot(proof, BOT_PAYLOAD)
    expect(outcome.kind).toBe(kind)
    expect(writes(service).length).toBe(1)
  }
})
