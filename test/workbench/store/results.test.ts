/** Replies first and byte for byte, numbers only when they are numbers, the first end of a job stays its end. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRIC_NAMES, METRICS, type MetricsAsRead } from '../../../src/contract/metrics.ts'
import type { ResultReading } from '../../../src/contract/result-reading.ts'
import { openAttempt, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { recordDeleted, recordObservations } from '../../../src/workbench/store/jobs.ts'
import { keepMarketDays } from '../../../src/workbench/store/observe-job.ts'
import { listTrials, readTried } from '../../../src/workbench/store/readers.ts'
import { reparseReplies } from '../../../src/workbench/store/reparse.ts'
import { unpacked } from '../../../src/workbench/store/replies.ts'
import { resultColumns } from '../../../src/workbench/store/results.ts'
import { readSpending } from '../../../src/workbench/store/spending.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { recordStudyRun, startStudyRun } from '../../../src/workbench/store/studies.ts'
import { VIEW_ROWS } from '../../../src/workbench/store/views.ts'
import { behaviourHash } from '../../../src/workbench/study/behaviour.ts'
import { testSystem } from '../../support/system.ts'
import { scriptedService } from '../run/scripted-service.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { identity, observation, openIntent, openTemporary, openWithStudy, start, submit } from './setup.ts'

const result = await sampleResult()

/** What a service would answer for the first trial. */
async function sampleResult(): Promise<ResultReading> {
  const system = testSystem({ sleep: 'jump' })
  const service = scriptedService({ system })
  const [{ config, market }] = makeTrials(1)
  service.submitForeign({ ...config, ...market, strategyType: 'DCA_SPOT', from: '2021-04-21', to: '2021-05-19' })
  await system.clock.sleep(1_000)
  const job = await service.readJob('job-1')
  if (job.kind !== 'ok' || job.value.result === null) throw new Error('The sample has no result')
  return job.value.result
}

function done(remoteId: string, more: Partial<ResultReading> = {}, body = '{"state":"done"}') {
  return observation(remoteId, { state: 'done', remoteState: 'completed', result: { ...result, ...more }, body })
}

function record(store: Store, ...observations: ReturnType<typeof observation>[]) {
  return recordObservations(store, { identity, observations })
}

it('a result comes back as it was understood', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  expect(await record(store, done('job-1'))).toBe(1)
  const [trial] = readTried(store, trials[0].fingerprint)
  expect(trial).toMatchObject({ ...trials[0], state: 'done', jobId: 'job-1', metricFlags: {}, simulated: false })
  expect(trial.metrics).toEqual(result.metrics)
  expect(trial.candles).toEqual(result.candles)
  expect(trial.conventions).toEqual(result.conventions)
  expect(trial.costs).toEqual(result.costs)
  expect(trial.deals).toEqual([])
})

describe('the name of a behaviour', () => {
  const deal = {
    openedAt: '2024-01-01T00:00:00.000Z',
    closedAt: '2024-01-01T01:00:00.000Z',
    exit: 'takeProfit',
  } as const
  const money = { quantity: 0.1, cost: 10, proceeds: 11, profit: 1, price: 110, lowestValue: -2.5 }
  const deals = [{ ...deal, safetyOrders: 1, ...money }]
  const dailyEquity = [{ date: '2024-01-01', equity: 1001 }]
  const metrics = { ...result.metrics, closedDeals: 1, openDeal: false, dailyEquity }
  const whole = { ...result, deals, metrics, openDeal: null, flags: {} }

  it('is kept with a result', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    await record(store, done('job-1', whole))
    const known = behaviourHash({ deals, openDeal: null, dailyEquity })
    expect(store.db.prepare('select behaviour_hash from results').all()).toEqual([{ behaviour_hash: known }])
  })

  it('has the same daily equity where that is read when it is asked for', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    await record(store, done('job-1', whole))
    const later = listTrials(store, { study: 'ladder', isEquityLater: true })
    expect(later).toEqual(listTrials(store, { study: 'ladder' }))
    store.db.prepare(`update result set daily_equity_json = '[]'`).run()
    expect(later[0].metrics?.dailyEquity).toEqual([])
  })

  it.each<readonly [string, Partial<ResultReading>]>([
    ['the reply holds no deals', { deals: null }],
    ['some of its deals could not be read', { flags: { deals: '1 of 2 deals could not be read' } }],
    ['it counts more deals than it lists', { metrics: { ...metrics, closedDeals: 2 } }],
    ['its open deal could not be read', { metrics: { ...metrics, openDeal: true } }],
    ['it holds no equity', { metrics: { ...metrics, dailyEquity: [] } }],
  ])('is null where %s', (_, missing) => {
    expect(resultColumns(whole).behaviour_hash).toMatch(/^[0-9a-f]{64}$/)
    expect(resultColumns({ ...whole, ...missing }).behaviour_hash).toBeNull()
  })

  it('comes to a result that has none when its reply is read again', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    const seen = done('job-1', whole)
    await record(store, seen)
    store.db.prepare('update result set behaviour_hash = null').run()
    const report = await reparseReplies(store, { accepts: () => true, dryRun: false, reread: () => seen })
    expect(report.columns).toMatchObject({ behaviour_hash: 1 })
    expect(store.db.prepare('select behaviour_hash from results').get()).toEqual({
      behaviour_hash: behaviourHash({ deals, openDeal: null, dailyEquity }),
    })
  })
})

