/** H69, H70: a run that follows a search: batch after batch, each written down before anything of it is sent, and the same after a crash at any step. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type RunEvent, runStudy } from '../../../src/workbench/run/run.ts'
import type { Searching } from '../../../src/workbench/store/kept-proposals.ts'
import { holdLock } from '../../../src/workbench/store/lock.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import type { Proposal, TestedProposal } from '../../../src/workbench/study/proposals.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { crashable, judge } from './crashable.ts'
import { scriptedService } from './scripted-service.ts'
import { makeStudy, makeTrials, makeWorld, type World } from './setup.ts'

const study = makeStudy()
const configs = makeTrials(6).map(({ config }) => config)

const propose = (role: Proposal['role'], numbers: readonly number[]): readonly Proposal[] =>
  numbers.map((n) => ({ config: configs[n], role, reason: `${role} ${n}`, markets: study.markets }))

/** Samples, then a batch that depends on what became of them, one of which was a sample; then it has enough. */
function searching(
  stoppedBy: 'enough' | 'agreement' | null = 'enough',
  told: (readonly TestedProposal[])[] = [],
): Searching {
  return {
    period: study.period,
    roles: ['sample', 'chosen'],
    start: () => ({
      propose: async (history) => {
        told.push(history)
        const chosen = history.filter(({ role }) => role === 'chosen')
        if (history.length === 0) return { kind: 'propose', proposals: propose('sample', [0, 1]) }
        if (chosen.length > 0) return { kind: 'end', stoppedBy }
        const done = history.filter(({ results }) => results.every(({ metrics }) => metrics !== null)).length
        return { kind: 'propose', proposals: propose('chosen', done === 2 ? [1, 3, 4] : [5]) }
      },
      describe: (history) => ({ agreement: { n: history.length }, lines: [`${history.length} so far`] }),
    }),
  }
}

const run = (world: World, search: Searching, options = {}) =>
  runStudy({ system: world.system, store: world.store, client: world.service, study, trials: [], search, options })

function proposalsOf({ store }: World) {
  return store.db
    .prepare('select position, batch, role, reason, fingerprint from proposal order by position')
    .raw()
    .all()
}

it('is asked once for each batch, told everything that came of the ones before, and what it proposed twice is paid once', async () => {
  const world = makeWorld()
  const told: (readonly TestedProposal[])[] = []
  const said: string[] = []
  const note = (event: RunEvent) => void (event.kind === 'search' && said.push(event.message))
  const summary = await run(world, searching('enough', told), { onProgress: note })
  expect(said.filter((line) => line.startsWith('sending'))).toEqual([
    'sending sample 0 and sample 1 (2 jobs)',
    'sending chosen 1 to chosen 4 (2 jobs; 1 known already)',
  ])
  expect(summary).toMatchObject({ stoppedBy: 'enough', trials: { total: 4, done: 4, pending: 0 }, agreement: { n: 5 } })
  expect(summary.proposals.map(({ reason }) => reason)).toEqual([
    'sample 0',
    'sample 1',
    'chosen 1',
    'chosen 3',
    'chosen 4',
  ])
  expect(told.map((history) => history.map(({ batch, reason }) => `${batch} ${reason}`))).toEqual([
    [],
    ['1 sample 0', '1 sample 1'],
    ['1 sample 0', '1 sample 1', '2 chosen 1', '2 chosen 3', '2 chosen 4'],
  ])
  expect(world.service.book).toHaveLength(4)
  expect(listTrials(world.store, { study: 'ladder' }).map(({ config }) => config.takeProfit)).toEqual([1, 2, 4, 5])
})

it('what is sent was written down before', async () => {
  const unwritten: number[] = []
  const world = makeWorld({
    fate: (_, { takeProfit }) => {
      const ofTrial = 'select 1 from proposal join trial using (fingerprint) where take_profit_percent = ?'
      if (world.store.db.prepare(ofTrial).get(takeProfit) === undefined) unwritten.push(takeProfit)
      return 'ok'
    },
  })
  await run(world, searching())
  expect(world.service.book).toHaveLength(4)
  expect(unwritten).toEqual([])
})

it('what a search says at its end is what the run was stopped by', async () => {
  for (const stoppedBy of ['enough', 'agreement', null] as const) {
    expect((await run(makeWorld(), searching(stoppedBy))).stoppedBy).toBe(stoppedBy)
  }
})

it('stays in a batch until all of it has ended, also over a limit and a restart', async () => {
  const world = makeWorld()
  expect(await run(world, searching(), { limit: 1 })).toMatchObject({
    stoppedBy: 'limit',
    trials: { total: 2, pending: 1 },
  })
  expect(proposalsOf(world)).toHaveLength(2)
  expect(await run(world, searching(), { limit: 2 })).toMatchObject({ stoppedBy: 'limit', trials: { total: 4 } })
  expect(await run(world, searching())).toMatchObject({ stoppedBy: 'enough', trials: { total: 4, reused: 3 } })
  expect(world.service.book).toHaveLength(4)
})

