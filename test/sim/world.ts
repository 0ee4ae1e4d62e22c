/**
 * One seeded world: a service of some kind behind a network of some temper, a machine whose clocks step and whose programs die, perhaps
 * another client of the key, perhaps an analyst who holds the store. It runs for some days, then calms down, and is judged.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { putEmptyStore } from '../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'
import { day, hour, makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'
import type { CounterKind } from './counters.ts'
import { type Errand, liveThrough, settleDown } from './lives.ts'
import { closeLid, stepClocks, useKeyElsewhere } from './misfortunes.ts'
import { createWire } from './network.ts'
import { judge } from './oracle.ts'
import type { Machine } from './program.ts'
import { createRandom } from './random.ts'
import type { BookedJob, ServiceTraits } from './service.ts'
import { drawTemper, makeService } from './temper.ts'
import { createTime } from './time.ts'

export interface WorldReport {
  readonly seed: number
  readonly kind: CounterKind
  readonly days: number
  readonly crashes: number
  readonly faults: number
  readonly requests: number
  readonly posts: number
  readonly jobs: number
  /** 429s where nobody else used the key, nothing was delivered twice, and the service told its time: there should be none. */
  readonly refusedUnforeseen: number
  readonly undecided: number
  readonly violations: readonly string[]
  /** Everything that happened, in one number. */
  readonly trace: string
}

/** Both changes of the hour in Berlin lie in some worlds. */
const STARTS = [Date.UTC(2026, 0, 10), Date.UTC(2026, 2, 28, 20), Date.UTC(2026, 9, 24, 20), Date.UTC(2026, 5, 1)]

/** What a world is for. */
export interface Purpose {
  readonly errand: Errand
  /** Of the service, where they matter to it. */
  readonly traits: Partial<ServiceTraits>
  /** What is wrong with the book and the store beside what every world is judged by. */
  judge(storePath: string, book: readonly BookedJob[]): Promise<readonly string[]>
}

/** A study of n trials. */
function manyTrials(n: number): Purpose {
  const [study, trials] = [makeStudy(), makeTrials(n)]
  const errand: Errand = { input: () => ({ study, trials }), isOver: (stoppedBy) => stoppedBy === null }
  return { errand, traits: {}, judge: async () => [] }
}

export async function simulate(seed: number, days = 2, purpose: Purpose = manyTrials(days * 90)): Promise<WorldReport> {
  const random = createRandom(seed)
  const temper = drawTemper(random.fork(), seed)
  const start = random.pick(STARTS) + random.below(day)
  const time = createTime(start)
  const folder = folderInMemory()
  const hash = createHash('sha256')
  let calm = false
  let longestSleepMs = 0
  const note = (line: string) => hash.update(`${time.now} ${line}\n`)
  const service = makeService(temper, random.fork(), purpose.traits)
  const fateRandom = random.fork()
  const wire = createWire({
    time,
    service,
    random: random.fork(),
    note,
    fate: () =>
      !calm && temper.fates.length > 0 && fateRandom.chance(temper.faultShare) ? fateRandom.pick(temper.fates) : 'ok',
    // Mostly quick, sometimes slow, never slower than what the client waits for by itself.
    latency: () => (fateRandom.chance(0.02) ? fateRandom.between(1_000, 14_000) : fateRandom.between(5, 300)),
    latestMs: 14 * minute,
  })
  const machine: Machine = {
    time,
    wire,
    random: random.fork(),
    storePath: join(folder, 'workbench.sqlite'),
    wallOffset: random.between(-5_000, 5_000),
    bootedAt: start - random.below(30 * day),
    clockRate: 1 + random.between(-0.009, 0.009),
    onSleep: (ms) => {
      longestSleepMs = Math.max(longestSleepMs, ms)
    },
  }
  putEmptyStore(machine.storePath)
  const end = start + days * day
  if (temper.foreign) useKeyElsewhere(time, service, random.fork(), end)
  if (temper.clockSteps) stepClocks(machine, random.fork(), end)
  if (temper.sleeps) closeLid(machine, random.fork(), end)
  try {
    const { errand } = purpose
    const crashes = await liveThrough({ machine, temper, random: random.fork(), end, note, errand })
    calm = true
    await settleDown(machine, temper, errand)
    return await report()

    async function report(): Promise<WorldReport> {
      const { paidTwice, lost, undecided } = judge(machine.storePath, service.book, time.now)
      const isClosed = !temper.foreign && !temper.fates.includes('twice') && temper.sendsDate
      // A service that tells nothing of its jobs leaves unanswered ones to a person; nothing can be said of their results.
      const lostForReal = temper.echoes === 'nothing' && undecided > 0 ? [] : lost
      return {
        seed,
        kind: temper.kind,
        days,
        crashes,
        faults: wire.faults(),
        requests: service.requests.posts + service.requests.reads,
        posts: service.requests.posts,
        jobs: service.book.length,
        refusedUnforeseen: isClosed ? service.refused.allowance + service.refused.rate : 0,
        undecided,
        violations: [
          ...paidTwice.map((config) => `paid twice: ${config.slice(-120)}`),
          ...lostForReal.map((id) => `finished and lost: ${id}`),
          ...(await purpose.judge(machine.storePath, service.book)),
          ...(longestSleepMs > hour ? [`a timer of ${longestSleepMs} ms`] : []),
        ],
        trace: hash.digest('hex'),
      }
    }
  } finally {
    removeFolder(folder)
  }
}
