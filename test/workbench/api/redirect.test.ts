/** A redirect would carry both keys to any host (H32, R9): none is ever followed, nor from https down to http. */
import { expect, it } from 'vitest'
import { API_KEY, CALLS, clientOf, scriptedService } from './world.ts'

it.each(
  [301, 302, 303, 307, 308].flatMap((status) =>
    (['limits', 'createJob'] as const).flatMap((call) =>
      (['the same', 'another', 'an unencrypted'] as const).map((target) => [status, call, target] as const),
    ),
  ),
)('a %i answer to %s pointing to %s origin is not followed', async (status, call, target) => {
  const thief = await scriptedService((_hit, response) => response.end('{}'))
  const service = await scriptedService((_hit, response) => {
    const location = target === 'the same' ? '/elsewhere' : `${thief.url}/take`
    response.writeHead(status, { location })
    response.end()
  })
  try {
    // The client believes to speak https; only the way there is shortened.
    const secure = target === 'an unencrypted'
    const fetch: typeof globalThis.fetch = (input, init) =>
      globalThis.fetch(String(input).replace('https://bots.example', service.url), init)
    const { client } = secure ? clientOf('https://bots.example', { fetch }) : clientOf(service.url)
    const outcome = await CALLS[call].call(client)
    if (call === 'createJob') expect(outcome.kind).toBe('ambiguous')
    else expect(outcome).toMatchObject({ kind: 'refused', code: 'WrongAddress' })
    expect(service.hits.length).toBe(1)
    expect(thief.sockets()).toBe(0)
    expect(JSON.stringify(thief.hits)).not.toContain(API_KEY)
  } finally {
    await Promise.all([service.close(), thief.close()])
  }
})
