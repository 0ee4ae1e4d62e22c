/**
 * The same trials asked for at one fee and then, by the edited study, at another: the program dies at every step on the way. The service's
 * book is the judge: on our own service one job for each trial and fee, on any other one for each trial, and every result in the store.
 */
import { expect, it } from 'vitest'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { readStages } from '../../../src/workbench/store/readers.ts'
import type { Settings } from '../../../src/workbench/study/settings.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { Crash, crashingStore } from './crashing.ts'
import type { Fate } from './scripted-script.ts'
import { makeStudy, makeTrials, makeWorld, minute, type World } from './setup.ts'

const trials = makeTrials(1)
const own = 'embedded:0f3a-77'
const FEES = [0.1, 0.5]
const [first, edited] = FEES

const studyAt = (feePercent: number) => ({
  ...makeStudy(),
  fingerprint: String(FEES.indexOf(feePercent)).repeat(64),
  costs: { feePercent, slippagePercent: 0 },
})

/** As a run on our own service asks. */
function settingsAt(feePercent: number): Settings {
  const { conventions, costs } = studyAt(feePercent)
  return { interval: '1m', conventions: { ...conventions }, costs, symbol: null }
}

interface Mortal {
  readonly world: World
  /** Whether it came to its end before step n. */
  run(feePercent: number, dieAt?: number): Promise<boolean>
  clear(): void
}

/** `unlucky`: the submission that meets the fate, from 0. */
function mortal({ identity, fate, unlucky }: { identity: string; fate: Fate; unlucky: number }): Mortal {
  let left = Number.POSITIVE_INFINITY
  const step = () => {
    if (left-- === 0) throw new Crash()
  }
  const folder = folderInMemory()
  const world = makeWorld({ identity, fate: (n) => (n === unlucky ? fate : 'ok'), onRequest: step }, folder)
  const store = crashingStore(world.store, step)
  return {
    world,
    run: async (feePercent, dieAt = Number.POSITIVE_INFINITY) => {
      left = dieAt
      const { system, service: client } = world
      const options = { loopback: true, settingsOn: () => settingsAt(feePercent) }
      try {
        await runStudy({ system, store, client, study: studyAt(feePercent), trials, options })
        return true
      } catch (error) {
        if (error instanceof Crash) return false
        throw error
      }
    },
    clear: () => {
      world.store.close()
      removeFolder(folder)
    },
  }
}

async function judge({ service, store, system }: World, identity: string): Promise<string[]> {
  // Whatever is still on its way arrives before the books are compared.
  await system.advance(minute)
  await service.limits()
  const isOwn = identity === own
  const paid = service.book.map(({ request }) => `${request.takeProfit} at ${request.settings?.costs?.feePercent}`)
  const wanted = trials.flatMap(({ config }) =>
    isOwn ? FEES.map((fee) => `${config.takeProfit} at ${fee}`) : [`${config.takeProfit} at undefined`],
  )
  const known = store.db.prepare<[], string>("select remote_id from job where state = 'done'").pluck().all()
  const missing = FEES.flatMap((fee) => {
    const settings = isOwn ? settingsAt(fee) : null
    const fingerprints = trials.map(({ fingerprint }) => fingerprint)
    const done = [...readStages(store, { identity, fingerprints, settings }).values()].filter(
      ({ state }) => state === 'done',
    )
    return done.length === trials.length ? [] : [`${done.length} known at ${fee}`]
  })
  return [
    ...(paid.sort().join() === wanted.sort().join() ? [] : [`paid for ${paid.join(', ')}`]),
    ...service.book.filter(({ id }) => !known.includes(id)).map(({ id }) => `lost ${id}`),
    ...missing,
  ]
}

/** Steps from one death to the next. */
const every = share({ usual: 5, long: 1 })

/** Every step of the first study and of the edited one; after a death the other one comes first, in long runs also the same one. */
async function dieEverywhere(world: Parameters<typeof mortal>[0]): Promise<{ deaths: number; bad: string[] }> {
  const bad: string[] = []
  let deaths = 0
  for (const [dying, before, ...orders] of [
    [first, [], [edited, first], [first, edited]],
    [edited, [first], [first, edited], [edited, first]],
  ] as const) {
    for (const after of share({ usual: orders.slice(0, 1), long: orders })) {
      for (let step = deaths % every; ; step += every) {
        const life = mortal(world)
        for (const fee of before) await life.run(fee)
        const isThrough = await life.run(dying, step)
        for (const fee of after) await life.run(fee)
        const where = `dying at ${dying}, step ${step}, then ${after.join(' and ')}`
        bad.push(...(await judge(life.world, world.identity)).map((what) => `${where}: ${what}`))
        life.clear()
        if (isThrough) break
        deaths++
      }
    }
  }
  return { deaths, bad }
}

/** What becomes of a submission: of the first study's or of the edited one's. */
const FATES: readonly (readonly [string, Fate, number])[] = [
  ['the answer to the first study is lost', 'answerLost', 0],
  ['the request of the edited study arrives late', { arrivesLate: 4_000 }, 1],
  ['the answer to the edited study is lost', 'answerLost', 1],
  ['the request of the first study arrives late', { arrivesLate: 4_000 }, 0],
]

it.each(share({ usual: FATES.slice(0, 1), long: FATES }))(
  '%s: a crash at any step loses no trial at either fee and pays for none twice',
  async (_, fate, unlucky) => {
    const { deaths, bad } = await dieEverywhere({ identity: own, fate, unlucky })
    expect(bad).toEqual([])
    expect(deaths).toBeGreaterThan(30 / every)
  },
)

it('on a service that is not ours the edited study is answered with what was paid for, whatever crashed', async () => {
  const { bad } = await dieEverywhere({ identity: 'https://bots.example#1', fate: 'answerLost', unlucky: 0 })
  expect(bad).toEqual([])
})

it('a lost store finds both results of every trial again', async () => {
  const life = mortal({ identity: own, fate: 'ok', unlucky: 0 })
  for (const fee of FEES) await life.run(fee)
  const { system, service } = life.world
  const fresh = makeWorld({ identity: own })
  for (const fee of FEES) {
    const run = {
      system,
      store: fresh.store,
      client: service,
      study: studyAt(fee),
      trials,
      options: { loopback: true, settingsOn: () => settingsAt(fee) },
    }
    expect((await runStudy(run)).trials).toMatchObject({ done: 1, reused: 1 })
  }
  expect(service.counts.posts).toBe(2)
  expect(await judge({ ...fresh, service }, own)).toEqual([])
  life.clear()
})
