/** A run against services that tell little, tell it late, or forget. */
import { expect, it } from 'vitest'
import type { JobReading, Page } from '../../../src/workbench/api/reading/readings.ts'
import { listOpenQuestions } from '../../../src/workbench/run/resolve.ts'
import { type RunEvent, runStudy } from '../../../src/workbench/run/run.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { takeSnapshot } from '../../../src/workbench/store/whole-file.ts'
import { runSelect } from '../../support/run-select.ts'
import { day, hour, jobsPerTrial, makeStudy, makeTrials, makeWorld, minute } from './setup.ts'

function warningsIn(events: readonly RunEvent[], code: string): string[] {
  return events.flatMap((event) => (event.kind === 'warning' && event.code === code ? [event.message] : []))
}

it.each(['request', 'nothing'] as const)('a service that echoes %s never makes us guess', async (echoes) => {
  const { run, service } = makeWorld({ echoes, fate: (n) => (n === 1 ? 'answerLost' : 'ok') })
  const summary = await run(makeTrials(4))
  expect(Math.max(...jobsPerTrial(service))).toBe(1)
  expect(summary.stoppedBy).toBe(echoes === 'request' ? null : 'unresolved')
  expect(summary.trials.done).toBe(echoes === 'request' ? 4 : 3)
})

it.each([0, 1, 2])('one that gives jobs names of its own never makes us guess (answer %i is lost)', async (lost) => {
  const { run, service, store, system } = makeWorld({
    echoes: 'nothing',
    page: (page) => ({ ...page, items: page.items.map((job) => ({ ...job, name: `Backtest ${job.id}` })) }),
    fate: (n) => (n === lost ? 'answerLost' : 'ok'),
  })
  expect(await run(makeTrials(4))).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 3 } })
  expect(Math.max(...jobsPerTrial(service))).toBe(1)
  const listed = await service.listJobs()
  if (listed.kind !== 'ok') throw new Error('the service does not answer')
  const sighting = {
    ...{ serviceAccount: { identity: 'https://bots.example#1234', account: '' }, jobs: listed.value.items },
    ...{ unreadable: 0, settleMs: 15 * minute, now: system.clock.wall(), timesAgree: true },
  }
  const possible = listOpenQuestions(store, sighting).flatMap((question) => question.possible ?? [])
  expect(possible.map(({ job }) => job)).toContain(`job-${lost + 1}`)
  expect(possible[0]?.evidence[0]).toBe('it has another name, as jobs of this service may')
})

it.each(['all', 'request'] as const)(
  'two lost answers in one run, the list (of %s) a minute late: each is looked for twice',
  async (echoes) => {
    const lost = new Set([1, 3])
    const { run, service, system } = makeWorld({
      echoes,
      fate: (n) => (lost.has(n) ? 'answerLost' : 'ok'),
      hidden: ({ id, createdAt }) =>
        lost.has(Number(id.slice('job-'.length)) - 1) && system.clock.wall() < createdAt + 15.5 * minute,
    })
    expect(await run(makeTrials(5))).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
    expect(jobsPerTrial(service)).toEqual([1, 1, 1, 1, 1])
  },
)

it('a list that comes in pages is read to its end before absence is believed', async () => {
  const { run, service } = makeWorld({ pageSize: 1, fate: (n) => (n === 0 ? 'answerLost' : 'ok') })
  await run(makeTrials(6))
  expect(jobsPerTrial(service)).toEqual(Array(6).fill(1))
})

it('a request delivered twice is recorded once and said', async () => {
  const { run, service, store, events } = makeWorld({ fate: (n) => (n === 1 ? 'delivered twice' : 'ok') })
  expect(await run(makeTrials(3))).toMatchObject({ trials: { total: 3, done: 3 }, stoppedBy: null })
  expect(service.book).toHaveLength(4)
  await run(makeTrials(3))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'warning', code: 'duplicateRemote' }))
  expect(runSelect(store.path, 'select count(*), sum(duplicate) from job').rows).toEqual([[4, 1]])
  expect(runSelect(store.path, 'select count(*) from results').rows).toEqual([[3]])
})

