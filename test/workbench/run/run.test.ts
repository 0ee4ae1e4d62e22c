/** A run, from the first request to the summary, against a service whose book is known. */
import { expect, it } from 'vitest'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { runSelect } from '../../support/run-select.ts'
import { day, hour, jobsPerTrial, makeStudy, makeTrials, makeWorld, minute } from './setup.ts'

it('a study is submitted, collected and ranked', async () => {
  const { run, service, store } = makeWorld()
  const summary = await run(makeTrials(12))
  expect(summary).toMatchObject({
    study: 'ladder',
    trials: { total: 12, done: 12, failed: 0, reused: 0, pending: 0 },
    allowance: { limit: 100, used: 12, available: 88, nextAt: null, source: null },
    best: { config: { takeProfit: 12 }, metrics: { netProfit: 12, profitFactor: null, openDeal: true } },
    stoppedBy: null,
  })
  expect(summary.requests).toBe(service.counts.posts + service.counts.reads)
  expect(listTrials(store, { study: 'ladder' }).map(({ state }) => state)).toEqual(Array(12).fill('done'))
  const { rows } = runSelect(store.path, 'select count(*), sum(net_profit), min(take_profit_percent) from results')
  expect(rows).toEqual([[12, 78, 1]])
})

it('what is known is never paid for again', async () => {
  const { run, service } = makeWorld()
  await run(makeTrials(5))
  const again = await run(makeTrials(8))
  expect(again.trials).toEqual({ total: 8, done: 8, failed: 0, reused: 5, pending: 0 })
  expect(service.counts.posts).toBe(8)
})

it('a rerun pays again, once', async () => {
  const { run, service } = makeWorld()
  await run(makeTrials(3))
  const again = await run(makeTrials(3), { rerun: true })
  expect(again.trials).toMatchObject({ done: 3, reused: 0 })
  expect(jobsPerTrial(service)).toEqual([2, 2, 2])
})

it('a rerun that was stopped is continued by the next', async () => {
  const { run, service } = makeWorld()
  await run(makeTrials(3))
  await run(makeTrials(3), { rerun: true, limit: 2 })
  await run(makeTrials(3), { rerun: true, limit: 1 })
  expect(jobsPerTrial(service)).toEqual([2, 2, 2])
})

it('costs few requests besides the submissions', async () => {
  const { run, service } = makeWorld({ durationMs: 3_000 })
  const summary = await run(makeTrials(60), { loopback: true })
  expect(summary.stoppedBy).toBeNull()
  expect(service.counts.posts).toBe(60)
  expect(service.counts.reads).toBeLessThanOrEqual(25)
})

it('130 trials stop at the allowance, and continue a day later', async () => {
  const { run, service, system } = makeWorld()
  const first = await run(makeTrials(130))
  expect(first).toMatchObject({
    trials: { done: 100, pending: 30 },
    allowance: { available: 0 },
    stoppedBy: 'allowance',
  })
  const nextAt = Date.parse(first.allowance?.nextAt ?? '')
  expect(nextAt - system.clock.wall()).toBeGreaterThan(day - minute)
  expect(nextAt - system.clock.wall()).toBeLessThan(day + 2 * minute)
  await system.advance(day + 2 * minute)
  const second = await run(makeTrials(130))
  expect(second).toMatchObject({ trials: { done: 130, reused: 100, pending: 0 }, stoppedBy: null })
  expect(jobsPerTrial(service)).toEqual(Array(130).fill(1))
})

it('with wait it sleeps until the allowance reopens', async () => {
  const { run, service } = makeWorld({ allowance: 20 })
  const summary = await run(makeTrials(46), { wait: true, allowance: 20 })
  expect(summary).toMatchObject({ trials: { done: 46 }, stoppedBy: null })
  expect(service.counts.posts).toBe(46) // none was refused
})

it('the reserve is left alone', async () => {
  const { run, service } = makeWorld()
  expect(await run(makeTrials(30), { reserve: 90 })).toMatchObject({ stoppedBy: 'allowance', trials: { done: 10 } })
  expect(service.book).toHaveLength(10)
})

