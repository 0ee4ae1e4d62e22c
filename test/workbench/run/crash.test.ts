/**
 * The program dies between any two steps — before and after every request, before and after every commit — and is started again.
 * The service's book is the judge: one job per trial, and every finished one's result in the store.
 */
import { describe, expect, it } from 'vitest'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { Crash, crashingStore } from './crashing.ts'
import type { Fate } from './scripted-script.ts'
import type { ScriptedService } from './scripted-service.ts'
import { jobsPerTrial, makeStudy, makeTrials, makeWorld, minute, type World } from './setup.ts'

const trials = makeTrials(3)

const FATES: Readonly<Record<string, Fate>> = {
  'every request is answered': 'ok',
  'one answer is lost': 'answerLost',
  'one request is lost': 'requestLost',
  'one request arrives late': { arrivesLate: 4_000 },
  'one request is delivered twice': 'delivered twice',
  'one request never leaves': 'notSent',
  'one request is refused': { refused: 'ApiKeyRateLimit', status: 429 },
}

describe.each(Object.entries(FATES))('%s', (_, fate) => {
  it('a crash at any step neither loses nor doubles a job', async () => {
    const { crashes, bad } = await crashEverywhere(fate)
    expect(bad).toEqual([])
    expect(crashes).toBeGreaterThan(30)
  })
})

it('two crashes in a row are no worse than one', async () => {
  const bad: string[] = []
  for (let first = 0; first < 45; first += 7) {
    for (let second = 0; second < 30; second += 6) {
      const { world, runUntil, clear } = crashable('answerLost')
      await runUntil(first)
      await runUntil(second)
      await runUntil(Number.POSITIVE_INFINITY)
      bad.push(...(await judge(world, 'answerLost', `${first}, ${second}`)))
      clear()
    }
  }
  expect(bad).toEqual([])
})

async function crashEverywhere(fate: Fate): Promise<{ crashes: number; bad: string[] }> {
  const bad: string[] = []
  for (let step = 0; ; step++) {
    const { world, runUntil, clear } = crashable(fate)
    const isThrough = await runUntil(step)
    if (!isThrough) {
      await runUntil(Number.POSITIVE_INFINITY)
      bad.push(...(await judge(world, fate, String(step))))
    }
    clear()
    if (isThrough) return { crashes: step, bad }
  }
}

/** A world whose program dies at a given step; `runUntil` answers whether it came to its end before. */
function crashable(fate: Fate): { world: World; runUntil: (step: number) => Promise<boolean>; clear: () => void } {
  let left = Number.POSITIVE_INFINITY
  const step = () => {
    if (left-- === 0) throw new Crash()
  }
  const folder = folderInMemory()
  const world = makeWorld({ fate: (n) => (n === 1 ? fate : 'ok'), onRequest: step }, folder)
  const store = crashingStore(world.store, step)
  return {
    world,
    clear: () => {
      world.store.close()
      removeFolder(folder)
    },
    runUntil: async (steps) => {
      left = steps
      try {
        await runStudy({
          system: world.system,
          store,
          client: world.service,
          study: makeStudy(),
          trials,
          options: { loopback: true },
        })
        return true
      } catch (error) {
        if (error instanceof Crash) return false
        throw error
      }
    },
  }
}

async function judge({ service, store, system }: World, fate: Fate, where: string): Promise<string[]> {
  // Whatever is still on its way arrives before the books are compared.
  await system.advance(minute)
  await service.limits()
  const bad: string[] = []
  const expected = fate === 'delivered twice' ? 2 : 1
  if (Math.max(...jobsPerTrial(service)) > expected) bad.push(`step ${where}: a trial was paid for twice`)
  const states = listTrials(store, { study: 'ladder' }).map(({ state, metrics }) => metrics !== null && state)
  if (states.some((state) => state !== 'done')) bad.push(`step ${where}: ${states.join(', ')}`)
  return bad.concat(unstored(service, store).map((id) => `step ${where}: ${id} is not in the store`))
}

function unstored(service: ScriptedService, store: Store): string[] {
  const known = store.db.prepare<[], { id: string }>('select remote_id as id from job').all()
  return service.book.map(({ id }) => id).filter((id) => !known.some((job) => job.id === id))
}
