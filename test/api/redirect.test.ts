/** A redirect would carry both keys to any host (reliability.md fact 1): none is ever followed. */
import { expect, it } from 'vitest'
import { API_KEY, CALLS, clientOf, scriptedService } from './world.ts'

it.each(
  [301, 302, 303, 307, 308].flatMap((status) =>
    (['limits', 'createJob'] as const).flatMap((call) =>
      (['same', 'other', 'plain'] as const).map((target) => [status, call, target] as const),
    ),
  ),
)('a %i answer to %s pointing to the %s origin is not followed', async (status, call, target) => {
  const thief = await scriptedService((_hit, response) => response.end('{}'))
  const service = await scriptedService((_hit, response) => {
    const locations = { same: '/elsewhere', other: `${thief.url}/take`, plain: `http://localhost:${thief.port}/take` }
    response.writeHead(status, { location: locations[target] })
    response.end()
  })
  try {
    const outcome = await CALLS[call].call(clientOf(service.url).client)
    if (call === 'createJob') expect(outcome.kind).toBe('ambiguous')
    else expect(outcome).toMatchObject({ kind: 'refused', code: 'WrongAddress' })
    expect(service.hits.length).toBe(1)
    expect(thief.sockets()).toBe(0)
    expect(JSON.stringify(thief.hits)).not.toContain(API_KEY)
  } finally {
    await Promise.all([service.close(), thief.close()])
  }
})
