/** A world for one question: a calm machine, a service of chosen traits, and at most one kind of misfortune at chosen places. */
import { join } from 'node:path'
import type { RunOptions } from '../../src/workbench/run/options.ts'
import { type RunEvent, runStudy } from '../../src/workbench/run/run.ts'
import type { RunSummary } from '../../src/workbench/run/summary.ts'
import { plainService } from '../crash/small-world.ts'
import { putEmptyStore } from '../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'
import { hour, makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'
import { createCounter } from './counters.ts'
import { createWire, type Fate } from './network.ts'
import { Crash, type Machine, type Program, startProgram } from './program.ts'
import { createRandom } from './random.ts'
import type { Answer, ArrivedRequest, ServiceTraits, SimService } from './service.ts'
import { createTime, type VirtualTime } from './time.ts'

export const start = Date.UTC(2026, 0, 1)

export interface CalmWorld {
  readonly time: VirtualTime
  readonly machine: Machine
  readonly service: SimService
  readonly storePath: string
  /** Every request that left, in order. */
  readonly sentAt: readonly { readonly method: string; readonly at: number }[]
  /** When each submission left. */
  posts(): number[]
  /** What the runs told, but for their progress. */
  readonly events: readonly RunEvent[]
  /** The longest timer that any program set. */
  longestSleepMs(): number
  /** Runs n trials with `--wait`; undefined when it died. */
  run(n: number, options?: CalmRun): Promise<RunSummary | undefined>
  /** One life of the program, for anything else than a run. */
  live<T>(work: (program: Program) => Promise<T>): Promise<T>
  clear(): void
}

export interface CalmRun extends RunOptions {
  /** Asked at every step of the program. */
  readonly dies?: () => boolean
}

export interface CalmTraits extends Partial<ServiceTraits> {
  /** Fate of submission n, from 0, which leaves at `at`. Default: ok. */
  readonly fate?: (n: number, at: number) => Fate
  /** Fate of read n. Default: ok. */
  readonly readFate?: (n: number, at: number) => Fate
  /** Something else than the service's own answer to the n-th request that reaches it. */
  readonly instead?: (n: number, request: ArrivedRequest) => Answer | undefined
  readonly startAt?: number
  /** One way. Default 60. */
  readonly latencyMs?: number
  /** Seconds of the machine per second of truth. */
  readonly clockRate?: number
}

export function calmWorld({
  fate,
  readFate,
  instead,
  startAt = start,
  latencyMs = 60,
  clockRate = 1,
  ...traits
}: CalmTraits = {}): CalmWorld {
  const time = createTime(startAt)
  const own = plainService(traits)
  let arrived = 0
  const handle: SimService['handle'] = (request, at) => instead?.(arrived++, request) ?? own.handle(request, at)
  const service = { ...own, handle }
  const folder = folderInMemory()
  const sentAt: { method: string; at: number }[] = []
  const events: RunEvent[] = []
  let posts = 0
  let reads = 0
  const wire = createWire({
    time,
    service,
    random: createRandom(1),
    fate: (method) => {
      sentAt.push({ method, at: time.now })
      if (method === 'POST') return fate?.(posts++, time.now) ?? 'ok'
      return readFate?.(reads++, time.now) ?? 'ok'
    },
    latency: () => latencyMs,
    latestMs: 10 * minute,
    note: () => {},
  })
  const storePath = join(folder, 'workbench.sqlite')
  putEmptyStore(storePath)
  const random = createRandom(2)
  let longestSleepMs = 0
  const onSleep = (ms: number) => {
    longestSleepMs = Math.max(longestSleepMs, ms)
  }
  const bootedAt = startAt - hour
  const machine: Machine = { time, wire, random, storePath, wallOffset: 0, bootedAt, clockRate, onSleep }

  async function live<T>(work: (program: Program) => Promise<T>, dies: () => boolean = () => false): Promise<T> {
    const program = startProgram(machine, dies)
    try {
      return await time.until(work(program))
    } finally {
      program.close()
    }
  }
  return {
    time,
    machine,
    service,
    storePath,
    sentAt,
    posts: () => sentAt.filter(({ method }) => method === 'POST').map(({ at }) => at),
    events,
    longestSleepMs: () => longestSleepMs,
    run: async (n, { dies, ...given } = {}) => {
      const onProgress = (event: RunEvent) => void (event.kind !== 'progress' && events.push(event))
      const options = { wait: true, onProgress, ...given }
      const study = makeStudy()
      const trials = makeTrials(n)
      try {
        return await live(
          ({ system, store, client }) => runStudy({ system, store, client, study, trials, options }),
          dies,
        )
      } catch (error) {
        if (error instanceof Crash) return undefined
        throw error
      }
    },
    live,
    clear: () => removeFolder(folder),
  }
}

/** What the service of `smallDays` takes in a day. */
export const SMALL_DAY = 20

/** A world whose day is one of twenty trials, on both sides: what a day of a hundred does, in a fifth of the time. */
export function smallDays(traits: CalmTraits = {}): CalmWorld {
  const allowance = createCounter('sliding', { count: SMALL_DAY, windowMs: 24 * hour, phase: 0 })
  const world = calmWorld({ allowance, allowanceCount: SMALL_DAY, ...traits })
  return { ...world, run: (n, options) => world.run(n, { allowance: SMALL_DAY, ...options }) }
}
