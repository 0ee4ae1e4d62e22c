/** H83: a clock that was set back makes the ledger forget as soon as it is put right, so it counts nothing. */
import { expect, it } from 'vitest'
import { type CalmWorld, calmWorld, SMALL_DAY, smallDays } from '../../sim/calm-world.ts'
import { day, hour, minute } from './setup.ts'

const to1970 = (world: CalmWorld) => {
  world.machine.wallOffset = -world.time.now
}

it('H83: a machine that says 1970 submits nothing to a service that tells no time', async () => {
  const world = calmWorld({ sendsDate: false })
  to1970(world)
  for (const trustClock of [false, true]) {
    await expect(world.run(3, { trustClock })).rejects.toMatchObject({
      code: 'clockWrong',
      exitCode: 2,
      message: expect.stringContaining('1970-01-01T00:00'),
    })
  }
  expect(world.posts()).toEqual([])
  world.clear()
})

it('H83: where the service tells its time, that counts, whatever the machine says', async () => {
  const world = calmWorld()
  to1970(world)
  expect(await world.run(3)).toMatchObject({ stoppedBy: null, trials: { done: 3 }, allowance: { used: 3 } })
  world.clear()
})

it('H83: a clock that stands before the newest submission is refused; the day is not forgotten when it is put right', async () => {
  const world = smallDays({ sendsDate: false, tellsLimits: false })
  expect(await world.run(SMALL_DAY)).toMatchObject({ stoppedBy: null, trials: { done: SMALL_DAY } })
  await world.time.pass(hour)
  world.machine.wallOffset = -30 * day
  await expect(world.run(SMALL_DAY + 1)).rejects.toMatchObject({
    code: 'clockWrong',
    message: expect.stringMatching(/says 2025-12-02T.*before the newest stored submission \(2026-01-01T/),
    hint: expect.stringContaining('--trust-clock'),
  })
  world.machine.wallOffset = 0
  expect(await world.run(SMALL_DAY + 1, { wait: false })).toMatchObject({
    stoppedBy: 'allowance',
    allowance: { used: SMALL_DAY },
  })
  expect(world.posts()).toHaveLength(SMALL_DAY)
  expect(world.service.refused.allowance).toBe(0)
  world.clear()
})

it('H83: told that the clock is right and was ahead, a run goes on, and what was submitted counts from now', async () => {
  const world = smallDays({ sendsDate: false, tellsLimits: false })
  world.machine.wallOffset = 3_650 * day
  expect(await world.run(SMALL_DAY - 1)).toMatchObject({ stoppedBy: null, trials: { done: SMALL_DAY - 1 } })
  world.machine.wallOffset = 0
  expect(await world.run(SMALL_DAY + 3, { wait: false, trustClock: true })).toMatchObject({
    stoppedBy: 'allowance',
    trials: { done: SMALL_DAY },
    allowance: { used: SMALL_DAY },
  })
  expect(world.service.refused.allowance).toBe(0)
  world.clear()
})

it('a clock that is corrected by seconds is no wrong clock', async () => {
  const world = calmWorld({ sendsDate: false })
  await world.run(2)
  world.machine.wallOffset = -minute
  expect(await world.run(3)).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  world.clear()
})
