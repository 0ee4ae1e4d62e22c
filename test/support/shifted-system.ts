/** The real world with a clock that runs faster and can be moved, shared by workbench and service; every HTTP status is written down. */
import { realSystem, type System } from '../../src/system.ts'

export interface ShiftedSystem {
  readonly system: System
  /** Moves both clocks ahead. */
  advance(ms: number): void
}

/** A second of this world takes 50 ms, so that pacing and windows keep their proportions and a test need not wait for them. */
const speed = 20

/**
 * @param statuses collects the status of every reply the workbench receives
 * @param wall the wall clock's first reading, ms UTC; default: now
 */
export function shiftedSystem(statuses: number[], wall?: number): ShiftedSystem {
  const real = realSystem({ NO_COLOR: '1' })
  const started = { monotonic: real.clock.monotonic(), wall: wall ?? real.clock.wall() }
  let offset = 0
  const elapsed = () => performance.now() * speed + offset
  const usedBefore = real.usage().cpuMs // by tests before this one, in the same process
  const fetchAndNote: typeof fetch = async (input, init) => {
    const reply = await real.fetch(input, init)
    statuses.push(reply.status)
    return reply
  }
  return {
    advance: (ms) => {
      offset += ms
    },
    system: {
      ...real,
      fetch: fetchAndNote,
      clock: {
        monotonic: () => started.monotonic + elapsed(),
        wall: () => Math.round(started.wall + elapsed()),
        sleep: (ms, signal) => real.clock.sleep(ms / speed, signal),
      },
      terminal: { ...real.terminal, err: () => {} },
      usage: () => ({ ...real.usage(), cpuMs: real.usage().cpuMs - usedBefore }),
    },
  }
}