it('whatever stands in a reply is kept byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2_000 }), async (body) => {
      const { store, trials } = await openWithStudy(1)
      await submit(store, trials[0].fingerprint, 'job-1')
      await record(store, observation('job-1', { body }))
      const stored = store.db.prepare<[], { body: Uint8Array }>('select body from reply').all()
      store.close()
      return stored.some((reply) => unpacked(reply.body) === body)
    }),
    { numRuns: 30 },
  )
})

it('the same reply three times is one row, and the first end stays the end', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  for (let n = 0; n < 3; n++) await record(store, done('job-1'))
  const poorer = done('job-1', { metrics: { ...result.metrics, netProfit: -1 } }, '{"state":"done","poorer":true}')
  expect(await record(store, poorer)).toBe(0)
  expect(await record(store, observation('job-1', { state: 'failed', failure: 'no', body: '{"late":1}' }))).toBe(0)
  expect(store.db.prepare('select count(*) as n from reply where final = 1').get()).toEqual({ n: 3 })
  expect(listTrials(store, { study: 'ladder' })[0]).toMatchObject({
    state: 'done',
    failure: null,
    metrics: { netProfit: 1 },
  })
})

describe('a number that is none', () => {
  const broken = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
  it('never reaches a column, and is never missed in silence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METRIC_NAMES), broken, async (name, value) => {
        const { store, trials } = await openWithStudy(1)
        await submit(store, trials[0].fingerprint, 'job-1')
        await record(store, done('job-1', { metrics: withMetric(result.metrics, name, value) }))
        const row = store.db
          .prepare<[], { value: unknown; flags: string }>(
            `select ${METRICS[name].column} as value, metric_flags_json as flags from result`,
          )
          .get()
        store.close()
        return row?.value === null && name in JSON.parse(row.flags)
      }),
      { numRuns: 40 },
    )
  })

  it('a count that is not whole is flagged', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    await record(store, done('job-1', { metrics: { ...result.metrics, closedDeals: 1.5 } }))
    expect(listTrials(store, { study: 'ladder' })[0].metricFlags).toEqual({
      closedDeals: 'expected a whole number, found 1.5',
    })
  })

  it('a result that cannot be read at all leaves the trial done without metrics', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    await record(store, observation('job-1', { state: 'done', body: '<html>' }))
    expect(listTrials(store, { study: 'ladder' })[0]).toMatchObject({
      state: 'done',
      metrics: null,
      metricFlags: { result: expect.any(String) },
    })
  })
})

function withMetric(metrics: MetricsAsRead, name: string, value: number): MetricsAsRead {
  const [head, tail] = name.split('.')
  const inner: unknown = Reflect.get(metrics, head)
  const changed = tail === undefined ? value : { ...Object(inner), [tail]: value }
  return { ...metrics, [head]: changed }
}

it('a failed job tells why in the service’s words', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  await record(store, observation('job-1', { state: 'failed', failure: 'NoCandles: none', finishedAt: start }))
  expect(listTrials(store, { study: 'ladder' })[0]).toMatchObject({
    state: 'failed',
    failure: 'NoCandles: none',
    finishedAt: '2026-01-01T00:00:00.000Z',
  })
})

