/**
 * H8: nobody knows which operations a service counts. Sixteen services — rejects, failed jobs, deletions and deleted jobs each counted or
 * not — with limits that tell and with limits that do not: never asked for more than they give, and little left unused.
 */
import { describe, expect, it } from 'vitest'
import { deleteJob } from '../../../src/workbench/run/resolve.ts'
import { readKnownJobs } from '../../../src/workbench/store/known-jobs.ts'
import { readSpent } from '../../../src/workbench/store/ledger.ts'
import { calmWorld, start } from '../../sim/calm-world.ts'
import type { Counter } from '../../sim/counters.ts'
import type { BookedJob, SimService } from '../../sim/service.ts'
import { share } from '../../support/share.ts'
import { day, minute } from './setup.ts'

interface Policy {
  readonly rejects: boolean
  readonly failed: boolean
  readonly deletions: boolean
  readonly deleted: boolean
}

const yesNo = [true, false]
const POLICIES: readonly Policy[] = yesNo.flatMap((rejects) =>
  yesNo.flatMap((failed) =>
    yesNo.flatMap((deletions) => yesNo.map((deleted) => ({ rejects, failed, deletions, deleted }))),
  ),
)
/** Five of them, in which every two answers meet in every way: all no, and all yes but one. */
const PLAIN = POLICIES.filter((policy) => [0, 3].includes(Object.values(policy).filter(Boolean).length))
/** Three of these, in which every answer is yes and no. */
const FEWEST = PLAIN.filter(({ failed, deletions }) => failed === deletions)
const count = 10

/** A sliding day over the service's own book, in which some things do not count and others do. */
function counterOf(policy: Policy, service: () => SimService): Counter {
  const noted: number[] = []
  const isCounted = (job: BookedJob, at: number) =>
    (policy.deleted || !service().deleted.has(job.id)) && (policy.failed || !job.fails || job.endsAt > at)
  const counted = (at: number) =>
    [
      ...service()
        .book.filter((job) => isCounted(job, at))
        .map(({ createdAt }) => createdAt),
      ...noted,
    ]
      .filter((time) => time > at - day)
      .sort((a, b) => a - b)
  return {
    admit: (at) => counted(at).length < count,
    note: (at, what) => {
      if (what === 'reject' ? policy.rejects : policy.deletions) noted.push(at)
    },
    used: (at) => Math.min(count, counted(at).length),
    nextAt: (at) => (counted(at).at(-count) ?? Number.NaN) + day || null,
  }
}

function makeWorld(policy: Policy, tellsLimits: boolean, windowType: 'sliding' | null) {
  const world: ReturnType<typeof calmWorld> = calmWorld({
    allowance: counterOf(policy, () => world.service),
    allowanceCount: count,
    windowType,
    tellsLimits,
    failingShare: 0.15,
    rejects: ({ takeProfit }) => Number(takeProfit) % 5 === 0,
  })
  /** As `dcalab service jobs delete` does. */
  const remove = (jobId: string) =>
    world.live(async ({ store, client }) => {
      const met = await client.identify()
      if (met.kind !== 'ok') throw new Error('the service does not say who it is')
      const service = met.value
      return deleteJob({ store, client, service, serviceAccount: { identity: service.identity, account: '' }, jobId })
    })
  return { world, remove }
}

describe.each([
  ['limits that tell nothing', false, null, PLAIN],
  ['limits that tell numbers', true, null, FEWEST],
  ['limits that tell numbers and a sliding window', true, 'sliding', FEWEST],
] as const)('%s', (_, tellsLimits, windowType, usual) => {
  it.each(share({ usual, long: POLICIES }))(
    'counted or not: rejects $rejects, failed $failed, deletions $deletions, deleted $deleted',
    async (policy) => {
      const { world, remove } = makeWorld(policy, tellsLimits, windowType)
      await world.run(6, { allowance: count, wait: false })
      const removed = world.service.book.slice(0, 2)
      for (const { id } of removed) expect(await remove(id)).toMatchObject({ kind: 'acked' })
      await world.time.pass(20 * minute)
      expect(await world.run(20, { allowance: count })).toMatchObject({ stoppedBy: null, trials: { pending: 0 } })
      expect(world.service.refused.allowance).toBe(0)
      expect(new Set(world.service.book.map(({ config }) => config)).size).toBe(world.service.book.length)
      // What may be wasted in a day are rejects and deletions that the service did not count.
      const firstDay = world.posts().filter((at) => at < start + day).length
      expect(firstDay).toBeGreaterThanOrEqual(count - (tellsLimits && !policy.deletions ? 0 : removed.length))
      world.clear()
    },
  )
})

describe('deleting a job', () => {
  const usual = { rejects: false, failed: true, deleted: true }

  it('leaves its own unit spent, and takes one more where the service counts deletions or does not say', async () => {
    for (const [deletions, tellsLimits, more] of [
      [false, true, 0],
      [true, true, 1],
      [false, false, 1],
      [true, false, 1],
    ] as const) {
      const { world, remove } = makeWorld({ ...usual, deletions }, tellsLimits, null)
      await world.run(4, { allowance: count })
      await remove(world.service.book[0].id)
      const spent = await world.live(async ({ store, client }) => {
        const met = await client.identify()
        const identity = met.kind === 'ok' ? met.value.identity : ''
        return readSpent(store, { identity, account: '', now: world.time.now }).length
      })
      expect(spent).toBe(4 + more)
      world.clear()
    }
  })

  it('that is not there changes nothing the service does not count', async () => {
    const { world, remove } = makeWorld({ ...usual, deletions: true }, true, null)
    await world.run(2, { allowance: count })
    expect(await remove('nobody')).toMatchObject({ kind: 'rejected', status: 404 })
    expect(await world.run(3, { allowance: count })).toMatchObject({ allowance: { used: 3 } })
    world.clear()
  })
})

it('30 jobs deleted elsewhere do not make the list untrustworthy for ever', async () => {
  const gone = 30
  const world = calmWorld({ fate: (n) => (n === gone + 3 ? 'resetBefore' : 'ok') })
  await world.run(gone + 2)
  for (const { id } of world.service.book.slice(0, gone)) {
    world.service.handle(
      { method: 'DELETE', url: `https://sim.example/api/backtest/jobs/${id}`, body: undefined, send: 0 },
      world.time.now,
    )
  }
  expect(await world.run(gone + 6)).toMatchObject({ stoppedBy: null, trials: { done: gone + 6 } })
  expect(new Set(world.service.book.map(({ config }) => config)).size).toBe(world.service.book.length)
  const listed = await world.live(async ({ store, client }) => {
    const met = await client.identify()
    const known = readKnownJobs(store, { identity: met.kind === 'ok' ? met.value.identity : '', account: '' })
    return [...known.values()].filter((job) => job.listed).length
  })
  expect(listed).toBe(6)
  world.clear()
})
