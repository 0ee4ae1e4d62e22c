/** What only a person can tell: undecided by a run, settled by word, and the study goes on. */
import { expect, it } from 'vitest'
import type { JobReading } from '../../../src/workbench/api/reading/readings.ts'
import { toObservation } from '../../../src/workbench/run/outcome-table.ts'
import { listOpenQuestions, resolveAttempt } from '../../../src/workbench/run/resolve.ts'
import { putIntoOutbox } from '../../../src/workbench/store/attempts.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { jobsPerTrial, makeTrials, makeWorld, minute } from './setup.ts'

const spender = { identity: 'https://bots.example#1234', account: '' }

/** A service that echoes nothing, and an answer that is lost: two jobs could be it. */
async function undecided() {
  const world = makeWorld({ echoes: 'nothing', fate: (n) => (n === 1 ? 'answerLost' : 'ok') })
  await world.run(makeTrials(3))
  await world.system.advance(20 * minute)
  const summary = await world.run(makeTrials(3))
  const { store, service } = world
  const listed = await service.listJobs()
  if (listed.kind !== 'ok') throw new Error('the service does not answer')
  const sighting = {
    ...{ serviceAccount: spender, jobs: listed.value.items, unreadable: 0, settleMs: 15 * minute },
    ...{ now: world.system.clock.wall(), timesAgree: true },
  }
  return { ...world, summary, sighting, resolution: { store, client: service, sighting } }
}

it('a submission that could be any of several jobs waits for a person', async () => {
  const { store, summary, sighting } = await undecided()
  expect(summary).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 2 } })
  expect(listOpenQuestions(store, sighting)).toMatchObject([
    { state: 'undecided', study: 'ladder', reason: expect.stringMatching(/job-2/) },
  ])
})

it('told which job it became, its result is fetched and nothing is paid again', async () => {
  const { run, service, store, sighting, resolution } = await undecided()
  const [{ name }] = listOpenQuestions(store, sighting)
  await resolveAttempt({ ...resolution, name, jobId: 'job-2' })
  expect(listOpenQuestions(store, sighting)).toEqual([])
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'done', jobId: 'job-2' })
})

it('told that it never arrived, it is sent again', async () => {
  const { run, service, store, sighting, resolution } = await undecided()
  const [{ name }] = listOpenQuestions(store, sighting)
  await resolveAttempt({ ...resolution, name, jobId: null })
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(jobsPerTrial(service)).toEqual([1, 2, 1])
})

it('refuses names and jobs that do not fit', async () => {
  const { store, sighting, resolution } = await undecided()
  const [{ name }] = listOpenQuestions(store, sighting)
  await expect(resolveAttempt({ ...resolution, name: 'dcalab-other', jobId: null })).rejects.toThrow(/needs a decision/)
  await expect(resolveAttempt({ ...resolution, name, jobId: 'job-1' })).rejects.toThrow(/already belongs/)
  await expect(resolveAttempt({ ...resolution, name, jobId: 'job-99' })).rejects.toThrow()
  expect(listOpenQuestions(store, sighting)).toHaveLength(1)
})

it('H76: what speaks for each job is said, those that say most first, and jobs that cannot be it are left out', async () => {
  const { store, service, sighting } = await undecided()
  const [{ createdAt, request }] = service.book.slice(1)
  const { takeProfit: _, ...untold } = request
  const named = { ...service.book[1], id: 'named', request: { ...request, name: 'dcalab-other-0123456789ab-1-abcdef' } }
  const alike = { ...service.book[1], id: 'alike', createdAt: createdAt - 2_000, request: untold }
  const reading = async (
    job: (typeof service.book)[number] | typeof alike,
    tellsName: boolean,
  ): Promise<JobReading> => {
    const read = await service.readJob('job-2')
    if (read.kind !== 'ok') throw new Error('job-2 is not there')
    const { exchange, baseAsset, quoteAsset, from, to } = job.request
    return {
      ...read.value,
      id: job.id,
      name: tellsName ? (job.request.name ?? null) : null,
      createdAt: job.createdAt,
      request: {
        market: { exchange, baseAsset, quoteAsset },
        period: { from: Date.parse(from), to: Date.parse(to) },
        interval: null,
        config: job.request,
        settings: null,
      },
    }
  }
  const jobs = [...(sighting.jobs ?? []), await reading(named, true), await reading(alike, false)]
  const [{ possible, arrivesUntil, openedAt }] = listOpenQuestions(store, { ...sighting, jobs })
  expect(Date.parse(arrivesUntil) - Date.parse(openedAt)).toBeGreaterThanOrEqual(15 * minute)
  expect(possible).toEqual([
    {
      job: 'alike',
      state: 'done',
      createdAt: createdAt - 2_000,
      evidence: [
        'it has no name',
        expect.stringMatching(/^created [12] s before the submission was sent$/),
        expect.stringMatching(/^it asks for the same market binance\/BTC-USDT, period, .*; not shown: takeProfit$/),
      ],
    },
    expect.objectContaining({
      job: 'job-2',
      evidence: ['it has no name', 'created 0 s after it was sent', 'it does not show its request'],
    }),
  ])
})

