/**
 * A `System` whose clock a test holds in its hand: time stands still until `advance`, sleepers wake in order, and what is
 * printed is kept. Network is real, so tests speak real HTTP.
 */
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { realSystem, type System } from '../../src/system.ts'

export interface TestSystemOptions {
  /** First reading of the wall clock, ms UTC or ISO 8601. Default 2026-01-01T00:00Z. */
  readonly wall?: number | string
  /** First reading of the monotonic clock, ms. Default 1,000,000. */
  readonly monotonic?: number
  /** Makes `randomBytes` repeat itself from run to run. Default: real randomness. */
  readonly seed?: number
  /** Default: the real `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * `held` (default): a sleeper waits for `advance`. `jump`: the clock leaps to the end of each sleep by itself, in order
   * of their ends, whenever the program would wait.
   */
  readonly sleep?: 'held' | 'jump'
}

export interface TestSystem extends System {
  /** Moves both clocks on. Whoever sleeps wakes in order, at the moment it asked for; resolves once all have had a turn. */
  advance(ms: number): Promise<void>
  /** Steps the wall clock alone, as an operator or NTP would; negative steps go back. */
  stepWall(ms: number): void
  /** Everything printed so far. */
  printed(): { readonly out: string; readonly err: string }
  /** How many sleeps are waiting. */
  sleeping(): number
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

export function testSystem(options: TestSystemOptions = {}): TestSystem {
  const start = options.monotonic ?? 1_000_000
  const wallStart = typeof options.wall === 'string' ? Date.parse(options.wall) : (options.wall ?? Date.UTC(2026, 0, 1))
  let now = start
  let wallOffset = wallStart - start
  const sleepers: Sleeper[] = []
  const printed = { out: '', err: '' }
  let jumping = false

  async function jumpOn(): Promise<void> {
    if (jumping) return
    jumping = true
    // Whatever can still run at this moment runs first; only then does time move.
    for (await nextTurn(); sleepers.length > 0; await nextTurn()) wakeFirst(Number.POSITIVE_INFINITY)
    jumping = false
  }

  function wakeFirst(until: number): boolean {
    const first = sleepers.at(0)
    if (first === undefined || first.due > until) return false
    sleepers.shift()
    now = Math.max(now, first.due)
    first.wake()
    return true
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abandon = () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1)
        reject(signal?.reason)
      }
      const sleeper: Sleeper = {
        due: now + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', abandon)
          resolve()
        },
      }
      signal?.addEventListener('abort', abandon, { once: true })
      const place = sleepers.findIndex(({ due }) => due > sleeper.due)
      sleepers.splice(place === -1 ? sleepers.length : place, 0, sleeper)
      if (options.sleep === 'jump') void jumpOn()
    })
  }

  return {
    clock: { monotonic: () => now, wall: () => now + wallOffset, sleep },
    fetch: options.fetch ?? globalThis.fetch,
    terminal: {
      out: async (text) => {
        printed.out += text
      },
      err: (text) => {
        printed.err += text
      },
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
    },
    usage: realSystem({}).usage,
    randomBytes: options.seed === undefined ? (n) => randomBytes(n) : seededBytes(options.seed),
    async advance(ms) {
      const until = now + ms
      while (wakeFirst(until)) await nextTurn()
      now = until
      await nextTurn()
    },
    stepWall(ms) {
      wallOffset += ms
    },
    printed: () => ({ ...printed }),
    sleeping: () => sleepers.length,
  }
}

/** splitmix32: bytes that look random and are the same in every run. */
function seededBytes(seed: number): (n: number) => Uint8Array {
  let state = seed | 0
  return (n) =>
    Uint8Array.from({ length: n }, () => {
      state = (state + 0x9e3779b9) | 0
      let mixed = state ^ (state >>> 16)
      mixed = Math.imul(mixed, 0x21f0aaad)
      mixed ^= mixed >>> 15
      mixed = Math.imul(mixed, 0x735a2d97)
      return (mixed ^ (mixed >>> 15)) & 0xff
    })
}
