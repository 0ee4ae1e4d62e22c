/** Several labs, one key: stores on machines of their own, each with the same study, and one service whose book says what was paid twice. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOptions } from '../../src/workbench/run/options.ts'
import { type RunEvent, runStudy } from '../../src/workbench/run/run.ts'
import type { RunSummary } from '../../src/workbench/run/summary.ts'
import { readLetters } from '../../src/workbench/store/attempts.ts'
import { plainService } from '../crash/small-world.ts'
import { putEmptyStore } from '../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'
import { day, hour, makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'
import { createCounter } from './counters.ts'
import { createWire, type Fate } from './network.ts'
import { type Machine, startProgram } from './program.ts'
import { createRandom } from './random.ts'
import type { BookedJob, ServiceTraits } from './service.ts'
import { createTime } from './time.ts'

const start = Date.UTC(2026, 0, 1)
/** Of a window: enough for three labs that know nothing of each other. */
const allowance = 200

export interface LabReport {
  readonly summary: RunSummary
  readonly events: readonly RunEvent[]
  readonly letters: string | null
  readonly storePath: string
}

export interface LabsReport {
  readonly labs: readonly LabReport[]
  readonly book: readonly BookedJob[]
  /** Jobs beyond the first of each configuration. */
  readonly doubles: number
  /** Take profits, which tell trials apart, of configurations with more than one job. */
  readonly doubled: readonly number[]
  clear(): void
}

export interface LabsSetting {
  readonly seed: number
  readonly labs: number
  /** Of the one study. */
  readonly trials: number
  readonly echoes: ServiceTraits['echoes']
  /** Each lab submits its part only. */
  readonly inParts?: boolean
  readonly options?: RunOptions
  /** Fate of the n-th submission that leaves any of them, from 0. */
  readonly fate?: (n: number) => Fate
}

/** Starts them within a minute of each other, at random, and lets each run to its end. */
export async function runLabs({
  seed,
  labs,
  trials,
  echoes,
  inParts = false,
  options,
  fate,
}: LabsSetting): Promise<LabsReport> {
  const random = createRandom(seed)
  const time = createTime(start)
  const folder = folderInMemory()
  const service = plainService({
    echoes,
    allowance: createCounter('sliding', { count: allowance, windowMs: day, phase: 0 }),
    allowanceCount: allowance,
    longestJobMs: random.pick([200, 4_000, minute]),
    pageSize: random.pick([20, 1000]),
    bareList: random.chance(0.3),
  })
  let posts = 0
  const latencies = random.fork()
  const wire = createWire({
    time,
    service,
    random: random.fork(),
    fate: (method) => (method === 'POST' ? (fate?.(posts++) ?? 'ok') : 'ok'),
    latency: () => latencies.between(5, 300),
    latestMs: 10 * minute,
    note: () => {},
  })
  const apart = random.pick([0, 1_000, 10_000, minute])
  const runs = Array.from({ length: labs }, async (_, n): Promise<LabReport> => {
    const home = join(folder, `lab-${n + 1}`)
    mkdirSync(home)
    const storePath = join(home, 'workbench.sqlite')
    putEmptyStore(storePath)
    const machine: Machine = {
      time,
      wire,
      random: random.fork(),
      storePath,
      wallOffset: random.between(-2_000, 2_000),
      bootedAt: start - hour,
      clockRate: 1 + random.between(-0.005, 0.005),
    }
    const startsAt = random.between(0, apart)
    await new Promise<void>((resolve) => {
      time.at(start + startsAt, resolve)
    })
    const program = startProgram(machine, () => false)
    const events: RunEvent[] = []
    const { system, store, client } = program
    try {
      const summary = await runStudy({
        system,
        store,
        client,
        study: makeStudy(),
        trials: makeTrials(trials),
        options: {
          wait: true,
          allowance,
          onProgress: (event) => void (event.kind !== 'progress' && events.push(event)),
          ...(inParts ? { part: { number: n + 1, of: labs } } : {}),
          ...options,
        },
      })
      return { summary, events, letters: readLetters(store.db), storePath }
    } finally {
      program.close()
    }
  })
  const reports = await time.until(Promise.all(runs))
  const counts = Map.groupBy(service.book, ({ request }) => Number(request.takeProfit))
  const doubled = [...counts].filter(([, jobs]) => jobs.length > 1).map(([takeProfit]) => takeProfit)
  return {
    labs: reports,
    book: service.book,
    doubles: service.book.length - counts.size,
    doubled,
    clear: () => removeFolder(folder),
  }
}