it('H76: with the service away it is taken from a person that it never arrived, once it cannot arrive any more', async () => {
  const { run, service, store, sighting, resolution } = await undecided()
  const away = { ...sighting, jobs: null }
  const [{ name, possible }] = listOpenQuestions(store, away)
  expect(possible).toBeNull()
  const early = { ...away, now: Date.parse(listOpenQuestions(store, away)[0].arrivesUntil) - 1 }
  await expect(resolveAttempt({ ...resolution, sighting: early, name, jobId: null })).rejects.toMatchObject({
    code: 'attemptUnresolved',
    message: expect.stringContaining('may still arrive until'),
  })
  const from1970 = { ...away, now: 0, timesAgree: false }
  await expect(resolveAttempt({ ...resolution, sighting: from1970, name, jobId: null })).rejects.toMatchObject({
    code: 'clockWrong',
  })
  expect(listOpenQuestions(store, away)).toHaveLength(1)
  const reads = service.counts.reads
  await resolveAttempt({ ...resolution, sighting: away, name, jobId: null })
  expect(service.counts.reads).toBe(reads)
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
})

it('a submission whose name a job of the list has did arrive, whatever a person says', async () => {
  const { store, sighting, resolution } = await undecided()
  const [{ name }] = listOpenQuestions(store, sighting)
  const jobs = (sighting.jobs ?? []).map((job) => (job.id === 'job-2' ? { ...job, name } : job))
  const told = { ...resolution, sighting: { ...sighting, jobs }, name, jobId: null }
  await expect(resolveAttempt(told)).rejects.toMatchObject({
    message: expect.stringContaining('job job-2 goes by its name'),
    hint: `dcalab service jobs resolve ${name} --job job-2`,
  })
  // Ids are the service's words, and a hint is pasted into a shell.
  const hostile = jobs.map((job) => (job.id === 'job-2' ? { ...job, id: '2; rm -r ~' } : job))
  await expect(resolveAttempt({ ...told, sighting: { ...sighting, jobs: hostile } })).rejects.toMatchObject({
    hint: `dcalab service jobs resolve ${name} --job '2; rm -r ~'`,
  })
})

it('an answer that waits beside the store, because the disk was full, is taken in before a person’s word', async () => {
  let dies = true
  const { run, service, store, system } = makeWorld({
    onRequest: (when) => {
      if (dies && when === 'after' && service.counts.posts > 0) throw new Error('the program ended here')
    },
  })
  await expect(run(makeTrials(1))).rejects.toThrow('the program ended here')
  dies = false
  const sighting = {
    ...{ serviceAccount: spender, jobs: null, unreadable: 0, settleMs: 15 * minute },
    ...{ now: system.clock.wall() + 20 * minute, timesAgree: true },
  }
  const [{ name }] = listOpenQuestions(store, sighting)
  const answered = await service.readJob('job-1')
  if (answered.kind !== 'ok') throw new Error('job-1 is not there')
  const observation = toObservation({ ...answered.value, state: 'pending' }, answered.raw.receivedAt)
  putIntoOutbox(store, { attemptId: 1, at: system.clock.wall(), to: 'acked', observation })
  const told = resolveAttempt({ store, client: service, sighting, name, jobId: null })
  await expect(told).rejects.toMatchObject({ code: 'notFound' })
  expect(await run(makeTrials(1))).toMatchObject({ stoppedBy: null, trials: { done: 1 } })
  expect(service.counts.posts).toBe(1)
})
