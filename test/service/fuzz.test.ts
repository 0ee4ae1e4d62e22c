import { afterEach, beforeEach, expect, it } from 'vitest'
import { inWords, share } from '../support/share.ts'
import { fuzz, openTarget } from './fuzz.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const requests = share({ usual: 250, long: 5_000 })

it(`${inWords(requests)} requests made from the OpenAPI document meet no failure and no hang`, async () => {
  const target = await openTarget(world)
  const seen = await fuzz(target, requests)
  const statuses = new Set([...seen.keys()].map((name) => name.split(' ')[1]))
  for (const status of ['200', '201', '204', '400', '404']) expect([...statuses]).toContain(status)
  expect(new Set([...seen.keys()].map((name) => name.split(' ')[0])).size).toBe(target.operations.length)
  expect(world.system.printed().err).toBe('')
})
