/**
 * One seeded world: a service of some kind behind a network of some temper, a machine whose clocks step and whose programs die, perhaps
 * another client of the key, perhaps an analyst who holds the store. It runs for some days, then calms down, and is judged.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { RunOptions } from '../../src/workbench/run/options.ts'
import { runStudy } from '../../src/workbench/run/run.ts'
import type { RunSummary } from '../../src/workbench/run/summary.ts'
import { folderInMemory, removeFolder } from '../support/folder.ts'
import { day, hour, makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'
import type { CounterKind } from './counters.ts'
import { closeLid, holdStore, stepClocks, useKeyElsewhere } from './misfortunes.ts'
import { createWire } from './network.ts'
import { judge } from './oracle.ts'
import { Crash, type Machine, type Program, startProgram } from './program.ts'
import { createRandom, type Random } from './random.ts'
import { drawTemper, makeService, type Temper } from './temper.ts'
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
  readonly parked: number
  readonly violations: readonly string[]
  /** Everything that happened, in one number. */
  readonly trace: string
}

/** Both changes of the hour in Berlin lie in some worlds. */
const STARTS = [Date.UTC(2026, 0, 10), Date.UTC(2026, 2, 28, 20), Date.UTC(2026, 9, 24, 20), Date.UTC(2026, 5, 1)]

export async function simulate(seed: number, days = 2): Promise<WorldReport> {
  const random = createRandom(seed)
  const temper = drawTemper(random.fork(), seed)
  const start = random.pick(STARTS) + random.below(day)
  const time = createTime(start)
  const folder = folderInMemory()
  const hash = createHash('sha256')
  let calm = false
  let longestSleepMs = 0
  const note = (line: string) => hash.update(`${time.now} ${line}\n`)
  const service = makeService(temper, random.fork())
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
  const end = start + days * day
  if (temper.foreign) useKeyElsewhere(time, service, random.fork(), end)
  if (temper.clockSteps) stepClocks(machine, random.fork(), end)
  if (temper.sleeps) closeLid(machine, random.fork(), end)
  try {
    const crashes = await liveThrough({ machine, temper, random: random.fork(), end, note, trials: days * 90 })
    calm = true
    await settleDown(machine, temper, days * 90)
    return report()

    function report(): WorldReport {
      const { paidTwice, lost, parked } = judge(machine.storePath, service.book, time.now)
      const isClosed = !temper.foreign && !temper.fates.includes('twice') && temper.sendsDate
      // A service that tells nothing of its jobs leaves unanswered ones to a person; nothing can be said of their results.
      const lostForReal = temper.echoes === 'nothing' && parked > 0 ? [] : lost
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
        parked,
        violations: [
          ...paidTwice.map((config) => `paid twice: ${config.slice(-120)}`),
          ...lostForReal.map((id) => `finished and lost: ${id}`),
          ...(longestSleepMs > hour ? [`a timer of ${longestSleepMs} ms`] : []),
        ],
        trace: hash.digest('hex'),
      }
    }
  } finally {
    removeFolder(folder)
  }
}

interface Living {
  readonly machine: Machine
  readonly temper: Temper
  readonly random: Random
  readonly end: number
  readonly note: (line: string) => void
  readonly trials: number
}

/** Starts the program again and again until the end; answers how often it died. */
async function liveThrough(living: Living): Promise<number> {
  const { machine, temper, random, end, note } = living
  const { time } = machine
  const trials = makeTrials(living.trials)
  let crashes = 0
  while (time.now < end) {
    const dies = () => random.chance(1 / temper.stepsPerCrash)
    const stopAt = (program: Program) => time.at(end, program.kill)
    const summary = await runOnce(machine, dies, {
      options: optionsOf(temper),
      trials,
      onStart: stopAt,
      random,
      temper,
    })
    note(summary === undefined ? 'crash' : `end ${summary.stoppedBy} ${summary.trials.done}`)
    if (summary === undefined) crashes++
    if (random.chance(0.02)) machine.bootedAt = time.now // the power went
    await time.pass(pauseBefore(random, summary))
  }
  return crashes
}

/** Started again by hand, by a supervisor, or by the hour. */
function pauseBefore(random: Random, summary: RunSummary | undefined): number {
  if (summary === undefined) return random.pick([100, 1_000, 10_000, 10_000, 5 * minute])
  return summary.stoppedBy === null ? day : random.pick([minute, 20 * minute, hour])
}

function optionsOf(temper: Temper): RunOptions {
  return {
    wait: temper.wait,
    // The documented exception: days of a wall clock may have 25 hours.
    ...(temper.kind === 'localMidnight' ? { allowanceWindowMs: 25 * hour } : {}),
  }
}

interface Once {
  readonly options: RunOptions
  readonly trials: ReturnType<typeof makeTrials>
  readonly onStart?: (program: Program) => () => void
  readonly random: Random
  readonly temper: Temper
}

/** One life of the program; undefined when it died. */
async function runOnce(machine: Machine, dies: () => boolean, once: Once): Promise<RunSummary | undefined> {
  let program: Program | undefined
  let forget = () => {}
  const unlock = once.temper.analyst ? holdStore(machine, once.random) : () => {}
  try {
    program = startProgram(machine, dies)
    forget = once.onStart?.(program) ?? forget
    const { system, store, client } = program
    return await machine.time.until(
      runStudy({ system, store, client, study: makeStudy(), trials: once.trials, options: once.options }),
    )
  } catch (error) {
    if (error instanceof Crash || program?.isDead()) return undefined
    throw error
  } finally {
    forget()
    unlock()
    program?.close()
  }
}

/** The storm is over: what is open is settled, nothing new is sent. */
async function settleDown(machine: Machine, temper: Temper, trials: number): Promise<void> {
  const random = createRandom(1)
  for (let n = 0; n < 6; n++) {
    const options = { ...optionsOf(temper), wait: false, limit: 0 }
    const calmOnce = { options, trials: makeTrials(trials), random, temper: { ...temper, analyst: false } }
    const summary = await runOnce(machine, () => false, calmOnce)
    if (summary?.stoppedBy === null || summary?.stoppedBy === 'limit') return
    await machine.time.pass(hour)
  }
}
