/** A list proves absence only when it is whole: all of its pages, and everything of ours that must be in it. */
import { expect, it } from 'vitest'
import { jobsPerTrial, makeTrials, makeWorld, minute } from './setup.ts'

it('an unanswered submission on a later page of the list is found', async () => {
  let pushed = false
  const world = makeWorld({
    pageSize: 2,
    fate: (n) => (n === 1 ? 'answerLost' : 'ok'),
    onRequest: (when) => {
      const { service } = world
      if (when === 'before' || pushed || service.book.length < 2) return
      pushed = true
      // Another client's jobs push ours to the second page.
      for (let n = 0; n < 3; n++)
        service.submitForeign({ ...service.book[0].request, name: `other-${n}`, takeProfit: 500 + n })
    },
  })
  expect(await world.run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(jobsPerTrial(world.service)).toEqual([1, 1, 1, 1, 1, 1])
})

it('a list that lags behind proves nothing', async () => {
  const world = makeWorld({
    fate: (n) => (n === 1 ? 'answerLost' : 'ok'),
    durationMs: 40 * minute,
    hidden: ({ createdAt }) => world.system.clock.wall() < createdAt + 17 * minute,
  })
  expect(await world.run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(jobsPerTrial(world.service)).toEqual([1, 1, 1])
})