it('a refused submission keeps its place', async () => {
  const { run, service } = makeWorld({
    fate: (n) => (n === 2 ? { refused: 'ApiKeyRateLimit', status: 429 } : 'ok'),
  })
  const summary = await run(makeTrials(4))
  expect(summary).toMatchObject({ trials: { done: 4, failed: 0 }, allowance: { used: 4 }, stoppedBy: null })
  expect(service.book.map(({ request }) => request.takeProfit)).toEqual([1, 2, 3, 4])
  expect(service.counts.posts).toBe(5)
})

it('another client that spends the allowance stops the run without failing a trial', async () => {
  const { run, service, system } = makeWorld({ allowance: 10 })
  const [request] = makeTrials(1).map(({ config, market }) => ({
    ...config,
    ...market,
    strategyType: 'DCA_SPOT' as const,
    from: '2020-01-01T00:00:00.000Z',
    to: '2020-02-01T00:00:00.000Z',
  }))
  for (let n = 0; n < 6; n++) service.submitForeign({ ...request, name: `other-${n}` })
  const summary = await run(makeTrials(8))
  expect(summary).toMatchObject({ trials: { done: 4, failed: 0, pending: 4 }, stoppedBy: 'allowance' })
  // Its limits say that less is left than we know of, so it is asked, and not tried, when that is used up.
  expect(service.counts.posts).toBe(4)
  expect(Date.parse(summary.allowance?.nextAt ?? '') - system.clock.wall()).toBeLessThanOrEqual(day)
  expect(summary.allowance?.source).toBe('reported')
  await system.advance(day + 2 * minute)
  expect(await run(makeTrials(8))).toMatchObject({ trials: { done: 8 }, stoppedBy: null })
})

it('with wait a full service is asked at most once an hour', async () => {
  let refused = 0
  const { run, service, system, events } = makeWorld({
    fate: () => {
      const isFull = system.clock.wall() < Date.UTC(2026, 0, 1, 20)
      if (isFull) refused++
      return isFull ? { refused: 'ApiKeyBacktestLimit', status: 429 } : 'ok'
    },
  })
  expect(await run(makeTrials(3), { wait: true })).toMatchObject({ trials: { done: 3, failed: 0 }, stoppedBy: null })
  expect(refused).toBeLessThanOrEqual(21)
  expect(service.counts.posts).toBe(refused + 3)
  // It never said until when.
  const closed = events.filter((event) => event.kind === 'progress' && event.source === 'recheck')
  expect(closed.length).toBeGreaterThanOrEqual(20)
  expect(closed.every((event) => 'windows' in event && event.windows === null && event.leftMs === null)).toBe(true)
  const waits = events.flatMap((event) => (event.kind === 'waiting' ? [event.message] : []))
  expect(waits[0]).toMatch(
    /^waiting for the daily limit: the service is full and gives no time; asked again at 2026-01-01T01:00:\d\dZ$/,
  )
})

it.each([
  ['ApiKeyInvalid', 401],
  ['AuthRequired', 401],
  ['ApiKeyScope', 403],
  ['ApiKeyAddress', 403],
  ['WrongAddress', 404],
] as const)('%s stops the run at once and keeps every trial planned', async (refused, status) => {
  const { run, service } = makeWorld({ fate: (n) => (n >= 3 ? { refused, status } : 'ok') })
  const summary = await run(makeTrials(9))
  expect(summary).toMatchObject({ stoppedBy: 'refusal', trials: { failed: 0 }, allowance: { used: 3 } })
  expect(service.counts.posts).toBe(4)
})

it('H28: a service that refuses everything stops the run after three rejects', async () => {
  const { run, service, store } = makeWorld({ fate: () => ({ rejected: 'unknown field' }) })
  expect(await run(makeTrials(9))).toMatchObject({ stoppedBy: 'rejects', trials: { failed: 3, pending: 6 } })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' }).at(0)).toMatchObject({ state: 'failed', failure: 'unknown field' })
})

it('H27: a bad configuration fails alone and is not sent again', async () => {
  const { run, service } = makeWorld({
    fate: (_, { takeProfit }) => (takeProfit % 3 === 0 ? { rejected: 'no' } : 'ok'),
  })
  expect(await run(makeTrials(12))).toMatchObject({ stoppedBy: null, trials: { done: 8, failed: 4 } })
  await run(makeTrials(12))
  expect(service.counts.posts).toBe(12)
})

