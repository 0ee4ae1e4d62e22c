/** A run of weeks: no timer longer than an hour, nothing left behind, and memory that does not grow with time. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { share } from '../support/share.ts'
import { day, hour, minute } from '../workbench/run/setup.ts'
import { calmWorld, start } from './calm-world.ts'
import { createCounter } from './counters.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // the function that the flag puts there

/** What is alive, in MB, without what is only waiting to be swept. */
function aliveMb(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** Looks at those days; answers what was seen, when they are over. */
function lookAt(days: readonly number[], world: ReturnType<typeof calmWorld>) {
  const seen: { readonly aliveMb: number; readonly waiting: number }[] = []
  for (const n of days) {
    world.time.at(start + n * day, () => seen.push({ aliveMb: aliveMb(), waiting: world.time.waiting }))
  }
  return seen
}

it('30 days before a full service: a question an hour, no timer beyond it, no memory', {
  timeout: 300_000,
}, async () => {
  const usual = createCounter('sliding', { count: 100, windowMs: day, phase: 0 })
  const isFull = (at: number) => at < start + 30 * day
  const world = calmWorld({
    allowance: {
      ...usual,
      admit: (at) => !isFull(at) && usual.admit(at),
      used: (at) => (isFull(at) ? 100 : usual.used(at)),
      nextAt: (at) => (isFull(at) ? start + 30 * day : null),
    },
  })
  const seen = lookAt([2, 10, 20, 29], world)
  expect(await world.run(3)).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(world.posts()).toHaveLength(3)
  expect(world.sentAt.length).toBeLessThan(30 * 24 + 20)
  expect(world.longestSleepMs()).toBeLessThanOrEqual(hour)
  // One line says what it waits for and until when, however often it looks meanwhile.
  const lines = world.events.flatMap((event) => (event.kind === 'waiting' ? [event.message] : []))
  expect(lines).toEqual(['waiting for the daily limit: reopens at 2026-01-31T00:00:00Z'])
  const [first, ...later] = seen
  for (const { aliveMb, waiting } of later) {
    expect(aliveMb - first.aliveMb).toBeLessThan(1)
    expect(waiting).toBeLessThanOrEqual(first.waiting)
  }
  expect(world.time.waiting).toBe(0)
  world.clear()
})

const { days, first } = share({ usual: { days: 12, first: 5 }, long: { days: 30, first: 3 } })

it(`${days} days of 20 trials: memory grows by less than 5 KB a trial, what the service itself remembers included`, {
  timeout: 300_000,
}, async () => {
  const allowance = createCounter('sliding', { count: 20, windowMs: day, phase: 0 })
  const world = calmWorld({ allowance, allowanceCount: 20, longestJobMs: 10 * minute })
  const [early, late] = [first, days - 1]
  const seen = lookAt([early, late], world)
  expect(await world.run(20 * days, { allowance: 20 })).toMatchObject({ stoppedBy: null, trials: { done: 20 * days } })
  expect(world.longestSleepMs()).toBeLessThanOrEqual(hour)
  const [before, after] = seen.map((look) => look.aliveMb)
  process.stdout.write(`alive: ${before.toFixed(1)} MB after ${early} days, ${after.toFixed(1)} MB after ${late}\n`)
  expect((after - before) * 1024).toBeLessThan((late - early) * 20 * 5)
  expect(world.time.waiting).toBe(0)
  world.clear()
})
