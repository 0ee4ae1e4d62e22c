/** Our own service computes a backtest in milliseconds: a run looks when everything should be done, and asks no more often for it. */
import { expect, it } from 'vitest'
import { nextPace, OWN_TERMS, pollAfterSubmission, USUAL_TERMS } from '../../../src/workbench/run/open-run.ts'
import { hour, makeTrials, makeWorld, minute, type World } from './setup.ts'

const identity = 'embedded:0f3a-77'

async function timeOf(world: World, trials: number): Promise<number> {
  const before = world.system.clock.monotonic()
  expect(await world.run(makeTrials(trials))).toMatchObject({ stoppedBy: null, trials: { done: trials, failed: 0 } })
  return world.system.clock.monotonic() - before
}

it('a study of 72 trials costs 72 submissions and at most 4 reads, and waits for less than a second', async () => {
  const world = makeWorld({ identity, durationMs: 100 })
  expect(await timeOf(world, 72)).toBeLessThan(1_000)
  expect(world.service.counts.posts).toBe(72)
  expect(world.service.counts.reads).toBeLessThanOrEqual(4)
})

it('another service is left alone for two seconds before the first look, as before', async () => {
  const world = makeWorld({ durationMs: 100 })
  expect(await timeOf(world, 72)).toBeGreaterThanOrEqual(2_000)
})

it('a backtest that takes half an hour on our own service is not asked about all the time', async () => {
  const world = makeWorld({ identity, durationMs: hour / 2 })
  expect(await timeOf(world, 3)).toBeLessThan(hour / 2 + minute)
  expect(world.service.counts.reads).toBeLessThan(70)
})

it('while submissions go out one after another, looks are put off, but for no longer than five seconds', () => {
  const submittedAt = Array.from({ length: 800 }, (_, n) => n * 15)
  let pollAt = 200
  let lookedAt = 0
  const looks: number[] = []
  for (const now of submittedAt) {
    if (now >= pollAt) {
      looks.push(now)
      lookedAt = now
    }
    pollAt = pollAfterSubmission(OWN_TERMS, { now, pollAt, polledAt: lookedAt })
  }
  expect(looks).toHaveLength(2)
  expect(pollAt - (submittedAt.at(-1) ?? 0)).toBe(200)
  expect(pollAfterSubmission(USUAL_TERMS, { now: 10, pollAt: 1_700, polledAt: null })).toBe(1_700)
})

it('a look at which much had ended is followed by one when half of the rest should have', () => {
  const pace = { intervalMs: 200, quiet: 0 }
  const look = { ended: 60, running: 12, elapsedMs: 3_000, submitting: false }
  expect(nextPace(pace, OWN_TERMS, look)).toEqual({ intervalMs: 300, quiet: 0 })
  expect(nextPace(pace, USUAL_TERMS, look)).toEqual({ intervalMs: 1_000, quiet: 0 })
})
