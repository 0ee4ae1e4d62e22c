/** When a job is given up: pure arithmetic on what others took. */
import { expect, it } from 'vitest'
import { findSlowJob, stallsAfter } from '../../../src/workbench/run/progress.ts'
import { day, hour, minute } from './setup.ts'

it.each([
  [null, day],
  [0, hour],
  [2_000, hour],
  [3 * minute, hour],
  [10 * minute, 200 * minute],
  [hour, 20 * hour],
  [5 * hour, day],
])('H19: where the longest took %s ms, a job has stalled after %i ms', (longestMs, after) => {
  expect(stallsAfter(longestMs)).toBe(after)
})

it('H19: in a queue that ends one job after the other none has stalled, however long the queue is', () => {
  for (const stepMs of [1_000, minute, 30 * minute]) {
    // Of 500 jobs sent together the n-th ends after n steps; then the longest took as long.
    for (let n = 1; n < 500 && (n + 1) * stepMs < day; n++)
      expect(stallsAfter(n * stepMs)).toBeGreaterThan((n + 1) * stepMs)
  }
})

it('a job is slow after minutes, and after several times what the longest took', () => {
  const job = { id: 1, remoteId: 'a', fingerprint: 'f', study: 's', lastSeenAt: null, missingSince: null }
  const open = [
    { ...job, state: 'stalled' as const, submittedAt: 0 },
    { ...job, state: 'running' as const, submittedAt: hour },
  ]
  const slowAt = (now: number, longestMs: number | null) => findSlowJob(open, () => longestMs, now)
  expect(slowAt(hour + 4 * minute, 1_000)).toBeUndefined()
  expect(slowAt(hour + 5 * minute, 2 * minute)).toBeUndefined()
  expect(slowAt(hour + 5 * minute, minute)).toEqual({
    runsForMs: 5 * minute,
    longestMs: minute,
    stallsAt: 2 * hour,
  })
  expect(slowAt(hour + 5 * minute, null)).toMatchObject({ longestMs: null, stallsAt: hour + day })
  expect(findSlowJob(open.slice(0, 1), () => null, day)).toBeUndefined()
})
