/** The service's time as we carry it on: steps of our wall clock change nothing, drift is corrected, one wrong date moves it little. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RawReply } from '../../../src/workbench/api/outcome.ts'
import { createServiceClock } from '../../../src/workbench/run/service-clock.ts'
import { testSystem } from '../../support/system.ts'
import { day, hour, minute } from './setup.ts'

const dated = (serverDate: number | null): RawReply => ({ status: 200, text: '', receivedAt: 0, serverDate })

it('the wall clock may step as it likes', () => {
  const system = testSystem({ wall: '2026-03-29T00:30:00Z' })
  const clock = createServiceClock(system.clock)
  const service = Date.UTC(2026, 2, 29)
  clock.learn(dated(service))
  system.stepWall(10 * 365 * day)
  expect(clock.now()).toBe(service)
  system.stepWall(-20 * 365 * day)
  expect(clock.now()).toBe(service)
})

it('without a date the wall clock is read once, and the times of replies are not compared with it', () => {
  const system = testSystem()
  const clock = createServiceClock(system.clock)
  system.stepWall(day)
  clock.learn(dated(null))
  expect(clock.now()).toBe(system.clock.wall() - day)
  expect(clock.isAnchored()).toBe(false)
  expect(clock.heardAt()).toBeNull()
})

it('a clock that runs up to a hundredth wrong stays within half a minute of the service, if it is heard every hour', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: -0.009, max: 0.009, noNaN: true }),
      fc.array(fc.tuple(fc.integer({ min: 1_000, max: hour }), fc.integer({ min: 0, max: 29_000 })), { minLength: 30 }),
      async (drift, gaps) => {
        const system = testSystem()
        const clock = createServiceClock(system.clock)
        let service = Date.UTC(2026, 0, 1)
        clock.learn(dated(service))
        for (const [gap, age] of gaps) {
          await system.advance(gap)
          service += gap * (1 + drift)
          expect(Math.abs(clock.now() - service)).toBeLessThan(70_000)
          clock.learn(dated(Math.floor((service - age) / 1000) * 1000))
          expect(clock.now() - service).toBeLessThanOrEqual(31_000)
          expect(service - clock.now()).toBeLessThanOrEqual(31_000)
        }
      },
    ),
    { numRuns: 30 },
  )
})

it('one wrong date moves it by seconds, not by years', async () => {
  const system = testSystem()
  const clock = createServiceClock(system.clock)
  clock.learn(dated(Date.UTC(2026, 0, 1)))
  await system.advance(minute)
  clock.learn(dated(Date.UTC(2036, 0, 1)))
  expect(clock.now() - Date.UTC(2026, 0, 1, 0, 1)).toBeLessThanOrEqual(2_000)
})
