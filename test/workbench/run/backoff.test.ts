/** How long a failing service is left alone, when a run gives it up, and why a run stops. */
import { expect, it } from 'vitest'
import { RetryBackoff, RunStop } from '../../../src/workbench/run/run-state.ts'
import { hour, makeTrials, makeWorld, minute } from './setup.ts'

const second = 1_000

/** Fails again as soon as the pause is over, so many times; the pauses. */
function failures(patience: RetryBackoff, n: number): number[] {
  return Array.from({ length: n }, () => patience.noteFailure(patience.quietUntil).backoffMs)
}

it('the pause after a failure doubles from five seconds to five minutes', () => {
  expect(failures(new RetryBackoff({}), 8).map((ms) => ms / second)).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
})

it('requests that fail together, because they were sent together, are one failure', () => {
  const backoff = new RetryBackoff({ loopback: true })
  const together = Array.from({ length: 10 }, (_, at) => backoff.noteFailure(at))
  expect(together.map(({ isOver }) => isOver)).not.toContain(true)
  expect(backoff.quietUntil).toBe(5 * second)
})

it('an answer ends the row of failures, not the pause', () => {
  const patience = new RetryBackoff({})
  failures(patience, 4)
  const { quietUntil } = patience
  patience.noteAnswer()
  expect(patience.quietUntil).toBe(quietUntil)
  expect(failures(patience, 1)).toEqual([5 * second])
})

it('a long pause is kept, though a request that was under way is refused with a shorter one', () => {
  const backoff = new RetryBackoff({})
  backoff.pause(0, 60 * minute)
  backoff.pause(second, minute)
  expect(backoff.quietUntil).toBe(60 * minute)
})

it('such a pause is announced as long as it is kept, whichever of two answers that came together asked for it', async () => {
  const { service, system, events, run } = makeWorld({ bareList: true, durationMs: minute })
  const refused = { kind: 'refused', code: 'ApiKeyRateLimit', status: 429, message: 'slow down' } as const
  const { readJob } = service
  const pauses = [hour, null]
  service.readJob = async (id) => {
    const retryAfterMs = id === 'job-1' ? undefined : pauses.shift() // the first is waited for alone
    const raw = { status: 429, text: '{}', receivedAt: system.clock.wall(), serverDate: null }
    return retryAfterMs === undefined ? readJob(id) : { ...refused, retryAfterMs, raw }
  }
  expect(await run(makeTrials(3))).toMatchObject({ trials: { done: 3 } })
  const said = events.flatMap((event) => (event.kind === 'refused' ? [event.message] : []))
  expect(said).toEqual(Array(2).fill('ApiKeyRateLimit: slow down; pausing 3600 s'))
  expect(system.clock.wall()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1) + hour)
})

it('a service that fails for ten minutes is given up, one on this machine after half a minute, never with --wait', () => {
  const givenUpAfter = (patience: RetryBackoff) => {
    for (let n = 0; n < 50; n++) {
      const now = patience.quietUntil
      if (patience.noteFailure(now).isOver) return now
    }
    return null
  }
  expect(givenUpAfter(new RetryBackoff({}))).toBeLessThanOrEqual(10 * minute)
  expect(givenUpAfter(new RetryBackoff({}))).toBeGreaterThan(5 * minute)
  expect(givenUpAfter(new RetryBackoff({ loopback: true }))).toBeLessThanOrEqual(minute / 2)
  expect(givenUpAfter(new RetryBackoff({ wait: true, loopback: true }))).toBeNull()
})

it('after too many submissions without an answer the pause doubles up to 80 minutes', () => {
  const patience = new RetryBackoff({ wait: true })
  const pauses = [0, 1, 4, 9].map((tooMany) => {
    patience.pauseUnsure(1_000, tooMany)
    return (patience.quietUntil - 1_000) / minute
  })
  expect(pauses).toEqual([5, 10, 80, 80])
})

it('the first reason to stop is the one that is told; what forbids reading still counts after it', () => {
  const brake = new RunStop()
  expect(brake.mayRead).toBe(true)
  expect(brake.pull({ by: 'rejects', mayRead: true })).toBe(true)
  expect(brake.pull({ by: 'refusal', mayRead: true })).toBe(false)
  expect(brake.halt).toEqual({ by: 'rejects', mayRead: true })
  expect(brake.pull({ by: 'refusal', mayRead: false })).toBe(true)
  expect(brake.halt).toEqual({ by: 'rejects', mayRead: false })
  expect(brake.mayRead).toBe(false)
  expect(brake.pull({ by: 'unreachable', mayRead: false })).toBe(false)
})