it('a part of a batch is never told, not even for what is said at the end', async () => {
  const world = makeWorld()
  // Both samples and one more; another of the batch is done because it was a sample.
  const summary = await run(world, searching(), { limit: 3 })
  expect(summary).toMatchObject({ stoppedBy: 'limit', trials: { total: 4, done: 3 }, agreement: { n: 2 } })
})

it('after the store was lost, what the service holds of every batch is known again', async () => {
  const world = makeWorld()
  await run(world, searching())
  const path = join(temporaryFolder(), 'workbench.sqlite')
  const lost = { ...world, store: openStore(path, { system: world.system }) }
  expect(await run(lost, searching())).toMatchObject({ stoppedBy: 'enough', trials: { done: 4, reused: 4 } })
  expect(world.service.book).toHaveLength(4)
})

it('a second program with the key says how far the search is, and asks it nothing', async () => {
  const world = makeWorld()
  await run(world, searching(), { limit: 2 })
  const told: (readonly TestedProposal[])[] = []
  const lock = holdLock(world.store, { identity: 'https://bots.example#1234' })
  const summary = await run(world, searching('enough', told))
  lock.release()
  expect(summary).toMatchObject({ stoppedBy: 'busy', trials: { total: 4, done: 2 }, agreement: { n: 2 } })
  expect(told).toEqual([])
})

it('an edited study searches anew and pays only for what is new; going back to the old one asks nothing again', async () => {
  const world = makeWorld()
  await run(world, searching(), { limit: 2 })
  const edited = { ...study, fingerprint: 'e'.repeat(64) }
  const both = { system: world.system, store: world.store, client: world.service, trials: [], search: searching() }
  expect(await runStudy({ ...both, study: edited })).toMatchObject({
    stoppedBy: 'enough',
    trials: { done: 4, reused: 2 },
  })
  const before = proposalsOf(world)
  expect(await run(world, searching())).toMatchObject({ stoppedBy: 'enough', trials: { done: 4, reused: 4 } })
  expect(proposalsOf(world)).toEqual(before)
  expect(world.service.book).toHaveLength(4)
})

it('the same service under another identity is searched and paid anew', async () => {
  const world = makeWorld()
  await run(world, searching())
  const again = { ...world, service: scriptedService({ system: world.system, identity: 'embedded:another' }) }
  expect(await run(again, searching())).toMatchObject({ stoppedBy: 'enough', trials: { done: 4, reused: 0 } })
  expect(again.service.book).toHaveLength(4)
})

it('run again on purpose, everything proposed is sent once more, and the search goes on from the new results', async () => {
  const world = makeWorld()
  await run(world, searching(), { limit: 2 })
  expect(await run(world, searching(), { rerun: true })).toMatchObject({ stoppedBy: 'enough', trials: { done: 4 } })
  expect(world.service.book).toHaveLength(2 + 4)
  expect(proposalsOf(world)).toHaveLength(5)
})

it('a reserve is left alone in a batch, which goes on when there is room', async () => {
  const world = makeWorld()
  expect(await run(world, searching(), { reserve: 97 })).toMatchObject({
    stoppedBy: 'allowance',
    trials: { total: 4, done: 3, pending: 1 },
  })
  expect(world.service.book).toHaveLength(3)
  expect(await run(world, searching(), { reserve: 96 })).toMatchObject({ stoppedBy: 'enough', trials: { done: 4 } })
})

it('a failure is told as one', async () => {
  const world = makeWorld({ fate: (n) => (n === 0 ? { rejected: 'no' } : 'ok') })
  const told: (readonly TestedProposal[])[] = []
  await run(world, searching('enough', told), { maxRejects: 9 })
  expect(told.at(-1)?.map(({ results: [{ state }] }) => state)).toEqual(['failed', 'done', 'done'])
})

it('a dry run asks no search', async () => {
  const world = makeWorld()
  const told: string[] = []
  const onProgress = (event: RunEvent) => void (event.kind === 'waiting' && told.push(event.message))
  const summary = await run(world, searching(), { dryRun: true, onProgress })
  expect(summary).toMatchObject({ proposals: [], stoppedBy: null })
  expect(told.at(-1)).toContain('then what the search may propose next; nothing was sent')
  expect(world.service.book).toHaveLength(0)
})

it.each(['ok', 'answerLost'] as const)(
  'a crash at any step proposes nothing twice and pays for nothing twice: %s',
  async (fate) => {
    const whole = makeWorld()
    await run(whole, searching())
    const bad: string[] = []
    for (let step = 0; ; step += share({ usual: 4, long: 1 })) {
      const { world, runUntil, clear } = crashable(fate, { trials: [], search: searching() })
      const isThrough = await runUntil(step)
      if (!isThrough) {
        await runUntil(Number.POSITIVE_INFINITY)
        bad.push(...(await judge(world, fate, String(step))))
        expect(proposalsOf(world), `step ${step}`).toEqual(proposalsOf(whole))
      }
      clear()
      if (isThrough) {
        expect(step).toBeGreaterThan(40)
        break
      }
    }
    expect(bad).toEqual([])
  },
)