it('deleting a finished job at the service takes nothing from us', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  await submit(store, trials[1].fingerprint, 'job-2')
  await record(store, done('job-1'))
  await recordDeleted(store, { jobId: 1, at: start })
  await recordDeleted(store, { jobId: 2, at: start })
  expect(listTrials(store, { study: 'ladder' }).map(({ state }) => state)).toEqual(['done', 'gone', 'planned'])
})

it('answers rank by the objective of the study, ties by fingerprint', async () => {
  const { store, trials } = await openWithStudy(4)
  for (const [n, profit] of [5, 7, 5, 1].entries()) {
    await submit(store, trials[n].fingerprint, `job-${n}`)
    await record(store, done(`job-${n}`, { metrics: { ...result.metrics, netProfit: profit } }))
  }
  const rows = store.db
    .prepare<[], { rank: number; fingerprint: string }>('select rank, fingerprint from answers order by rank')
    .all()
  const tied = [trials[0].fingerprint, trials[2].fingerprint].sort()
  expect(rows.map(({ fingerprint }) => fingerprint)).toEqual([trials[1].fingerprint, ...tied, trials[3].fingerprint])
})

it('spending counts what may have been counted, and apart from it what was free', async () => {
  const { store, trials } = await openWithStudy()
  await submit(store, trials[0].fingerprint, 'job-1')
  await record(store, done('job-1'))
  const { id } = await openIntent(store, trials[1].fingerprint)
  store.db.prepare("update attempt set state = 'released', settled_at = opened_at where id = ?").run(id)
  expect(readSpending(store, { study: 'ladder', identity })).toMatchObject({
    attempts: 1,
    refused: 1,
    firstSubmittedAt: '2026-01-01T00:00:00.000Z',
  })
})

it('spending of a fresh account does not count what another account has spent on the same service', async () => {
  const { store, trials, system } = await openWithStudy()
  const service = { identity, simulated: true, origin: 'http://127.0.0.1' }
  const runAs = async (account: string, submissions: number) => {
    const run = await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null })
    for (const { fingerprint } of trials.slice(0, submissions)) {
      const request = {
        identity,
        account,
        study: 'ladder',
        fingerprint,
        now: system.clock.wall(),
        settingsId: null,
        runId: null,
        admit: () => true,
      }
      const attempt = await openAttempt(store, request)
      if (attempt === 'full') throw new Error('The ledger is full')
      const job = observation(`job-${attempt.id}`)
      await settleAttempt(store, { attemptId: attempt.id, at: attempt.openedAt, to: 'acked', observation: job })
    }
    await system.clock.sleep(1_000)
    await recordStudyRun(store, { id: run.id, requests: 10 * submissions, stoppedBy: null })
    await system.clock.sleep(1_000)
  }
  await runAs('demo@localhost', 3)
  await runAs('demo-1@localhost', 2)
  expect(readSpending(store, { study: 'ladder', identity })).toMatchObject({ attempts: 2, requests: 20 })
})

it('a column that is said to be never NULL is not, with a finished trial, a running one and a planned one', async () => {
  const { store, trials } = await openWithStudy(3)
  await submit(store, trials[0].fingerprint, 'job-1')
  await record(store, done('job-1'))
  await submit(store, trials[1].fingerprint, 'job-2')
  const wrong = Object.entries(VIEW_ROWS).flatMap(([view, { columns }]) =>
    Object.entries(columns)
      .filter(([name, { whenNull }]) => {
        const nulls = store.db.prepare(`select 1 from ${view} where ${name} is null`).all()
        return whenNull === null && nulls.length > 0
      })
      .map(([name]) => `${view}.${name}`),
  )
  expect(store.db.prepare('select * from answers').all()).toHaveLength(1)
  expect(wrong).toEqual([])
})

it('a part of a day never takes the place of what is known of it', () => {
  const { store } = openTemporary()
  const day = {
    market: 'x/A-B',
    candle_interval: '1h',
    candles_hash: 'c',
    date: '2024-01-01',
    open: 1,
    high: 3,
    low: 1,
    close: 2,
  }
  const keep = (close: number, date: string, isWhole: boolean) => {
    store.db.transaction(() => keepMarketDays(store.db, [{ ...day, date, close }], () => isWhole))()
    return store.db.prepare('select close from market_day where date = ?').pluck().get(date)
  }
  expect([keep(2, day.date, true), keep(1, day.date, false), keep(3, day.date, true)]).toEqual([2, 2, 3])
  expect(keep(1, '2024-01-02', false)).toBe(1)
})
