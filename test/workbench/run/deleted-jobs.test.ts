/** H20: a job is gone when the service says so twice, a minute apart, and shows no trace of it; one odd 404 says nothing. */
import { expect, it } from 'vitest'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { calmWorld, start } from '../../sim/calm-world.ts'
import type { Answer } from '../../sim/service.ts'
import { minute } from './setup.ts'

const notFound: Answer = {
  status: 404,
  body: '{"error":{"code":"NotFound","message":"no such job"}}',
  headers: { 'content-type': 'application/json' },
}
const slow = { shortestJobMs: 25 * minute, longestJobMs: 30 * minute }

const statesOf = (world: ReturnType<typeof calmWorld>) =>
  world.live(async ({ store }) => listTrials(store, { study: 'ladder' }).map(({ state }) => state))

it('a job deleted at any moment of its life is gone within five minutes, and is not sent again', async () => {
  // At any moment between two wide looks, which are three minutes apart.
  for (const deletedAt of [0, 37, 74, 111, 148].map((seconds) => 10 * minute + seconds * 1_000)) {
    const world = calmWorld(slow)
    const stop = new AbortController()
    world.time.at(start + deletedAt, () => {
      const { id } = world.service.book[1]
      const url = `https://sim.example/api/backtest/jobs/${id}`
      world.service.handle({ method: 'DELETE', url, body: undefined, send: 0 }, world.time.now)
    })
    world.time.at(start + deletedAt + 5 * minute, () => stop.abort(new Error('enough')))
    expect(await world.run(3, { signal: stop.signal })).toMatchObject({ stoppedBy: 'interrupt' })
    expect(await statesOf(world)).toEqual(['running', 'gone', 'running'])
    expect(await world.run(3)).toMatchObject({ stoppedBy: null, trials: { done: 2, failed: 1 } })
    expect(world.posts()).toHaveLength(3)
    world.clear()
  }
})

it('one of three answers is a false 404, for as long as the jobs run and when they have ended: none is gone', async () => {
  let asked = 0
  let denied = 0
  const world = calmWorld({
    ...slow,
    bareList: true,
    // Jobs hide from the list as well, so that they are asked for one by one.
    instead: (_, { method, url }) => {
      if (method !== 'GET' || !url.includes('/backtest/jobs')) return undefined
      if (/backtest\/jobs\?/.test(url) && isHiding()) return empty
      if (/backtest\/jobs\//.test(url) && asked++ % 3 === 0) {
        denied++
        return notFound
      }
      return undefined
    },
  })
  const isHiding = () => world.time.now > start + minute && world.time.now < start + 20 * minute
  expect(await world.run(5)).toMatchObject({ stoppedBy: null, trials: { done: 5, failed: 0 } })
  expect(denied).toBeGreaterThan(10)
  expect(await statesOf(world)).toEqual(Array(5).fill('done'))
  expect(world.posts()).toHaveLength(5)
  world.clear()
})

const empty: Answer = { status: 200, body: '{"jobs":[],"next":null}', headers: { 'content-type': 'application/json' } }

/** The list says that jobs ended and leaves their results out; the ids that `isDenied` names are answered with 404. */
const bareWorld = (isDenied: (n: number) => boolean) => {
  let asked = 0
  return calmWorld({
    bareList: true,
    instead: (_, { method, url }) =>
      method === 'GET' && /backtest\/jobs\//.test(url) && isDenied(asked++) ? notFound : undefined,
  })
}

const resultsOf = (world: ReturnType<typeof calmWorld>) =>
  world.live(async ({ store }) =>
    listTrials(store, { study: 'ladder' }).map(({ state, metrics }) => [state, (metrics?.netProfit ?? null) !== null]),
  )

it('one false 404 when a job that ended is read for its result does not lose the result', async () => {
  const world = bareWorld((n) => n === 0)
  expect(await world.run(2)).toMatchObject({ stoppedBy: null, trials: { done: 2 } })
  expect(await resultsOf(world)).toEqual([
    ['done', true],
    ['done', true],
  ])
  world.clear()
})

it('a job that ended by the list, and is not found for its result for a minute, is taken without one', async () => {
  const world = bareWorld(() => true)
  expect(await world.run(2)).toMatchObject({ stoppedBy: null, trials: { done: 2 } })
  expect(await resultsOf(world)).toEqual([
    ['done', false],
    ['done', false],
  ])
  expect(world.time.now).toBeGreaterThanOrEqual(start + minute)
  world.clear()
})

it('one that is gone, and is listed as ended later, is asked for once more, not at every list that shows it', async () => {
  let isListed = false
  let asked = 0
  const world = calmWorld({
    bareList: true,
    instead: (_, { method, url }) => {
      if (method !== 'GET') return undefined
      if (/backtest\/jobs\?/.test(url)) return isListed ? undefined : empty
      if (!url.endsWith(`/backtest/jobs/${world.service.book.at(0)?.id}`)) return undefined
      asked++
      return notFound
    },
  })
  expect(await world.run(1)).toMatchObject({ stoppedBy: null, trials: { done: 0, failed: 1 } })
  expect(await statesOf(world)).toEqual(['gone'])
  isListed = true
  asked = 0
  for (const trials of [2, 3]) await world.run(trials)
  expect(await statesOf(world)).toEqual(['done', 'done', 'done'])
  expect(asked).toBe(1)
  world.clear()
})
