/**
 * Learning how the service counts: from the words and numbers of its limits and from what it accepted and refused. Whatever it says,
 * it is never sent more than it allows, and one refusal too many ends the belief.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allowanceOf,
  fitsGrant,
  type Grant,
  grantOf,
  nextOpening,
  observeWindow,
} from '../../../src/workbench/run/allowance.ts'
import { SMALL_DAY, smallDays, start } from '../../sim/calm-world.ts'
import { COUNTER_KINDS, type Counter, createCounter } from '../../sim/counters.ts'
import { share } from '../../support/share.ts'
import { day, hour, limitsOf, minute } from './setup.ts'

describe('what is observed', () => {
  const now = 10 * day
  const at = { limit: 100, windowMs: day, now }
  /** n submissions a minute apart, the last so long ago. */
  const accepted = (n: number, agoMs: number) => Array.from({ length: n }, (_, k) => now - agoMs - (n - 1 - k) * minute)

  it('is nothing where nothing is told, or what is told agrees with what was accepted', () => {
    expect(observeWindow(limitsOf({}), accepted(50, hour), at)).toBeNull()
    expect(observeWindow(limitsOf({ used: 50 }), accepted(50, hour), at)).toBeNull()
    expect(observeWindow(limitsOf({ used: 70 }), accepted(50, hour), at)).toBeNull()
  })

  it.each(['sliding', 'fixed'] as const)('is %s where the limits say so', (windowType) => {
    expect(observeWindow(limitsOf({ windowType }), accepted(50, hour), at)).toMatchObject({ type: windowType })
  })

  it('is forgetful where it counts fewer than were accepted within its window', () => {
    const found = observeWindow(limitsOf({ used: 3 }), accepted(50, hour), at)
    expect(found).toEqual({ type: 'forgetful', evidence: expect.stringMatching(/counts 3 of 50 accepted/) })
  })

  it('is forgetful where it accepted more than a sliding window holds, whatever it says', () => {
    const found = observeWindow(limitsOf({ windowType: 'sliding' }), accepted(101, hour), at)
    expect(found).toEqual({ type: 'forgetful', evidence: expect.stringMatching(/accepted 101 within 24 h/) })
    expect(observeWindow(limitsOf({ windowType: 'sliding' }), accepted(100, hour), at)?.type).toBe('sliding')
    // A larger allowance is no evidence.
    expect(observeWindow(limitsOf({ limit: 300 }), accepted(101, hour), at)).toBeNull()
  })

  it('is nothing where only submissions of the last minutes are missing: limits may be told late', () => {
    expect(observeWindow(limitsOf({ used: 0 }), accepted(9, 0), at)).toBeNull()
  })
})

/** The same counter, whose limits tell how it was a while ago. */
function toldLate(make: () => Counter, lateMs: number): Counter {
  const truth = make()
  const told = make()
  const admitted: number[] = []
  const catchUp = (at: number) => {
    while (admitted.length > 0 && admitted[0] <= at) told.admit(admitted.shift() ?? at)
    return at
  }
  return {
    ...truth,
    admit: (at) => {
      const isIn = truth.admit(at)
      if (isIn) admitted.push(at)
      return isIn
    },
    used: (at) => told.used(catchUp(at - lateMs)),
    nextAt: (at) => told.nextAt(catchUp(at - lateMs)),
  }
}

it('never exceeds a service of any kind, whatever it calls itself and however late, within ten minutes, it tells its limits', () => {
  const draw = fc.record({
    kind: fc.constantFrom(...COUNTER_KINDS),
    says: fc.constantFrom('sliding', 'fixed', null),
    lateMs: fc.integer({ min: 0, max: 10 * minute - 1 }),
    phase: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    steps: fc.array(
      fc.record({
        gap: fc.oneof(fc.constant(minute), fc.integer({ min: 0, max: 6 * hour })),
        asks: fc.boolean(),
      }),
      { minLength: 60, maxLength: 200 },
    ),
  })
  fc.assert(
    fc.property(draw, ({ kind, says, lateMs, phase, steps }) => {
      const count = 20
      const counter = toldLate(() => createCounter(kind, { count, windowMs: day, phase }), lateMs)
      const allowance = allowanceOf({ allowance: count, allowanceWindowMs: 25 * hour })
      const spent: number[] = []
      let grant: Grant | null = null
      let now = start
      for (const { gap, asks } of steps) {
        now += gap
        if (asks) {
          const used = counter.used(now)
          const limits = limitsOf({ limit: count, windowType: says, used, remaining: count - used })
          const window = observeWindow(limits, spent, { limit: count, windowMs: day, now })
          grant = grantOf(limits, window, { allowance, now })
        }
        if (nextOpening(spent, allowance, now) > now && !fitsGrant(grant, spent)) continue
        if (!counter.admit(now)) return false
        spent.push(now + 1)
      }
      return true
    }),
    { numRuns: share({ usual: 15, long: 1000 }) },
  )
})

