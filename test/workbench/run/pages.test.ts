/** H24: a list in pages, that grows and shrinks while it is read, or breaks off. Absence is believed only of what was read to its end. */
import { describe, expect, it } from 'vitest'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { type CalmWorld, calmWorld } from '../../sim/calm-world.ts'
import type { Answer, ArrivedRequest } from '../../sim/service.ts'
import { makeTrials, makeWorld, minute } from './setup.ts'

const isList = ({ method, url }: ArrivedRequest) => method === 'GET' && /backtest\/jobs\?/.test(url)
const isLaterPage = (request: ArrivedRequest) => isList(request) && /offset=[1-9]/.test(request.url)
const remove = (world: CalmWorld, id: string) =>
  world.service.handle(
    { method: 'DELETE', url: `https://sim.example/api/backtest/jobs/${id}`, body: undefined, send: 0 },
    world.time.now,
  )

function expectOneEach({ service }: CalmWorld, trials: number): void {
  const ours = service.book.filter(({ send }) => send !== null).map(({ config }) => config)
  expect(ours).toHaveLength(trials)
  expect(new Set(ours).size).toBe(trials)
}

describe.each([1, 7, 20, 1000])('%i jobs to a page', (pageSize) => {
  it.each([
    ['grows', 'resetAfter'],
    ['grows', 'resetBefore'],
    ['shrinks', 'resetAfter'],
    ['shrinks', 'resetBefore'],
  ] as const)('a list that %s between two pages, after a submission that met %s', async (change, fate) => {
    let strangers = 1_000
    let changes = 0
    const world: CalmWorld = calmWorld({
      pageSize,
      // Only the numbers of 24 strangers and of ours: nothing else is to be counted here.
      allowanceCount: 1_000,
      allowance: { admit: () => true, note: () => {}, used: () => 0, nextAt: () => null },
      fate: (n) => (n === 2 ? fate : 'ok'),
      instead: (_, request) => {
        if (!isLaterPage(request) || changes++ >= 40) return undefined
        if (change === 'grows') world.service.submitForeign(strangers++, world.time.now)
        else {
          const newest = world.service.book.findLast(({ id, send }) => send === null && !world.service.deleted.has(id))
          if (newest !== undefined) remove(world, newest.id)
        }
        return undefined
      },
    })
    for (let n = 0; n < 24; n++) world.service.submitForeign(n, world.time.now)
    const options = { allowance: 1_000 }
    expect(await world.run(4, options)).toMatchObject({ stoppedBy: null, trials: { done: 4 } })
    expectOneEach(world, 4)
    if (pageSize <= 20) expect(changes).toBeGreaterThan(0)
    world.clear()
  })
})

it('a job that slips from one page to another while they are read is not taken for absent', async () => {
  let lostAt = Number.POSITIVE_INFINITY
  let hasSlipped = false
  const world: CalmWorld = calmWorld({
    pageSize: 3,
    echoes: 'request',
    longestJobMs: 200,
    fate: (n, at) => {
      if (n !== 2) return 'ok'
      lostAt = at
      world.time.at(at + minute, () => {
        for (let k = 0; k < 3; k++) world.service.submitForeign(k, world.time.now)
      })
      return 'resetAfter'
    },
    // The first list that may decide: ours heads the second page, until one job before it is gone.
    instead: (_, request) => {
      if (hasSlipped || !isLaterPage(request) || world.time.now < lostAt + 14 * minute) return undefined
      hasSlipped = true
      const newest = world.service.book.findLast(({ send }) => send === null)
      if (newest !== undefined) remove(world, newest.id)
      return undefined
    },
  })
  expect(await world.run(5)).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
  expect(hasSlipped).toBe(true)
  expectOneEach(world, 5)
  world.clear()
})

it('a list whose later pages cannot be read decides nothing, and ends the run; when they can, nothing is sent twice', async () => {
  let isBroken = false
  const unavailable: Answer = { status: 500, body: '{}', headers: { 'content-type': 'application/json' } }
  const world = calmWorld({
    pageSize: 2,
    // Names would settle it on the first page.
    echoes: 'request',
    fate: (n) => {
      if (n !== 4) return 'ok'
      isBroken = true
      return 'resetAfter'
    },
    instead: (_, request) => {
      // Strangers push ours off the first page.
      if (isBroken && isList(request))
        for (let n = 0; n < 2; n++) world.service.submitForeign(strangers++, world.time.now)
      return isBroken && isLaterPage(request) ? unavailable : undefined
    },
  })
  let strangers = 0
  for (let n = 0; n < 3; n++) {
    const summary = await world.run(8, { wait: false })
    expect(summary?.stoppedBy).toBe('unreachable')
    expect(world.posts()).toHaveLength(5)
    const states = await world.live(async ({ store }) =>
      listTrials(store, { study: 'ladder' }).map(({ state }) => state),
    )
    expect(states.slice(4)).toEqual(['unknown', 'planned', 'planned', 'planned'])
    await world.time.pass(60 * minute)
  }
  isBroken = false
  expect(await world.run(8)).toMatchObject({ stoppedBy: null, trials: { done: 8 } })
  expectOneEach(world, 8)
  world.clear()
})

it('a list that ends after its first page without saying so decides nothing', async () => {
  let isCut = false
  const world = makeWorld({
    echoes: 'request',
    fate: (n) => {
      if (n !== 4) return 'ok'
      isCut = true
      // Newer jobs of another client fill the first page.
      const [{ request }] = world.service.book
      for (let k = 0; k < 3; k++) world.service.submitForeign({ ...request, takeProfit: 500 + k })
      return 'answerLost'
    },
    hidden: (job) => isCut && world.service.book.indexOf(job) !== 4 + 3 && world.service.book.indexOf(job) !== 4 + 2,
  })
  expect(await world.run(makeTrials(7))).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 4 } })
  expect(listTrials(world.store, { study: 'ladder' })[4]).toMatchObject({ state: 'unknown' })
  expect(world.service.counts.posts).toBe(5)
  isCut = false
  expect(await world.run(makeTrials(7))).toMatchObject({ stoppedBy: null, trials: { done: 7 } })
  expect(world.service.counts.posts).toBe(7)
})

it('beside a list with an item that cannot be read, jobs that it does not show are read by their ids', async () => {
  const { run, service, store } = makeWorld({
    page: (page) => {
      const others = page.items.filter(({ id }) => id !== 'job-2')
      return { ...page, items: others, unreadable: 1, firstUnreadable: 'item 1 has no id' }
    },
  })
  expect(await run(makeTrials(3))).toMatchObject({ stoppedBy: null, trials: { done: 3 } })
  expect(service.counts.posts).toBe(3)
  expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'done', jobId: 'job-2' })
})

it('nothing is taken for deleted beside a list with an item that cannot be read', async () => {
  const { run, service, store, system } = makeWorld({
    page: (page) => ({ ...page, unreadable: 1, firstUnreadable: 'item 1 has no id' }),
    state: (job) => {
      if (job.id !== 'job-2') return undefined
      job.deleted = true // from its first answer on, neither the list nor its id shows it
      return 'pending'
    },
  })
  expect(await run(makeTrials(2))).toMatchObject({ stoppedBy: 'unresolved', trials: { done: 1, failed: 0 } })
  for (let again = 0; again < 3; again++) {
    expect(listTrials(store, { study: 'ladder' })[1]).toMatchObject({ state: 'stalled' })
    await system.advance(2 * minute)
    await run(makeTrials(2))
  }
  expect(service.counts.posts).toBe(2)
})
