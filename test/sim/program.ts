/**
 * The program in its process: the real client, store and run over a machine that can die at every commit, byte and pause. What is on
 * the disk or on the wire then stays; everything else is gone.
 */

import type { System } from '../../src/system.ts'
import type { JobOperations } from '../../src/workbench/api/calls.ts'
import { createClient } from '../../src/workbench/api/client.ts'
import { builtInDialect } from '../../src/workbench/api/reading/dialect.ts'
import type { RateLog } from '../../src/workbench/api/wire/gate.ts'
import { Keys } from '../../src/workbench/api/wire/keys.ts'
import { createRequestLog } from '../../src/workbench/store/request-log.ts'
import { openStore, type Store } from '../../src/workbench/store/store.ts'
import type { Life, Wire } from './network.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './time.ts'

export class Crash extends Error {}

/** The computer: its clocks run on, whichever program lives. */
export interface Machine {
  readonly time: VirtualTime
  readonly wire: Wire
  readonly random: Random
  readonly storePath: string
  /** Wall clock against true time, ms. */
  wallOffset: number
  /** True time of the last boot. */
  bootedAt: number
  /** Seconds of the machine per second of truth. */
  readonly clockRate: number
  /** Asleep until then (true time): nothing of a program runs, its clocks go on, its connections are gone when it wakes. */
  suspendedUntil?: number
  /** Told of every timer that a program sets, ms. */
  readonly onSleep?: (ms: number) => void
}

export interface Program {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly isDead: () => boolean
  /** Kills it now. */
  kill(): void
  /** What the system does with its files when it is gone. */
  close(): void
}

let programs = 0

/** `diesAt`: asked at every step of the program, in order. `commitFails`: asked at every commit of a transaction. */
export function startProgram(
  machine: Machine,
  diesAt: (where: string) => boolean,
  commitFails: () => Error | undefined = () => undefined,
): Program {
  const { time } = machine
  const number = ++programs
  const mourners = new Set<(reason: unknown) => void>()
  let crash: Crash | undefined

  function kill(): void {
    crash ??= new Crash('killed')
    for (const tell of [...mourners]) tell(crash)
    mourners.clear()
  }
  const life: Life = {
    step: (where) => {
      if (crash === undefined && diesAt(where)) kill()
      if (crash !== undefined) throw crash
    },
    sleepsUntil: () => machine.suspendedUntil ?? Number.NEGATIVE_INFINITY,
    onDeath: (tell) => {
      if (crash !== undefined) tell(crash)
      mourners.add(tell)
      return () => mourners.delete(tell)
    },
  }

  const clock: System['clock'] = {
    // As coarse as the real one.
    monotonic: () => Math.floor(((time.now - machine.bootedAt) * machine.clockRate) / 10) * 10,
    wall: () => Math.round(time.now + machine.wallOffset),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        machine.onSleep?.(ms)
        if (crash !== undefined) return reject(crash)
        if (signal?.aborted) return reject(signal.reason)
        const giveUp = () => settle(() => reject(signal?.reason))
        const forget = life.onDeath((reason) => settle(() => reject(reason)))
        const wake = () => {
          if (life.sleepsUntil() > time.now) {
            cancel = time.at(life.sleepsUntil(), wake)
            return
          }
          try {
            life.step('wake')
            settle(resolve)
          } catch {
            // `onDeath` has told.
          }
        }
        let cancel = time.at(time.now + Math.max(0, ms) / machine.clockRate, wake)
        const settle = (tell: () => void) => {
          cancel()
          forget()
          signal?.removeEventListener('abort', giveUp)
          tell()
        }
        signal?.addEventListener('abort', giveUp, { once: true })
      }),
  }
  const system: System = {
    clock,
    fetch: machine.wire.fetchOf(life),
    terminal: silent,
    randomBytes: (n) => machine.random.bytes(n),
    usage: () => ({ cpuMs: 0, peakBytes: 0 }),
  }
  const real = openStore(machine.storePath, { system })
  real.db.pragma('busy_timeout = 0') // waiting in truth would only cost the test's time
  const store = { ...real, db: watched(real.db, life, commitFails) }
  const log = createRequestLog(store, {
    key: 'k',
    owner: { id: `program ${number}`, isGone: (id) => id !== `program ${number}` },
  })
  const rateLog: RateLog = {
    tryStart: (pace) => log.tryStart(pace),
    finish: (slot) => aroundCommit(life, () => log.finish(slot)),
  }
  const client = createClient({
    baseUrl: 'https://sim.example',
    keys: new Keys('sim-api-key', 'sim-secret-key'),
    system,
    dialect: builtInDialect,
    rateLog,
  })
  return { system, store, client, isDead: () => crash !== undefined, kill, close: () => real.close() }
}

function aroundCommit<T>(life: Life, commit: () => T): T {
  life.step('before commit')
  const answer = commit()
  life.step('after commit')
  return answer
}

/** The same database, in which every commit can be the last thing a program does. */
function watched(db: Store['db'], life: Life, commitFails: () => Error | undefined): Store['db'] {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') {
        return (work: (...given: unknown[]) => unknown) => {
          const transaction = target.transaction(work)
          const commit = (...given: unknown[]) => {
            const failure = commitFails()
            if (failure !== undefined) throw failure
            return transaction.immediate(...given)
          }
          const immediate = (...given: unknown[]) => aroundCommit(life, () => commit(...given))
          return Object.assign(() => transaction(), { immediate }) // what only reads commits nothing
        }
      }
      if (name === 'prepare') life.step('look')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const silent: System['terminal'] = {
  out: async () => {},
  err: () => {},
  ask: async () => '',
  outIsTerminal: false,
  errIsTerminal: false,
  inIsTerminal: false,
  redraws: true,
  columns: 100,
  rows: 0,
  colours: false,
  aheadOfUtcMs: () => 0,
  program: 'dcalab',
  page: undefined,
}
