/** Which services are asked at once: our own on this machine, as long as it says so. All others at the usual pace. */
import { expect, it } from 'vitest'
import type { Pace } from '../../../src/workbench/api/wire/gate.ts'
import { CALLS, clientOf, goodBody, json, scriptedService } from './world.ts'

const OWN = 'embedded:0f3a-77'

/** The pace at which each of these calls was let out, when reply n announces `announced[n]`. */
async function pacesOf(announced: readonly (string | undefined)[], elsewhere = false): Promise<Pace[]> {
  const paces: Pace[] = []
  const rateLog = {
    tryStart: (pace: Pace) => {
      paces.push(pace)
      return { slot: 1 }
    },
    finish: () => {},
  }
  const service = await scriptedService((hit, response, n) => {
    const name = announced[n]
    if (name !== undefined) response.setHeader('X-DCALab-Service', name)
    json(response, 200, goodBody(hit))
  })
  const toService: typeof fetch = (input, init) => fetch(service.url + new URL(String(input)).pathname, init)
  const { client } = elsewhere
    ? clientOf('https://api.example.com', { fetch: toService, rateLog })
    : clientOf(service.url, { rateLog })
  for (const [n] of announced.entries()) await (n % 2 === 0 ? CALLS.limits : CALLS.createJob).call(client)
  await service.close()
  return paces
}

it('our own service is asked at once from the second request on', async () => {
  expect(await pacesOf([OWN, OWN, OWN, OWN])).toEqual(['spread', 'at once', 'at once', 'at once'])
})

it('a service that does not say it is ours keeps the pace, on this machine too', async () => {
  expect(await pacesOf([undefined, undefined, undefined])).toEqual(['spread', 'spread', 'spread'])
  expect(await pacesOf(['embedded:a b', 'https://api.example.com', ''])).toEqual(['spread', 'spread', 'spread'])
})

it('a service elsewhere cannot talk us out of the pace', async () => {
  expect(await pacesOf([OWN, OWN, OWN], true)).toEqual(['spread', 'spread', 'spread'])
})

it('when another service answers under the address of ours, the pace is back', async () => {
  expect(await pacesOf([OWN, OWN, undefined, undefined, OWN, OWN])).toEqual([
    'spread',
    'at once',
    'at once',
    'spread',
    'spread',
    'at once',
  ])
})
