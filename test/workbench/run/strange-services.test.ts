/** A run against services that tell little, tell it late, or forget. */
import { expect, it } from 'vitest'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { runSelect } from '../../../src/workbench/store/sql.ts'
import { hour, jobsPerTrial, makeTrials, makeWorld } from './setup.ts'

it.each(['request', 'nothing'] as const)('a service that echoes %s never makes us guess', async (echoes) => {
  const { run, service } = makeWorld({ echoes, fate: (n) => (n === 1 ? 'answerLost' : 'ok') })
  const summary = await run(makeTrials(4))
  expect(Math.max(...jobsPerTrial(service))).toBe(1)
  expect(summary.stoppedBy).toBe(echoes === 'request' ? null : 'unresolved')
  expect(summary.trials.done).toBe(echoes === 'request' ? 4 : 3)
})

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
  expect(runSelect(store.path, 'select count(*), sum(duplicate) from runs').rows).toEqual([[4, 1]])
})

it('a lost store is rebuilt from the list: nothing is paid for again', async () => {
  const lost = makeWorld()
  await lost.run(makeTrials(60))
  const found = makeWorld()
  for (const { request } of lost.service.book) found.service.submitForeign(request)
  const summary = await found.run(makeTrials(70))
  expect(summary).toMatchObject({ trials: { done: 70, reused: 60 }, allowance: { used: 70 } })
  expect(found.service.counts.posts).toBe(10)
})

it('results are read one by one where the list leaves them out', async () => {
  const { run } = makeWorld({ bareList: true })
  expect(await run(makeTrials(7))).toMatchObject({ trials: { done: 7 }, best: { metrics: { netProfit: 7 } } })
})

it('an unknown state keeps being polled', async () => {
  const { run, system } = makeWorld({
    state: () => (system.clock.wall() < Date.UTC(2026, 0, 1, 1) ? 'unknown' : undefined),
  })
  expect(await run(makeTrials(2))).toMatchObject({ trials: { done: 2 } })
})

it('a job that never ends stalls after a day and is not sent again', async () => {
  const { run, service } = makeWorld({ state: (job) => (job.request.takeProfit === 2 ? 'pending' : undefined) })
  expect(await run(makeTrials(3))).toMatchObject({ trials: { done: 2, pending: 1 }, stoppedBy: 'unresolved' })
  expect(service.counts.posts).toBe(3)
  expect(service.counts.reads).toBeLessThan(24 * 60 * 3)
})

it('a job deleted at the service is gone within minutes and is not sent again', async () => {
  const { run, service, store } = makeWorld({ durationMs: hour })
  const running = run(makeTrials(3))
  while (service.book.length < 3) await Promise.resolve()
  service.book[1].deleted = true
  expect(await running).toMatchObject({ trials: { done: 2, failed: 1 }, stoppedBy: null })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'gone', failure: 'deleted at the service' })
})

it('an unreachable service ends the run after a while, and the next one continues', async () => {
  let isDown = true
  const down = { kind: 'failed', reason: 'connection refused', unreachable: true, raw: null } as const
  const { run, service } = makeWorld({ readFailure: () => (isDown ? down : undefined) })
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: 'unreachable', trials: { pending: 3 } })
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
