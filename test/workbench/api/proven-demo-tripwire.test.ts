/** H48, H49: whatever a service says of a bot, nothing but a demo bot is started or updated. */
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { everyMentionIsTrue, findDemoProblem } from '../../../src/workbench/api/demo-only.ts'
import { proofValidMs } from '../../../src/workbench/api/wire/send.ts'
import { share } from '../../support/share.ts'
import { BOT_PAYLOAD, clientOf, scriptedService } from './world.ts'

/** Runs of the fuzz: bots by the hundred, each looked at, waited for and acted upon. */
const fuzzRuns = share({ usual: 700, long: 2_000 })

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
  onTestFinished(() => service.close())
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
  expect(acted.length).toBeGreaterThan(fuzzRuns / 40)
  expect(refused).toBeGreaterThan(500)
})
