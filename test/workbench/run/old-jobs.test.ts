/** A service that answers a submission with a job that it made before: nothing is taken for a new backtest, nothing is lost, one is counted. */
import { expect, it } from 'vitest'
import { listOpenQuestions, resolveAttempt } from '../../../src/workbench/run/resolve.ts'
import { emptyOutboxes, putIntoOutbox } from '../../../src/workbench/store/attempts.ts'
import { readSpent } from '../../../src/workbench/store/ledger.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { observation, openIntent } from '../store/setup.ts'
import type { Fate } from './scripted-script.ts'
import { makeTrials, makeWorld, minute, type World } from './setup.ts'

const serviceAccount = { identity: 'https://bots.example#1234', account: '' }

const attemptsOf = ({ store }: World) =>
  store.db.prepare('select state, reply_status, reply_text, reason from attempt order by id').all()
const jobsOf = ({ store }: World) => store.db.prepare('select attempt_id, remote_id from job order by id').all()
const spentOf = ({ store, system }: World) => readSpent(store, { ...serviceAccount, now: system.clock.wall() }).length
const said = ({ events }: World, kind: string) =>
  events.flatMap((event) => (event.kind === kind && 'message' in event ? [event.message] : []))

const sightingOf = async ({ service, system }: World) => {
  const listed = await service.listJobs()
  if (listed.kind !== 'ok') throw new Error('the service does not answer')
  const seen = { serviceAccount, jobs: listed.value.items, unreadable: 0, settleMs: 15 * minute, timesAgree: true }
  return { ...seen, now: system.clock.wall() }
}

it('the job of another trial in an answer stops the run in plain words, is no new job, and counts as spent', async () => {
  const fate = (n: number): Fate => (n === 1 ? { answeredWith: 0 } : 'ok')
  const world = makeWorld({ fate })
  const { run, service, store } = world
  const trials = makeTrials(3)
  expect(await run(trials)).toMatchObject({ stoppedBy: 'refusal', trials: { done: 1, failed: 0 } })
  expect(service.counts.posts).toBe(2)
  expect(jobsOf(world)).toEqual([{ attempt_id: 1, remote_id: 'job-1' }])
  expect(attemptsOf(world)[1]).toEqual({
    state: 'undecided',
    reply_status: 201,
    reply_text: expect.stringContaining('"id":"job-1"'),
    reason: expect.stringMatching(
      /^was answered with job job-1, .* of trial [0-9a-f]{12}, and the list shows no other for it$/,
    ),
  })
  expect(spentOf(world)).toBe(2)
  const [stopped] = said(world, 'stopped')
  expect(stopped).toContain(
    `was answered with job job-1, which is an earlier backtest of trial ${trials[0].fingerprint.slice(0, 12)}`,
  )
  expect(stopped).toContain('one is counted')
  // What it says is to be typed next settles it, and the study goes on.
  const sighting = await sightingOf(world)
  const [{ name }] = listOpenQuestions(store, sighting)
  expect(stopped).toMatch(new RegExp(`^The submission ${name} was .*\`dcalab service jobs resolve\``))
  const told = { store, client: service, sighting, name }
  await expect(resolveAttempt({ ...told, jobId: 'job-1' })).rejects.toMatchObject({ code: 'usage' })
  await resolveAttempt({ ...told, jobId: null })
  expect(await run(trials)).toMatchObject({ stoppedBy: null, trials: { done: 3, failed: 0 } })
  expect(spentOf(world)).toBe(4)
})

it('run --rerun at a service that answers an equal request with the job of before keeps that job and its result', async () => {
  let isAskedAgain = false
  const world = makeWorld({ fate: () => (isAskedAgain ? { answeredWith: 0 } : 'ok') })
  const { run, service, store } = world
  const [trial] = makeTrials(1)
  await run([trial])
  isAskedAgain = true
  expect(await run([trial], { rerun: true })).toMatchObject({ stoppedBy: 'refusal' })
  expect(service.counts.posts).toBe(2)
  expect(jobsOf(world)).toEqual([{ attempt_id: 1, remote_id: 'job-1' }])
  expect(spentOf(world)).toBe(2)
  // Nothing is sent by itself, and once a person has said that it made none, the result of before is the trial’s.
  expect(await run([trial])).toMatchObject({ stoppedBy: 'unresolved' })
  const sighting = await sightingOf(world)
  const [{ name }] = listOpenQuestions(store, sighting)
  await resolveAttempt({ store, client: service, sighting, name, jobId: null })
  expect(await run([trial])).toMatchObject({ stoppedBy: null, trials: { done: 1 } })
  expect(service.counts.posts).toBe(2)
  expect(listTrials(store, { study: 'ladder' })).toMatchObject([{ state: 'done', jobId: 'job-1' }])
})

it('the job that was made nevertheless, under the name of the submission, is found in the list', async () => {
  const world = makeWorld({
    fate: (n, request) => {
      if (n !== 1) return 'ok'
      service.submitForeign(request)
      return { answeredWith: 0 }
    },
  })
  const { run, service } = world
  expect(await run(makeTrials(2))).toMatchObject({ stoppedBy: 'refusal', trials: { done: 2 } })
  expect(spentOf(world)).toBe(2)
  expect(jobsOf(world)).toEqual([
    { attempt_id: 1, remote_id: 'job-1' },
    { attempt_id: 2, remote_id: 'job-2' },
  ])
})

it('such an answer that waits beside the store is taken in as the same, and left to a person', async () => {
  const world = makeWorld()
  const { run, store, system } = world
  const trials = makeTrials(2)
  await run([trials[0]])
  const { id } = await openIntent(store, trials[0].fingerprint, system.clock.wall())
  putIntoOutbox(store, { attemptId: id, at: system.clock.wall(), to: 'acked', observation: observation('job-1') })
  expect(await emptyOutboxes(store)).toBe(1)
  expect(attemptsOf(world)[1]).toMatchObject({ state: 'ambiguous', reply_text: '{"id":"job-1"}' })
  expect(await run(trials)).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 1 } })
  expect(jobsOf(world)).toHaveLength(2)
  expect(attemptsOf(world)[1]).toMatchObject({ state: 'undecided' })
})
