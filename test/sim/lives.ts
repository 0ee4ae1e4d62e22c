/** The lives of a program in its world: it is started, dies, and is started again, until the storm is over and all is settled. */

import { Failure } from '../../src/errors.ts'
import type { RunInput, RunOptions } from '../../src/workbench/run/options.ts'
import { runStudy } from '../../src/workbench/run/run.ts'
import type { RunSummary } from '../../src/workbench/run/summary.ts'
import { day, hour, minute } from '../workbench/run/setup.ts'
import { holdStore } from './misfortunes.ts'
import { Crash, type Machine, type Program, startProgram } from './program.ts'
import { createRandom, type Random } from './random.ts'
import type { Temper } from './temper.ts'

/** What programs of a world are started for. */
export interface Errand {
  /** What the next of them runs. */
  input(program: Program): Pick<RunInput, 'study' | 'trials' | 'search'>
  /** Told why one ended that did not die; answers whether nothing is left to do. */
  isOver(stoppedBy: RunSummary['stoppedBy']): boolean
}

interface Living {
  readonly machine: Machine
  readonly temper: Temper
  readonly random: Random
  readonly end: number
  readonly note: (line: string) => void
  readonly errand: Errand
}

/** Starts the program again and again until the end; answers how often it died. */
export async function liveThrough(living: Living): Promise<number> {
  const { machine, temper, random, end, note, errand } = living
  const { time } = machine
  let crashes = 0
  while (time.now < end) {
    const dies = () => random.chance(1 / temper.stepsPerCrash)
    const stopAt = (program: Program) => time.at(end, program.kill)
    const summary = await runOnce(machine, dies, {
      options: optionsOf(temper),
      errand,
      onStart: stopAt,
      random,
      temper,
    })
    note(summary === undefined ? 'crash' : `end ${summary.stoppedBy} ${summary.trials.done}`)
    if (summary === undefined) crashes++
    if (random.chance(0.02)) machine.bootedAt = time.now // the power went
    const isOver = summary !== undefined && errand.isOver(summary.stoppedBy)
    await time.pass(isOver ? day : pauseBefore(random, summary))
  }
  return crashes
}

/** Started again by hand, by a supervisor, or by the hour. */
function pauseBefore(random: Random, summary: RunSummary | undefined): number {
  if (summary === undefined) return random.pick([100, 1_000, 10_000, 10_000, 5 * minute])
  return random.pick([minute, 20 * minute, hour])
}

function optionsOf(temper: Temper): RunOptions {
  return {
    wait: temper.wait,
    // Whoever set the clock has said so, where the service tells none.
    trustClock: true,
    // The documented exception: days of a wall clock may have 25 hours.
    ...(temper.kind === 'localMidnight' ? { allowanceWindowMs: 25 * hour } : {}),
  }
}

interface Once {
  readonly options: RunOptions
  readonly errand: Errand
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
      runStudy({ system, store, client, ...once.errand.input(program), options: once.options }),
    )
  } catch (error) {
    if (error instanceof Crash || program?.isDead()) return undefined
    if (!(error instanceof Failure && error.code === 'clockWrong')) throw error
    machine.wallOffset = 0 // it shows a day before the program was made, and its owner sets it
    return undefined
  } finally {
    forget()
    unlock()
    program?.close()
  }
}

/** The storm is over: what is open is settled, nothing new is sent. */
export async function settleDown(machine: Machine, temper: Temper, errand: Errand): Promise<void> {
  const random = createRandom(1)
  for (let n = 0; n < 6; n++) {
    const options = { ...optionsOf(temper), wait: false, limit: 0 }
    const calmOnce = { options, errand, random, temper: { ...temper, analyst: false } }
    const summary = await runOnce(machine, () => false, calmOnce)
    if (summary?.stoppedBy === 'limit' || (summary !== undefined && errand.isOver(summary.stoppedBy))) return
    await machine.time.pass(hour)
  }
}
