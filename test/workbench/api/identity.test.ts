/** Who answers: our own service is believed on this machine only; every other is its origin and a hash of the key. */
import { expect, it } from 'vitest'
import { API_KEY, clientOf, goodBody, json, scriptedService } from './world.ts'

it('our embedded service is called by its own name', async () => {
  const service = await scriptedService((hit, response) => {
    response.setHeader('X-DCALab-Service', 'embedded:0f3a-77')
    json(response, 200, goodBody(hit))
  })
  expect(await clientOf(service.url).client.identify()).toMatchObject({
    kind: 'ok',
    value: {
      identity: 'embedded:0f3a-77',
      simulated: true,
      limits: { limit: 100, windowMs: 86_400_000, remaining: 97 },
    },
  })
  await service.close()
})

it.each([undefined, '', 'embedded:', 'embedded:a b', 'https://api.example.com#abc', 'embedded:x#y'])(
  'a service that announces %j is its origin and a hash of the key',
  async (announced) => {
    const service = await scriptedService((hit, response) => {
      if (announced !== undefined) response.setHeader('X-DCALab-Service', announced)
      json(response, 200, goodBody(hit))
    })
    const outcome = await clientOf(service.url).client.identify()
    if (outcome.kind !== 'ok') throw new Error(outcome.kind)
    expect(outcome.value.identity).toMatch(new RegExp(`^${service.url}#[0-9a-f]{64}$`))
    expect(outcome.value.identity).not.toContain(API_KEY)
    expect(outcome.value.simulated).toBe(false)
    await service.close()
  },
)

it('a service elsewhere cannot call itself ours', async () => {
  const fetch: typeof globalThis.fetch = async () =>
    new Response('{"limit":100}', { headers: { 'X-DCALab-Service': 'embedded:0f3a' } })
  const outcome = await clientOf('https://api.example.com', { fetch }).client.identify()
  expect(outcome).toMatchObject({
    kind: 'ok',
    value: { identity: expect.stringMatching(/^https:\/\/api\.example\.com#/), simulated: false },
  })
})