it.each([
  [0, 14],
  [3, 2],
])('H7: a store that was lost %i days ago is rebuilt from the list: nothing is paid for again', async (days, used) => {
  const lost = makeWorld()
  await lost.run(makeTrials(12))
  const found = makeWorld()
  for (const { request } of lost.service.book) found.service.submitForeign(request)
  await found.system.clock.sleep(days * day)
  const summary = await found.run(makeTrials(14))
  expect(summary).toMatchObject({ trials: { done: 14, reused: 12 }, allowance: { used } })
  expect(found.service.counts.posts).toBe(2)
  expect(found.events.filter(({ kind }) => kind === 'found')).toHaveLength(1)
})

it.each(['', ', after a run that could not read the list'])(
  'H7: a backup of three days ago, restored, pays nothing again%s',
  async (after) => {
    const world = makeWorld()
    await world.run(makeTrials(4))
    const path = `${world.store.path}.backup`
    await takeSnapshot(world.store, { path })
    await world.run(makeTrials(12))
    await world.system.clock.sleep(3 * day)
    const { system, service } = world
    const store = openStore(path, { system })
    const trials = makeTrials(14)
    if (after !== '') {
      const listJobs = () =>
        Promise.resolve({ kind: 'failed', reason: 'HTTP 504', unreachable: true, raw: null } as const)
      const away = Object.assign(Object.create(service), { listJobs })
      const first = await runStudy({ system, store, client: away, study: makeStudy(), trials, options: {} })
      expect(first).toMatchObject({ stoppedBy: 'unreachable', trials: { done: 4 } })
    }
    const summary = await runStudy({ system, store, client: service, study: makeStudy(), trials, options: {} })
    expect(summary).toMatchObject({ trials: { done: 14, reused: 12 }, allowance: { used: 2 } })
    expect(service.counts.posts).toBe(14)
  },
)

it('what others sent days ago is not read as if it counted', async () => {
  const { run, service, system } = makeWorld({ echoes: 'nothing' })
  const [trial] = makeTrials(1)
  const others = makeWorld({ echoes: 'nothing' })
  await others.run([trial])
  for (const { request } of others.service.book) service.submitForeign(request)
  await system.clock.sleep(3 * day)
  expect(await run([trial])).toMatchObject({ allowance: { used: 1 } })
})

it('results are read one by one where the list leaves them out', async () => {
  const { run } = makeWorld({ bareList: true })
  expect(await run(makeTrials(7))).toMatchObject({ trials: { done: 7 }, best: { metrics: { netProfit: 7 } } })
})

it('H18: an unknown state is said, once, and keeps being polled', async () => {
  const { run, system, events } = makeWorld({
    state: () => (system.clock.wall() < Date.UTC(2026, 0, 1, 1) ? 'unknown' : undefined),
  })
  expect(await run(makeTrials(2))).toMatchObject({ trials: { done: 2 } })
  expect(warningsIn(events, 'unknownState')).toEqual([expect.stringContaining('"unknown"')])
})

it('H19, H73: a job that never ends is told of after minutes, stalls after many times what others take, and is not sent again', async () => {
  const { run, service, system, events } = makeWorld({
    durationMs: 2_000,
    state: (job) => (job.request.takeProfit === 2 ? 'pending' : undefined),
  })
  const begun = system.clock.wall()
  expect(await run(makeTrials(3))).toMatchObject({ trials: { done: 2, pending: 1 }, stoppedBy: 'unresolved' })
  expect(service.counts.posts).toBe(3)
  expect(service.counts.reads).toBeLessThan(120)
  expect(system.clock.wall() - begun).toBeGreaterThan(hour)
  expect(system.clock.wall() - begun).toBeLessThan(hour + 4 * minute)
  expect(warningsIn(events, 'stalledJob')).toEqual([
    expect.stringMatching(/job-2 has not ended after 6[1-4] min.*usual: up to 1 min.*: skipped, not sent again/),
  ])
  const slow = events.flatMap((event) => (event.kind === 'progress' ? (event.slowest ?? []) : []))
  expect(slow.at(0)).toMatchObject({ longestMs: expect.closeTo(2_000, -3), stallsAt: expect.closeTo(begun + hour, -4) })
  expect(slow[0].runsForMs).toBeLessThan(6 * minute)
})

