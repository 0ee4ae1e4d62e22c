/** No body without its own `"isDemo":true` ever reaches the wire (H47), and no code can ask for one. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DemoBotPayload } from '../../../src/contract/bot.ts'
import { readBotBody } from '../../../src/workbench/api/client.ts'
import { demoBody, findDemoProblem } from '../../../src/workbench/api/demo-only.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { BOT_PAYLOAD, clientOf, goodBody, json, scriptedService } from './world.ts'

const fuzzRuns = 500

it('a real bot does not compile', () => {
  // @ts-expect-error isDemo is the literal true
  const real: DemoBotPayload = { ...BOT_PAYLOAD, isDemo: false }
  // @ts-expect-error a payload must say what it is
  const silent: DemoBotPayload = { ...BOT_PAYLOAD, isDemo: undefined }
  // @ts-expect-error a boolean is not enough
  const either: DemoBotPayload = { ...BOT_PAYLOAD, isDemo: Boolean(1) }
  for (const payload of [real, silent, either]) expect(demoBody(payload)).toMatch(/"isDemo":true}$/)
})

it.each([
  '{"isDemo":false}',
  '{"isDemo":"true"}',
  '{"isDemo":1}',
  '{"isDemo":null}',
  '{}',
  '{"isDemo":true,"isDemo":false}',
  '{"isDemo":false,"isDemo":true}',
  '{"isDemo":true,"isdemo":false}',
  '{"isDemo":true,"name":"a","name":"b"}',
  '{"bot":{"isDemo":true}}',
  '{"__proto__":{"isDemo":true}}',
  '[{"isDemo":true}]',
  '"isDemo"',
  'true',
  '{"isDemo":true',
  '',
])('%s is not sent as a bot', (body) => {
  for (const endpoint of ['createBot', 'updateBot', 'validateBot'] as const) {
    expect(findDemoProblem({ endpoint, body })).toMatch(/demo/)
    expect(findDemoProblem({ endpoint })).toMatch(/demo/)
  }
})

it('whatever is put into a payload, every body on the wire says true, once, as its own', async () => {
  const service = await scriptedService((hit, response) => json(response, 200, goodBody(hit)))
  const { client } = clientOf(service.url)
  const wild = fc.record({
    name: fc.oneof(fc.string(), fc.constantFrom('","isDemo":false,"x":"', '\\', '"}')),
    userEmail: fc.string(),
    isDemo: fc.anything(),
    investment: fc.oneof(fc.double(), fc.constantFrom('"isDemo":false')),
    toJSON: fc.constantFrom(undefined, () => ({ isDemo: false })),
    extra: fc.anything(),
  })
  await fc.assert(
    fc.asyncProperty(wild, fc.boolean(), async (fields, viaPrototype) => {
      const odd: unknown = viaPrototype
        ? Object.assign(Object.create({ isDemo: false, toJSON: fields.toJSON }), BOT_PAYLOAD, fields)
        : { ...BOT_PAYLOAD, ...fields }
      // The point of the test is a payload that lies about its type.
      await client.createBot(odd as DemoBotPayload)
      await client.validateBot(odd as DemoBotPayload)
    }),
    { numRuns: fuzzRuns },
  )
  expect(service.hits.length).toBe(2 * fuzzRuns)
  for (const { body } of service.hits) {
    const sent = JSON.parse(body)
    expect(Object.hasOwn(sent, 'isDemo') && sent.isDemo).toBe(true)
    expect(findDemoProblem({ endpoint: 'createBot', body })).toBeUndefined()
  }
})

it.each([
  ['{"id":"b","isDemo":true}', true],
  ['{"id":"b","isDemo" :  true }', true],
  ['{"id":"b","name":"\\"isDemo\\":false","isDemo":true}', true],
  ['{"id":"b","isDemo":"true"}', false],
  ['{"id":"b","isDemo":1}', false],
  ['{"id":"b","isDemo":false}', false],
  ['{"id":"b"}', false],
  ['{"id":"b","isDemo":false,"isDemo":true}', false],
  ['{"id":"b","isDemo":true,"live":{"isDemo":false}}', false],
])('%s read back is a demo bot: %s', (text, isDemo) => {
  expect(readBotBody(JSON.parse(text), text, builtInDialect.botState)?.isDemo).toBe(isDemo)
})
