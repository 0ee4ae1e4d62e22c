/** A service that computes results again after they were paid for: noticed within three runs, by reads alone, and nothing stored is written over. */
import { expect, it } from 'vitest'
import { metricsFromValues } from '../../../src/contract/metrics.ts'
import type { JobReading } from '../../../src/workbench/api/reading/readings.ts'
import { compareResults } from '../../../src/workbench/run/collect.ts'
import { Rereads } from '../../../src/workbench/run/run-state.ts'
import { readTried } from '../../../src/workbench/store/readers.ts'
import { countRevised } from '../../../src/workbench/store/revised-results.ts'
import type { Script } from './scripted-script.ts'
import { day, makeTrials, makeWorld, minute } from './setup.ts'

const identity = 'https://bots.example#1234'

/** 24 trials that were paid for; from then on the service states other numbers for those that `isRevised`. */
async function recomputedWorld(isRevised: (takeProfit: number) => boolean, script: Omit<Script, 'system'> = {}) {
  let isRecomputed = false
  const world = makeWorld({
    ...script,
    netProfit: ({ request: { takeProfit } }) => (isRecomputed && isRevised(takeProfit) ? takeProfit + 1.25 : undefined),
  })
  const trials = makeTrials(24)
  await world.run(trials)
  isRecomputed = true
  const fingerprints = trials.map(({ fingerprint }) => fingerprint)
  const rows = (sql: string) => world.store.db.prepare(sql).raw().all()
  const stored = () => rows('select r.*, p.body from result r join reply p on p.id = r.reply_id order by r.job_id')
  return {
    ...world,
    stored,
    rows,
    count: () => countRevised(world.store, { identity, fingerprints }),
    async again() {
      await world.system.advance(minute)
      const before = { ...world.service.counts }
      await world.run(trials)
      return {
        posts: world.service.counts.posts - before.posts,
        reads: world.service.counts.reads - before.reads,
      }
    },
  }
}

it('results that were computed again are noticed at the first run, by three reads, and both values are kept', async () => {
  const { again, stored, count, events, store } = await recomputedWorld(() => true)
  const before = stored()
  // One asks who it is, and three results are read again; nothing is spent.
  expect(await again()).toEqual({ posts: 0, reads: 4 })
  expect(count()).toEqual({ checked: 3, revised: 3 })
  expect(events).toContainEqual({
    kind: 'warning',
    code: 'revisedResults',
    message: '3 of 3 results read again have changed since they were paid',
  })
  expect(stored()).toEqual(before)
  const [trial] = readTried(store, makeTrials(1)[0].fingerprint)
  expect(trial.metrics?.netProfit).toBe(1)
  expect(trial.revised).toMatchObject([
    { changes: { netProfit: [1, 2.25], roiPercent: [0.1, 0.225] }, takenAt: null, replaced: null, isPending: true },
  ])
})

it('each run reads those that waited longest, and what was met before is kept once', async () => {
  const { again, count, rows } = await recomputedWorld((takeProfit) => takeProfit > 6 && takeProfit <= 9)
  const counts = []
  for (let run = 0; run < 3; run++) {
    await again()
    counts.push(count())
  }
  expect(counts).toEqual([
    { checked: 3, revised: 0 },
    { checked: 6, revised: 0 },
    { checked: 9, revised: 3 },
  ])
  for (let run = 0; run < 5; run++) await again() // once around
  expect(count()).toEqual({ checked: 24, revised: 3 })
  expect(rows('select count(*) from revised_result')).toEqual([[3]])
})

it('a list that shows other numbers has its jobs read sooner, and never without one that waited longest', async () => {
  const { run, system, count, rows } = await recomputedWorld((takeProfit) => takeProfit > 20)
  await system.advance(minute)
  await run(makeTrials(25)) // something to submit, so that the list is read
  expect(count()).toEqual({ checked: 3, revised: 2 })
  const checked = rows('select j.remote_id from result_check c join job j on j.id = c.job_id order by j.id')
  expect(checked).toEqual([['job-1'], ['job-21'], ['job-22']])
})

it('a result that is stated as before again is in question no longer', async () => {
  let extra: number | undefined
  const world = makeWorld({ netProfit: () => extra })
  const trials = makeTrials(2)
  const fingerprints = trials.map(({ fingerprint }) => fingerprint)
  const revised = () => countRevised(world.store, { identity, fingerprints }).revised
  await world.run(trials)
  const seen = []
  for (const stated of [7.5, undefined, 7.5]) {
    extra = stated
    await world.system.advance(day)
    await world.run(trials)
    seen.push(revised())
  }
  expect(seen).toEqual([2, 0, 2])
})

it('neither a dialect that reads otherwise today nor a list of other numbers is a revision', async () => {
  const world = makeWorld({
    page: (page) => ({ ...page, items: page.items.map((job) => ({ ...job, result: otherwise(job.result) })) }),
  })
  const trials = makeTrials(4)
  await world.run(trials)
  world.store.db.exec('update result set orders = orders * 1000') // as an earlier dialect read it
  await world.system.advance(minute)
  await world.run(makeTrials(5))
  const fingerprints = trials.map(({ fingerprint }) => fingerprint)
  expect(countRevised(world.store, { identity, fingerprints })).toEqual({ checked: 3, revised: 0 })
})

it('of many results 2 % are read again, ten at a time, and each once a run', () => {
  const all = Array.from({ length: 1_000 }, (_, at) => ({ jobId: at, remoteId: `job-${at}` }))
  const rereads = new Rereads()
  rereads.noteListedOtherwise('job-900')
  const taken = [1, 2, 3].map(() => rereads.take(() => all).map(({ jobId }) => jobId))
  expect(taken.map(({ length }) => length)).toEqual([10, 10, 0])
  expect(taken.flat()).toEqual([0, 900, ...Array.from({ length: 18 }, (_, at) => at + 1)])
  expect(rereads.isDue).toBe(false)
})

it('our own service is not asked again', async () => {
  const world = makeWorld({ identity: 'embedded:1' })
  await world.run(makeTrials(3))
  await world.system.advance(minute)
  const before = world.service.counts.reads
  await world.run(makeTrials(3))
  expect(world.service.counts.reads - before).toBe(1)
})

it('numbers agree to the last digit of the one that is written with fewer', () => {
  const differ = (was: number, is: number) => {
    const of = (value: number) => metricsOf(value)
    return Object.keys(compareResults(of(was), of(is))).length > 0
  }
  expect(
    [
      [13.2, 13.24],
      [13.2, 13.26],
      [13.21, 13.2149],
      [1853.34, 1853.35],
      [12, 13],
      [0.1 + 0.2, 0.3],
      [1e-7, 3e-7],
    ].map(([was, is]) => differ(was, is)),
  ).toEqual([false, true, false, true, true, false, true])
  expect(compareResults(metricsOf(null), metricsOf(3))).toEqual({})
})

function metricsOf(netProfit: number | null) {
  return metricsFromValues((name) => (name === 'netProfit' ? netProfit : null)) as Parameters<typeof compareResults>[0] // series are not compared
}

/** A list that rounds, cuts or errs. */
function otherwise(result: JobReading['result']): JobReading['result'] {
  return result === null ? null : { ...result, metrics: { ...result.metrics, orders: 25 } }
}
