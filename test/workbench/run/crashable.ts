/** A run that dies at a chosen step and is started again, and the judgement of what it left. */
import type { RunInput } from '../../../src/workbench/run/options.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { Crash, crashingStore } from './crashing.ts'
import type { Fate } from './scripted-script.ts'
import type { ScriptedService } from './scripted-service.ts'
import { jobsPerTrial, makeStudy, makeWorld, minute, type World } from './setup.ts'

export interface Crashable {
  readonly world: World
  readonly runUntil: (step: number) => Promise<boolean>
  readonly clear: () => void
}

/** A world whose program dies at a given step; `runUntil` answers whether it came to its end before. */
export function crashable(fate: Fate, input: Pick<RunInput, 'trials' | 'search'>): Crashable {
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
          ...input,
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

/** What is wrong with the service's book and the store, once everything has arrived. */
export async function judge({ service, store, system }: World, fate: Fate, where: string): Promise<string[]> {
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