it('H19: where no job has ever ended, none has stalled before a day is over', async () => {
  let isDown = false
  const down = { kind: 'failed', reason: 'connection refused', unreachable: true, raw: null } as const
  const { run, service, system, events } = makeWorld({
    state: () => 'pending',
    readFailure: () => (isDown && service.counts.posts === 2 ? down : undefined),
  })
  const begun = system.clock.wall()
  isDown = true
  expect(await run(makeTrials(2))).toMatchObject({ trials: { pending: 2 }, stoppedBy: 'unreachable' })
  isDown = false
  await system.advance(begun + 23.9 * hour - system.clock.wall())
  expect(await run(makeTrials(2))).toMatchObject({ trials: { done: 0, pending: 2 }, stoppedBy: 'unresolved' })
  expect(service.counts.posts).toBe(2)
  expect(system.clock.wall() - begun).toBeGreaterThan(24 * hour)
  expect(warningsIn(events, 'stalledJob')).toHaveLength(2)
})

it('H19: jobs that nobody could look at have not stalled, however long the service was away', async () => {
  const down = { kind: 'failed', reason: 'status 503', unreachable: true, raw: null } as const
  const { run, service, system, events } = makeWorld({
    durationMs: 10_000,
    readFailure: () => (service.counts.posts === 3 && system.clock.wall() < begun + 2 * hour ? down : undefined),
  })
  const begun = system.clock.wall()
  expect(await run(makeTrials(3), { wait: true })).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(system.clock.wall() - begun).toBeGreaterThan(2 * hour)
  expect(warningsIn(events, 'stalledJob')).toEqual([])
})

it('H72: an item of the list without a usable id is named at once, and the others are used', async () => {
  const first = 'item 2 of 3: {"id":".."}'
  const { run, system, events } = makeWorld({ page: (page) => ({ ...page, unreadable: 1, firstUnreadable: first }) })
  const begun = system.clock.wall()
  expect(await run(makeTrials(4))).toMatchObject({ stoppedBy: null, trials: { done: 4 } })
  expect(warningsIn(events, 'unusableItems')).toEqual([expect.stringContaining(first)])
  expect(system.clock.wall() - begun).toBeLessThan(minute)
  // It may be the submission itself: then nothing is taken for absent.
  const unsure = makeWorld({
    page: (page) => ({ ...page, unreadable: 1, firstUnreadable: first }),
    fate: (n) => (n === 1 ? 'requestLost' : 'ok'),
  })
  expect(await unsure.run(makeTrials(4))).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 1 } })
  expect(unsure.service.counts.posts).toBe(2)
})

it('H75: a reason that the list leaves out is read by the id, once', async () => {
  const silent = (page: Page<JobReading>) => ({ ...page, items: page.items.map((job) => ({ ...job, error: null })) })
  const { run, service, store, system } = makeWorld({
    state: ({ request, createdAt }) =>
      request.takeProfit === 2 && system.clock.wall() > createdAt + 50 ? 'failed' : undefined,
    page: silent,
  })
  const asked: string[] = []
  const { readJob } = service
  Object.assign(service, { readJob: (id: string) => [asked.push(id), readJob(id)][1] })
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 2, failed: 1 } })
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'failed', failure: 'no candles' })
  expect(asked).toEqual(['job-2'])
})

