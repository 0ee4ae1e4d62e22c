/** The last look before a byte leaves, below every client function: a bot that is not plainly a demo is not sent. */
import { expect, it } from 'vitest'
import { checkBaseUrl, Keys } from '../../src/workbench/api/wire/keys.ts'
import { send } from '../../src/workbench/api/wire/send.ts'
import { testSystem } from '../support/system.ts'

it.each([
  '{}',
  '{"isDemo":false}',
  '{"isDemo":"true"}',
  '{"isDemo":true,"isDemo":false}',
  '{"isDemo":1}',
  '[{"isDemo":true}]',
  'isDemo: true',
])('%s does not leave', async (body) => {
  let sent = 0
  const system = testSystem({
    fetch: async () => {
      sent++
      return new Response('{}')
    },
  })
  const base = checkBaseUrl('https://bots.example', { tlsUnverified: false })
  const transport = { system, base, keys: new Keys('some-key', 'some-secret'), timeoutMs: 1_000 }
  expect(await send(transport, { endpoint: 'createBot', body })).toMatchObject({ kind: 'notSent' })
  expect(sent).toBe(0)
})
