/** Foreseen hardships, one at a time and at every place: a key that stops working, an outage, a machine that sleeps, clocks and their changes. */
import { expect, it } from 'vitest'
import { share } from '../support/share.ts'
import { day, hour, minute } from '../workbench/run/setup.ts'
import { type CalmTraits, calmWorld, SMALL_DAY, smallDays, start } from './calm-world.ts'
import { createCounter } from './counters.ts'
import type { Answer } from './service.ts'

const unauthorized: Answer = {
  status: 401,
  body: '{"error":{"code":"ApiKeyInvalid","message":"no"}}',
  headers: { 'content-type': 'application/json' },
}
const readsAtOnce = 4

function configsOf({ service }: ReturnType<typeof calmWorld>): { readonly all: number; readonly different: number } {
  return { all: service.book.length, different: new Set(service.book.map(({ config }) => config)).size }
}

it('H26: from a 401 on, at whichever request it comes, nothing is submitted; the next start continues', {
  timeout: 300_000,
}, async () => {
  const bad: string[] = []
  for (let index = 0; ; index += share({ usual: 7, long: 1 })) {
    let isRevoked = true
    const world = calmWorld({ instead: (n) => (isRevoked && n >= index ? unauthorized : undefined), bareList: true })
    const first = await world.run(8)
    const later = world.sentAt.slice(index + 1)
    if (first?.stoppedBy === null) {
      expect(index).toBeGreaterThanOrEqual(20)
      world.clear()
      break
    }
    if (first?.stoppedBy !== 'refusal') bad.push(`${index}: ended by ${first?.stoppedBy}`)
    if (later.some(({ method }) => method === 'POST')) bad.push(`${index}: submitted after it`)
    if (later.length > readsAtOnce) bad.push(`${index}: ${later.length} requests after it`)
    isRevoked = false
    const next = await world.run(8)
    if (next?.stoppedBy !== null || next.trials.done !== 8) bad.push(`${index}: did not continue`)
    const { all, different } = configsOf(world)
    if (all !== different) bad.push(`${index}: paid twice`)
    world.clear()
  }
  expect(bad).toEqual([])
})

/** Some trials are through by then, others are not. */
const begins = start + 800

const outages: readonly (readonly [string, CalmTraits])[] = (
  ['refusedConnection', 'resetBefore', 'failsBeforeWork', 'timeoutBefore'] as const
).map((fate) => {
  const during = (_: number, at: number) => (at > begins && at < start + 2 * hour ? fate : 'ok')
  return [fate, { fate: during, readFate: during }]
})

it.each(outages)('H29: two hours of %s cost at most 2 submissions and 40 requests', async (_, traits) => {
  const world = calmWorld(traits)
  expect(await world.run(12)).toMatchObject({ stoppedBy: null, trials: { done: 12, failed: 0 } })
  const during = world.sentAt.filter(({ at }) => at > begins && at < start + 2 * hour)
  expect(world.posts().filter((at) => at < begins).length).toBeGreaterThan(0)
  expect(world.posts().filter((at) => at >= start + 2 * hour).length).toBeGreaterThan(1)
  expect(during.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(2)
  expect(during.length).toBeLessThanOrEqual(40)
  expect(world.sentAt.find(({ at }) => at >= start + 2 * hour)?.at).toBeLessThan(start + 2 * hour + 6 * minute)
  expect(configsOf(world)).toEqual({ all: 12, different: 12 })
  world.clear()
})

it('a machine that sleeps for hours in the middle of anything loses and doubles nothing', {
  timeout: 300_000,
}, async () => {
  const bad: string[] = []
  const every = share({ usual: 20, long: 1 })
  for (let n = 0; n < 40; n += every) {
    const world = calmWorld({ longestJobMs: 20 * minute })
    const from = start + 200 + n * 137
    world.time.at(from, () => {
      world.machine.suspendedUntil = from + 8 * hour
    })
    const summary = await world.run(30)
    if (summary?.trials.done !== 30) bad.push(`${n}: ${summary?.trials.done} done`)
    if (world.sentAt.some(({ at }) => at > from && at < from + 8 * hour)) bad.push(`${n}: sent in its sleep`)
    const { all, different } = configsOf(world)
    if (all !== different) bad.push(`${n}: paid twice`)
    if (world.service.refused.rate + world.service.refused.allowance > 0) bad.push(`${n}: refused`)
    world.clear()
  }
  expect(bad).toEqual([])
})

it('a machine that sleeps through the opening of the allowance uses it when it wakes', async () => {
  const world = smallDays()
  world.time.at(start + 20 * hour, () => {
    world.machine.suspendedUntil = start + 30 * hour
  })
  expect(await world.run(26)).toMatchObject({ stoppedBy: null, trials: { done: 26 } })
  const [next] = world.posts().slice(SMALL_DAY)
  expect(next).toBeGreaterThanOrEqual(start + 30 * hour)
  expect(next).toBeLessThan(start + 30 * hour + 2 * minute)
  expect(world.service.refused.allowance).toBe(0)
  world.clear()
})

it.each([
  ['spring, a day of 23 hours', Date.UTC(2026, 2, 28, 10)],
  ['autumn, a day of 25 hours', Date.UTC(2026, 9, 24, 10)],
])('H13: when the hour changes in %s, a service of whole local days refuses nothing', async (_, startAt) => {
  const allowance = createCounter('localMidnight', { count: SMALL_DAY, windowMs: day, phase: 0 })
  const world = smallDays({ allowance, windowType: null, tellsLimits: false, startAt })
  const trials = share({ usual: 30, long: 50 }) // a second day begins behind the hour that changes, or a third
  expect(await world.run(trials, { allowanceWindowMs: 25 * hour })).toMatchObject({ trials: { done: trials } })
  expect(world.service.refused.allowance).toBe(0)
  world.clear()
})

it('H13: a wall clock that steps by seconds, hours or years changes no moment of a run', async () => {
  const { trials, apart } = share({ usual: { trials: 26, apart: 3.5 * hour }, long: { trials: 46, apart: 6 * hour } })
  const undisturbed = smallDays()
  await undisturbed.run(trials)
  const world = smallDays()
  const steps = [1_000, -minute, hour, -day, 365 * day, -3_650 * day, 3_650 * day]
  for (const [n, ms] of steps.entries()) {
    world.time.at(start + 1_000 + n * apart, () => {
      world.machine.wallOffset += ms
    })
  }
  expect(await world.run(trials)).toMatchObject({ stoppedBy: null, trials: { done: trials } })
  expect(world.posts()).toEqual(undisturbed.posts())
  world.clear()
  undisturbed.clear()
})
