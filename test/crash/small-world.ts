/** A small world for exhaustive tests: one study of five trials, one service, and one thing that goes wrong at a chosen place. */
import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../src/errors.ts'
import { runStudy } from '../../src/workbench/run/run.ts'
import type { RunSummary } from '../../src/workbench/run/summary.ts'
import { createCounter } from '../sim/counters.ts'
import { createWire, type Fate } from '../sim/network.ts'
import { judge } from '../sim/oracle.ts'
import { Crash, type Machine, type Program, startProgram } from '../sim/program.ts'
import { createRandom } from '../sim/random.ts'
import { createService, type ServiceTraits, type SimService } from '../sim/service.ts'
import { createTime } from '../sim/time.ts'
import { putEmptyStore } from '../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'
import { hour, makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'

const trials = makeTrials(5)
const start = Date.UTC(2026, 0, 1)

/** Steps that change nothing but the store, if anything; at all others something leaves, arrives, or time has passed. */
const ONLY_THE_STORE: ReadonlySet<string> = new Set(['look', 'before commit', 'after commit'])

export interface SmallWorld {
  readonly service: SimService
  /**
   * Lives to its end; answers at which of its steps a death would leave something else than at the step before, how many steps there were,
   * and at which the second submission is on its way.
   */
  liveThrough(): Promise<{ readonly steps: number; readonly leaving: readonly number[]; readonly underway: number }>
  /** Lives until it dies at step n; answers whether it came to its end before. */
  dieAt(step: number): Promise<boolean>
  /** Lives with commits that may fail; undefined = it threw a foreseen failure. */
  liveWith(commitFails: () => Error | undefined): Promise<RunSummary | undefined>
  /** The machine's wall clock steps. */
  stepWall(ms: number): void
  finish(): Promise<void>
  judge(where: string): string[]
  clear(): void
}

/** Makes worlds in a folder of its own. */
export function worldMaker(): { make: (fate: Fate, traits?: Partial<ServiceTraits>) => SmallWorld; clear: () => void } {
  const folder = folderInMemory()
  let worlds = 0
  return {
    make: (fate, traits = {}) => {
      const storePath = join(folder, `world-${++worlds}.sqlite`)
      putEmptyStore(storePath)
      return makeWorld(storePath, fate, traits)
    },
    clear: () => removeFolder(folder),
  }
}

function makeWorld(storePath: string, fate: Fate, traits: Partial<ServiceTraits>): SmallWorld {
  const time = createTime(start)
  const service = plainService(traits)
  let posts = 0
  const wire = createWire({
    time,
    service,
    random: createRandom(1),
    fate: (method) => (method === 'POST' && ++posts === 2 ? fate : 'ok'),
    latency: () => 40,
    latestMs: 10 * minute,
    note: () => {},
  })
  const random = createRandom(2)
  const machine: Machine = { time, wire, random, storePath, wallOffset: 0, bootedAt: start - hour, clockRate: 1 }

  let trustsClock = false

  /** undefined when it died or its store refused. */
  async function live(
    dies: (where: string) => boolean,
    commitFails?: () => Error | undefined,
  ): Promise<RunSummary | undefined> {
    let program: Program | undefined
    try {
      program = startProgram(machine, dies, commitFails)
      const { system, store, client } = program
      const options = { trustClock: trustsClock }
      return await time.until(runStudy({ system, store, client, study: makeStudy(), trials, options }))
    } catch (error) {
      if (error instanceof Crash || (commitFails !== undefined && error instanceof Failure)) return undefined
      throw error
    } finally {
      program?.close()
    }
  }
  return {
    service,
    liveThrough: async () => {
      const leaving: number[] = []
      let steps = 0
      let leaves = -1
      let before = ''
      const files = ['', '-wal'].map((end) => watchedFile(storePath + end))
      await live((where) => {
        if (leaves === -1 && posts === 2) leaves = steps
        const now = `${time.now} ${service.book.length}`
        const written = files.filter((hasChanged) => hasChanged()).length > 0
        if (written || now !== before || !ONLY_THE_STORE.has(where)) leaving.push(steps)
        before = now
        steps++
        return false
      })
      return { steps, leaving, underway: leaves + 1 }
    },
    dieAt: async (step) => {
      let left = step
      const summary = await live(() => left-- === 0)
      if (summary !== undefined && summary.stoppedBy !== null) throw new Error(`stopped by ${summary.stoppedBy}`)
      await time.pass(1_000)
      return summary !== undefined
    },
    liveWith: async (commitFails) => {
      const summary = await live(() => false, commitFails)
      await time.pass(1_000)
      return summary
    },
    stepWall: (ms) => {
      machine.wallOffset += ms
      trustsClock = true // whoever set it says so
    },
    finish: async () => {
      const summary = await live(() => false)
      if (summary?.stoppedBy !== null) throw new Error(`stopped by ${summary?.stoppedBy}`)
      await time.pass(20 * minute) // what is late arrives
    },
    judge: (where) => {
      const { paidTwice, lost, withoutIntent } = judge(storePath, service.book, time.now)
      const missing = trials.length - new Set(service.book.map(({ config }) => config)).size
      return [
        ...paidTwice.map((config) => `${where}: paid twice ${config.slice(-40)}`),
        ...lost.map((id) => `${where}: lost ${id}`),
        ...(missing > 0 ? [`${where}: ${missing} never submitted`] : []),
        ...withoutIntent.map((name) => `${where}: ${name} was sent without an intent`),
      ]
    },
    clear: () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${storePath}${end}`, { force: true })
    },
  }
}

/**
 * Answers whether a file holds other bytes than when it was last asked. Two pieces of memory take turns, for a hash and new memory at every step of a
 * program are half the time of these tests.
 */
function watchedFile(path: string): () => boolean {
  let last = Buffer.alloc(0)
  let length = 0
  let spare = Buffer.alloc(0)
  return () => {
    let size = 0
    if (existsSync(path)) {
      const file = openSync(path, 'r')
      const needed = fstatSync(file).size
      if (spare.length < needed) spare = Buffer.alloc(2 * needed)
      size = readSync(file, spare, 0, needed, 0)
      closeSync(file)
    }
    const isSame = size === length && spare.compare(last, 0, length, 0, size) === 0
    ;[last, spare, length] = [spare, last, size]
    return !isSame
  }
}

/** A service without moods. */
export function plainService(traits: Partial<ServiceTraits> = {}): SimService {
  return createService(
    {
      allowance: createCounter('sliding', { count: 100, windowMs: 24 * hour, phase: 0 }),
      minute: createCounter('sliding', { count: 120, windowMs: minute, phase: 0 }),
      windowType: 'sliding',
      allowanceCount: 100,
      echoes: 'all',
      pageSize: 1000,
      bareList: false,
      sendsDate: true,
      skewMs: 0,
      shortestJobMs: 100,
      longestJobMs: 4_000,
      failingShare: 0,
      rejects: () => false,
      tellsLimits: true,
      ...traits,
    },
    createRandom(3),
  )
}