it('H74: a list whose next page is always the same is read once more, said, and taken for incomplete', async () => {
  const loops = { page: (page: Page<JobReading>) => ({ ...page, next: '0' }) }
  const { run, service, events } = makeWorld(loops)
  expect(await run(makeTrials(4))).toMatchObject({ stoppedBy: null, trials: { done: 4 } })
  expect(warningsIn(events, 'repeatedPage')).toHaveLength(1)
  expect(service.counts.reads).toBeLessThan(30)
  const unsure = makeWorld({ ...loops, fate: (n) => (n === 1 ? 'requestLost' : 'ok') })
  expect(await unsure.run(makeTrials(4))).toMatchObject({ stoppedBy: 'unresolved' })
  expect(unsure.service.counts.posts).toBe(2)
})

it.each([
  [null, 'scopesUnknown'],
  [['CanUseLab', 'CanTrade'], 'keyCanTrade'],
  [['CanUseLab'], undefined],
])('H54: of a key whose announced scopes are %j is said: %s', async (scopes, said) => {
  const { run, events } = makeWorld({ scopes })
  await run(makeTrials(2))
  await run(makeTrials(2))
  const codes = events.flatMap((event) => (event.kind === 'warning' ? [event.code] : []))
  expect(codes).toEqual(said === undefined ? [] : [said, said])
})

it('H54: of the keys of our own service, which has no money to move, nothing is said', async () => {
  const { run, events } = makeWorld({ scopes: ['CanTrade'], identity: 'embedded:0f3a-77' })
  await run(makeTrials(2))
  expect(events.filter(({ kind }) => kind === 'warning')).toEqual([])
})

it('what was rejected is sent again when that is asked for, and nothing that was done', async () => {
  const { run, service } = makeWorld({ fate: (n) => (n === 1 ? { rejected: 'wanted: market' } : 'ok') })
  expect(await run(makeTrials(3))).toMatchObject({ trials: { done: 2, failed: 1 } })
  expect(await run(makeTrials(3))).toMatchObject({ trials: { done: 2, failed: 1 } })
  expect(service.counts.posts).toBe(3)
  expect(await run(makeTrials(3), { retryRejected: true })).toMatchObject({ trials: { done: 3, failed: 0 } })
  expect(service.counts.posts).toBe(4)
})

it('a job deleted at the service is gone within minutes and is not sent again', async () => {
  const { run, service, store } = makeWorld({ durationMs: hour })
  const running = run(makeTrials(3))
  while (service.book.length < 3) await new Promise(setImmediate) // the run sleeps meanwhile: its first job goes alone
  service.book[1].deleted = true
  expect(await running).toMatchObject({ trials: { done: 2, failed: 1 }, stoppedBy: null })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'gone', failure: 'deleted at the service' })
})

it('an unreachable service ends the run after a while, and the next one continues', async () => {
  let isDown = true
  const down = { kind: 'failed', reason: 'connection refused', unreachable: true, raw: null } as const
  const { run, service } = makeWorld({ readFailure: () => (isDown ? down : undefined) })
  expect(await run(makeTrials(3))).toMatchObject({
    stoppedBy: 'unreachable',
    trials: { total: 3, done: null, pending: null },
  })
  isDown = false
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(service.counts.posts).toBe(3)
})

it('with wait an outage of two hours is outlasted with few requests', async () => {
  const { run, service, system } = makeWorld({
    fate: () => (isDown() ? 'requestLost' : 'ok'),
    readFailure: () => (isDown() ? down : undefined),
  })
  const down = { kind: 'failed', reason: 'status 503', unreachable: true, raw: null } as const
  const start = system.clock.wall()
  const isDown = () => system.clock.wall() > start + 2_000 && system.clock.wall() < start + 2 * hour
  const running = run(makeTrials(4), { wait: true })
  expect(await running).toMatchObject({ stoppedBy: null, trials: { done: 4 } })
  expect(service.counts.posts).toBeLessThanOrEqual(6)
  expect(service.counts.reads).toBeLessThanOrEqual(45)
})
