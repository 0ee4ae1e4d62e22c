/** H35: something on the way delivers a few requests twice. Every twin is told and kept apart, and no result counts twice. */
import { expect, it } from 'vitest'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { createRandom } from '../../sim/random.ts'
import { runSelect } from '../../support/run-select.ts'
import { makeTrials, makeWorld } from './setup.ts'

const trials = 120

it(`of ${trials} submissions every one delivered twice is flagged and counted once`, async () => {
  const random = createRandom(1)
  const twins: string[] = []
  const { run, service, store, events } = makeWorld({
    allowance: 1000,
    fate: (_, { name }) => {
      // The first of all too: the run had looked at the list just before.
      if (twins.length > 0 && !random.chance(0.03)) return 'ok'
      twins.push(name ?? '')
      return 'delivered twice'
    },
  })
  const options = { allowance: 1000 }
  await run(makeTrials(trials), options)
  // A twin of the last one is seen when the list is read again.
  const again = await run(makeTrials(trials), options)
  expect(again).toMatchObject({ trials: { total: trials, done: trials }, stoppedBy: null })
  expect(service.counts.posts).toBe(trials)
  expect(twins.length).toBeGreaterThan(1)
  expect(service.book).toHaveLength(trials + twins.length)

  const { rows } = runSelect(store.path, 'select name from job where duplicate = 1 order by 1')
  expect(rows.flat()).toEqual(twins.toSorted())
  const told = events.flatMap((event) =>
    event.kind === 'warning' && event.code === 'duplicateRemote' ? [event.message] : [],
  )
  for (const name of twins) expect(told.some((message) => message.includes(name))).toBe(true)
  expect(told.length).toBe(twins.length)

  // The first of both is the trial's job, one result each, and the second is paid for as well.
  const jobs = new Set(listTrials(store, { study: 'ladder' }).map(({ jobId }) => jobId))
  expect(jobs.size).toBe(trials)
  for (const name of twins) {
    const [first, second] = service.book.filter(({ request }) => request.name === name).map(({ id }) => id)
    expect([jobs.has(first), jobs.has(second)]).toEqual([true, false])
  }
  expect(again.allowance?.used).toBe(trials + twins.length)
})
