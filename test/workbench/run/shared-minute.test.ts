/** H16: somebody else uses up half of the minute. Refusals become rare by themselves, and no submission is repeated that was not released. */
import { expect, it } from 'vitest'
import { type CalmTraits, calmWorld, start } from '../../sim/calm-world.ts'
import { createCounter } from '../../sim/counters.ts'
import { hour, minute } from './setup.ts'

const hours = 0.5

/** A minute of 120, of which the other client asks for 60, evenly or all at once. */
function sharedMinute(inBursts: boolean): CalmTraits {
  const counter = createCounter('sliding', { count: 120, windowMs: minute, phase: 0 })
  let asked = start
  const catchUp = (at: number) => {
    for (; asked < at; asked += inBursts ? minute : 1_000) {
      for (let n = 0; n < (inBursts ? 60 : 1); n++) counter.admit(asked)
    }
  }
  return {
    minute: {
      ...counter,
      admit: (at) => {
        catchUp(at)
        return counter.admit(at)
      },
    },
  }
}

it.each([
  ['evenly', false],
  ['in bursts', true],
] as const)('another client asks for 60 a minute %s: at most one refusal in ten minutes', async (_, inBursts) => {
  const refusedAt: number[] = []
  const world = calmWorld(sharedMinute(inBursts))
  let before = 0
  const end = start + hours * hour
  // As many requests as may leave, a few at a time.
  await world.live(async ({ client }) => {
    const lane = async () => {
      while (world.time.now < end) {
        await client.limits()
        if (world.service.refused.rate > before) refusedAt.push(world.time.now)
        before = world.service.refused.rate
      }
    }
    await Promise.all([lane(), lane(), lane()])
  })
  expect(refusedAt.length).toBeGreaterThan(0) // it is crowded indeed
  const later = refusedAt.filter((at) => at > start + 10 * minute)
  for (const [n, at] of later.slice(1).entries()) expect(at - later[n]).toBeGreaterThanOrEqual(10 * minute)
  // And the half that is left is used: more than 40 a minute on average.
  expect(world.sentAt.length).toBeGreaterThan(40 * 60 * hours)
  world.clear()
})

it('a submission that the rate refused is sent again only when it was released, and once', async () => {
  const counter = createCounter('sliding', { count: 6, windowMs: minute, phase: 0 })
  const world = calmWorld({ minute: counter })
  expect(await world.run(25)).toMatchObject({
    stoppedBy: null,
    trials: { done: 25, failed: 0 },
    allowance: { used: 25 },
  })
  expect(world.service.refused.rate).toBeGreaterThan(3)
  expect(new Set(world.service.book.map(({ config }) => config)).size).toBe(25)
  expect(world.service.book).toHaveLength(25)
  world.clear()
})
