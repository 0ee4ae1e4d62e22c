/** What only a person can tell: parked by a run, settled by word, and the study goes on. */
import { expect, it } from 'vitest'
import { listOpenQuestions, resolveAttempt } from '../../../src/workbench/run/resolve.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { jobsPerTrial, makeTrials, makeWorld, minute } from './setup.ts'

const spender = { identity: 'https://bots.example#1234', account: '' }

/** A service that echoes nothing, and an answer that is lost: two jobs could be it. */
async function parked() {
  const world = makeWorld({ echoes: 'nothing', fate: (n) => (n === 1 ? 'answerLost' : 'ok') })
  await world.run(makeTrials(3))
  await world.system.advance(20 * minute)
  const summary = await world.run(makeTrials(3))
  const { store, service } = world
  const listed = await service.listJobs()
  if (listed.kind !== 'ok') throw new Error('the service does not answer')
  const sighting = {
    ...{ spender, jobs: listed.value.jobs, settleMs: 15 * minute },
    ...{ now: world.system.clock.wall(), timesAgree: true },
  }
  return { ...world, summary, sighting, resolution: { store, client: service, sighting } }
}

it('a submission that could be any of several jobs waits for a person', async () => {
  const { store, summary, sighting } = await parked()
  expect(summary).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 2 } })
  expect(listOpenQuestions(store, sighting)).toMatchObject([
    { state: 'parked', study: 'ladder', reason: expect.stringMatching(/job-2/) },
  ])
})

it('told which job it became, its result is fetched and nothing is paid again', async () => {
  const { run, service, store, sighting, resolution } = await parked()
  const [{ name }] = listOpenQuestions(store, sighting)
  await resolveAttempt({ ...resolution, name, jobId: 'job-2' })
  expect(listOpenQuestions(store, sighting)).toEqual([])
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'done', jobId: 'job-2' })
})

it('told that it never arrived, it is sent again', async () => {
  const { run, service, store, sighting, resolution } = await parked()
  const [{ name }] = listOpenQuestions(store, sighting)
  await resolveAttempt({ ...resolution, name, jobId: null })
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(jobsPerTrial(service)).toEqual([1, 2, 1])
})

it('refuses names and jobs that do not fit', async () => {
  const { store, sighting, resolution } = await parked()
  const [{ name }] = listOpenQuestions(store, sighting)
  await expect(resolveAttempt({ ...resolution, name: 'dcalab-other', jobId: null })).rejects.toThrow(
    /waits to be settled/,
  )
  await expect(resolveAttempt({ ...resolution, name, jobId: 'job-1' })).rejects.toThrow(/already belongs/)
  await expect(resolveAttempt({ ...resolution, name, jobId: 'job-99' })).rejects.toThrow()
  expect(listOpenQuestions(store, sighting)).toHaveLength(1)
})