/** The most submissions in any half-open interval of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length))
}

/** Windows begin at six in the morning. */
const fixedAtSix = () => createCounter('fixed', { count: SMALL_DAY, windowMs: day, phase: 0.25 })
const observed = (world: ReturnType<typeof smallDays>) =>
  world.events.flatMap((event) => (event.kind === 'observed' ? [event.message] : []))

it('a service that says its window is fixed is used again from its reset on, a window’s whole allowance and no more', async () => {
  const world = smallDays({ allowance: fixedAtSix(), windowType: 'fixed' })
  expect(await world.run(50)).toMatchObject({ stoppedBy: null, trials: { done: 50 } })
  const at = world.posts()
  expect(at).toHaveLength(50) // none was refused
  expect(at[20]).toBeGreaterThanOrEqual(start + 6 * hour)
  expect(at[39]).toBeLessThan(start + 6 * hour + 20 * minute)
  expect(at[40]).toBeGreaterThanOrEqual(start + 30 * hour)
  expect(at[49]).toBeLessThan(start + 30 * hour + 20 * minute)
  expect(observed(world)).toEqual([expect.stringMatching(/the service says it is fixed/)])
  world.clear()
})

it('a fixed window that nobody names is found out from its numbers within the hour', async () => {
  const world = smallDays({ allowance: fixedAtSix(), windowType: null })
  expect(await world.run(40)).toMatchObject({ stoppedBy: null, trials: { done: 40 } })
  const at = world.posts()
  expect(at).toHaveLength(40)
  expect(at[39]).toBeLessThan(start + 7 * hour + 20 * minute)
  expect(observed(world)).toEqual([expect.stringMatching(/it counts 0 of 20 accepted/)])
  world.clear()
})

it('a sliding window that calls itself fixed is never exceeded', async () => {
  const world = smallDays({ windowType: 'fixed' })
  expect(await world.run(46)).toMatchObject({ stoppedBy: null, trials: { done: 46 } })
  const at = world.posts()
  expect(at).toHaveLength(46)
  expect(mostWithin(at, day)).toBeLessThanOrEqual(SMALL_DAY)
  for (let n = SMALL_DAY; n < at.length; n++) expect(at[n] - at[n - SMALL_DAY]).toBeLessThanOrEqual(day + 2 * minute)
  world.clear()
})

it('limits that are told nine minutes late mislead nobody', async () => {
  const world = smallDays({ allowance: toldLate(fixedAtSix, 9 * minute), windowType: 'fixed' })
  expect(await world.run(50)).toMatchObject({ stoppedBy: null, trials: { done: 50 } })
  expect(world.service.refused.allowance).toBe(0)
  expect(world.sentAt.length).toBeLessThan(150)
  expect(world.posts()[49]).toBeLessThan(start + 31 * hour)
  world.clear()
})

it('a service whose limits promise what it refuses is believed once, and costs no trial', async () => {
  const truth = createCounter('sliding', { count: SMALL_DAY, windowMs: day, phase: 0 })
  const world = smallDays({ allowance: { ...truth, used: () => 0, nextAt: () => null }, windowType: 'fixed' })
  expect(await world.run(46)).toMatchObject({ stoppedBy: null, trials: { done: 46, failed: 0 } })
  expect(world.service.refused.allowance).toBe(1)
  expect(observed(world)).toEqual([expect.stringMatching(/is fixed/), expect.stringMatching(/only the count here/)])
  world.clear()
})

it('a reserve is left alone in a fixed window too', async () => {
  const world = smallDays({ allowance: fixedAtSix(), windowType: 'fixed' })
  await world.run(18, { reserve: 14 })
  const perWindow = [0, 1, 2].map((n) => {
    const from = start + (n === 0 ? -18 : n * 24 - 18) * hour
    return world.posts().filter((at) => at >= from && at < from + day).length
  })
  expect(perWindow).toEqual([6, 6, 6])
  world.clear()
})

it('another client’s spending is asked for before it is run into', async () => {
  const world = smallDays({ allowance: fixedAtSix(), windowType: 'fixed' })
  for (let n = 0; n < 12; n++) world.service.submitForeign(n, start)
  await world.run(26)
  expect(world.service.refused.allowance).toBe(0)
  expect(world.posts().filter((at) => at < start + 6 * hour)).toHaveLength(8)
  world.clear()
})
