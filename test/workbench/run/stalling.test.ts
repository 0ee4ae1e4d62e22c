/** When a job is given up: arithmetic on what others took and on when runs were there to see it, then runs under clocks that are set. */
import { expect, it } from 'vitest'
import { countRunning, stallsAfter } from '../../../src/workbench/run/progress.ts'
import { findSlowJob } from '../../../src/workbench/run/summary.ts'
import { readLongestJobMs, recordObservations } from '../../../src/workbench/store/jobs.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { calmWorld } from '../../sim/calm-world.ts'
import { identity, observation, openWithStudy, start, submit } from '../store/setup.ts'
import { day, hour, makeTrials, makeWorld, minute } from './setup.ts'

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
  const job = { id: 1, remoteId: 'a', fingerprint: 'f', study: 's', runId: 1, lastSeenAt: null, missingSince: null }
  const open = [
    { ...job, state: 'stalled' as const, submittedAt: 0 },
    { ...job, state: 'running' as const, submittedAt: hour },
  ]
  const watchedAt = (now: number) => () => ({ now, waitedMs: now, begun: [0] })
  const slowAt = (now: number, longestMs: number | null) => findSlowJob(open, () => longestMs, watchedAt(now))
  expect(slowAt(hour + 4 * minute, 1_000)).toBeUndefined()
  expect(slowAt(hour + 5 * minute, 2 * minute)).toBeUndefined()
  expect(slowAt(hour + 5 * minute, minute)).toEqual({
    runsForMs: 5 * minute,
    longestMs: minute,
    stallsAt: 2 * hour,
  })
  expect(slowAt(hour + 5 * minute, null)).toMatchObject({ longestMs: null, stallsAt: hour + day })
  expect(findSlowJob(open.slice(0, 1), () => null, watchedAt(day))).toBeUndefined()
})

it('a job that seems to have ended before it was sent says nothing of how long jobs take', async () => {
  const { store, trials } = await openWithStudy(2)
  const took = []
  for (const [n, ms] of [-hour, 3 * hour].entries()) {
    await submit(store, trials[n].fingerprint, `job-${n}`)
    const done = observation(`job-${n}`, { state: 'done', finishedAt: start + ms, body: `{"n":${n}}` })
    await recordObservations(store, { identity, observations: [done] })
    took.push(readLongestJobMs(store, { identity }))
  }
  expect(took).toEqual([null, 3 * hour])
})

const years = 7 * 365 * day

it.each([
  ['one run waits for it', { sent: 0, now: 3 * hour, waitedMs: 3 * hour, begun: [0] }, 3 * hour],
  ['the clock was set ahead while it waited', { sent: 0, now: years, waitedMs: hour, begun: [0] }, hour],
  ['the clock was set back while it waited', { sent: years, now: 3 * hour, waitedMs: hour, begun: [years] }, hour],
  ['a run follows another at once', { sent: 0, now: 3 * hour, waitedMs: 2 * hour, begun: [0, hour] }, 3 * hour],
  ['it was sent late in its run', { sent: hour, now: 2 * hour, waitedMs: hour, begun: [0, hour] }, hour],
  ['a day passes between two runs', { sent: 0, now: day, waitedMs: 0, begun: [0, day] }, 6 * hour],
  [
    'the clock was set ahead between two runs',
    { sent: 0, now: years, waitedMs: minute, begun: [0, years] },
    6 * hour + minute,
  ],
  [
    'the clock was set back between two runs',
    { sent: years, now: 3 * hour, waitedMs: minute, begun: [years, hour, 3 * hour] },
    2 * hour + minute,
  ],
  ['runs of another store came beside ours', { sent: 0, now: hour, waitedMs: 0, begun: [0, hour, -3 * day, 0] }, hour],
])(
  'H19: where a day is given to a job and %s, it has run for as long as runs could see it',
  (_, { sent, ...watched }, runsForMs) => {
    expect(countRunning({ submittedAt: sent }, watched, day)).toBe(runsForMs)
  },
)

it('H13, H19: jobs that run while our clock is set years ahead, and no time of the service is known, are waited for, over restarts too', async () => {
  const world = calmWorld({ sendsDate: false, shortestJobMs: 40 * minute, longestJobMs: 50 * minute })
  const runFor = (ms: number) => {
    const until = world.time.now + ms
    return world.run(3, { dies: () => world.time.now > until })
  }
  await runFor(10 * minute)
  world.machine.wallOffset = years
  for (let restart = 0; restart < 3; restart++) await runFor(minute)
  expect(await world.run(3)).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(world.posts()).toHaveLength(3)
  expect(world.events).not.toContainEqual(expect.objectContaining({ code: 'stalledJob' }))
  world.clear()
})

it.each([
  ['is right', 0, 0, 5],
  ['is set years ahead after the first', 0, years, 5],
  ['was years ahead at the first', years, 0, 6],
])(
  'H19: under a clock that %s, one of a few runs of a minute a day ends although its job never does',
  async (_, first, later, runs) => {
    const world = calmWorld({ sendsDate: false, shortestJobMs: years, longestJobMs: years })
    world.machine.wallOffset = first
    const ends: unknown[] = []
    while (ends.length < runs) {
      const until = world.time.now + minute
      const summary = await world.run(1, { trustClock: true, dies: () => world.time.now > until })
      ends.push(summary?.stoppedBy)
      world.machine.wallOffset = later
      await world.time.pass(day)
    }
    expect(ends).toEqual([...Array(runs - 1).fill(undefined), 'unresolved'])
    expect(world.posts()).toHaveLength(1)
    expect(world.events).toContainEqual(expect.objectContaining({ code: 'stalledJob' }))
    world.clear()
  },
)

it('of many stalled jobs that no list shows any more each is asked for sooner or later', async () => {
  let hasRecovered = false
  const { run, store, system } = makeWorld({
    state: ({ id }) => (hasRecovered && Number(id.slice('job-'.length)) > 25 ? undefined : 'pending'),
    hidden: () => hasRecovered,
  })
  await run(makeTrials(30), { anyway: true })
  hasRecovered = true
  for (let n = 0; n < 4; n++) {
    await system.clock.sleep(3 * day)
    await run(makeTrials(30))
  }
  expect(listTrials(store, { study: 'ladder' }).filter(({ state }) => state === 'done')).toHaveLength(5)
})