it('an answer that is lost is found in the list and costs nothing twice', async () => {
  const { run, service, events } = makeWorld({ fate: (n) => (n === 1 ? 'answerLost' : 'ok') })
  expect(await run(makeTrials(5))).toMatchObject({ stoppedBy: null, trials: { done: 5 }, allowance: { used: 5 } })
  expect(jobsPerTrial(service)).toEqual([1, 1, 1, 1, 1])
  expect(events.some(({ kind }) => kind === 'resolved')).toBe(true)
})

it('a request that never arrived is planned again after it can no longer arrive, and costs one unit', async () => {
  const { run, service } = makeWorld({ fate: (n) => (n === 1 ? 'requestLost' : 'ok') })
  expect(await run(makeTrials(5))).toMatchObject({ stoppedBy: null, trials: { done: 5 }, allowance: { used: 6 } })
  expect(jobsPerTrial(service)).toEqual([1, 1, 1, 1, 1])
})

it('H3: a request that arrives within the settle time is not sent twice', async () => {
  const late = { arrivesLate: 10 * minute }
  const { run, service } = makeWorld({ fate: (n) => (n === 1 ? late : 'ok') })
  await run(makeTrials(5))
  expect(jobsPerTrial(service)).toEqual([1, 1, 1, 1, 1])
})

it('a settle time shorter than the delay does send it twice: the settle time is what protects', async () => {
  const late = { arrivesLate: 10 * minute }
  const { run, service, system } = makeWorld({ fate: (n) => (n === 1 ? late : 'ok'), durationMs: 20 * minute })
  await run(makeTrials(5), { settleMs: 2 * minute })
  await system.advance(hour)
  await run(makeTrials(5))
  expect(Math.max(...jobsPerTrial(service))).toBe(2)
})

it('after an interrupt nothing new is sent, and the state is kept', async () => {
  const interrupt = new AbortController()
  const { run, service } = makeWorld({
    fate: (n) => {
      if (n === 2) interrupt.abort(new Error('Ctrl-C'))
      return 'ok'
    },
  })
  expect(await run(makeTrials(9), { signal: interrupt.signal })).toMatchObject({ stoppedBy: 'interrupt' })
  expect(service.counts.posts).toBe(3)
  expect(await run(makeTrials(9))).toMatchObject({ stoppedBy: null, trials: { done: 9 } })
  expect(jobsPerTrial(service)).toEqual(Array(9).fill(1))
})

it('the limit submits so many and no more', async () => {
  const { run, service } = makeWorld()
  expect(await run(makeTrials(9), { limit: 4 })).toMatchObject({ stoppedBy: 'limit', trials: { done: 4, pending: 5 } })
  expect(service.counts.posts).toBe(4)
})

it('a dry run sends nothing and keeps nothing', async () => {
  const { run, service, store } = makeWorld()
  expect(await run(makeTrials(9), { dryRun: true })).toMatchObject({ stoppedBy: null, trials: { pending: 9 } })
  expect(service.counts).toEqual({ posts: 0, reads: 1 })
  expect(runSelect(store.path, 'select count(*) from studies').rows).toEqual([[0]])
})

it('warns once when the service’s costs differ from the study’s', async () => {
  const { run, events } = makeWorld({ feePercent: 0.2 })
  await run(makeTrials(3))
  expect(events.filter((event) => event.kind === 'warning').map(({ code }) => code)).toEqual(['termsDiffer'])
})

it('two services in one store share neither results nor allowance', async () => {
  const first = makeWorld()
  await first.run(makeTrials(3))
  const other = makeWorld({ identity: 'embedded:abc' })
  const summary = await runStudy({
    system: other.system,
    store: first.store,
    client: other.service,
    study: makeStudy(),
    trials: makeTrials(3),
  })
  expect(summary).toMatchObject({ trials: { done: 3, reused: 0 }, allowance: { used: 3 } })
  expect(
    runSelect(first.store.path, 'select identity, sum(simulated) from results group by 1 order by 1').rows,
  ).toEqual([
    ['embedded:abc', 3],
    ['https://bots.example#1234', 0],
  ])
})

it('two accounts of the embedded service have an allowance each', async () => {
  const { run } = makeWorld({ identity: 'embedded:abc', allowance: 1000 })
  await run(makeTrials(10), { account: 'demo@localhost', allowance: 10 })
  const summary = await run(makeTrials(12), { account: 'researcher@localhost', allowance: 10 })
  expect(summary).toMatchObject({ trials: { done: 12, reused: 10 }, stoppedBy: null })
})
