/**
 * The ambient world as one value. Everything that is not a function of its arguments — time, network, terminal, randomness —
 * comes in through here, so that a test can replace all of it.
 */
import { randomBytes } from 'node:crypto'
import { uptime } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { findPager, showInPager } from './pager.ts'

export interface Clock {
  /**
   * Milliseconds since this machine started, suspended time included. Never steps with the wall clock, and every process
   * of the machine reads the same clock, so that they can share one request log. Resolution 10 ms.
   */
  monotonic(): number
  /** Milliseconds since 1970-01-01T00:00Z, as this machine believes. */
  wall(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Terminal {
  /** Data. Resolves once the pipe has taken it, so that a slow reader is waited for. */
  out(text: string): Promise<void>
  /** Talk: progress, hints, errors. */
  err(text: string): void
  /** What a person answers to the question; empty where stdin ends. Rejects with the signal's reason on an interrupt. */
  ask(question: string, signal: AbortSignal): Promise<string>
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  /** What is on the terminal can be drawn anew: it obeys control sequences. */
  readonly redraws: boolean
  readonly columns: number
  /** 0 = unknown. */
  readonly rows: number
  /** It shows colours, where what is written to it goes to a terminal. */
  readonly colours: boolean
  /** How far the reader's clocks are ahead of UTC at this time (ms UTC), in ms: their zone, summer time included. */
  aheadOfUtcMs(at: number): number
  /** How the reader calls this program from here: `dcalab`, or `./dcalab` in a clone. */
  readonly program: string
  /** Shows a text by the reader's pager until they leave it; false = it could not be started. Undefined where there is none. */
  readonly page: ((text: string) => Promise<boolean>) | undefined
}

export interface System {
  readonly clock: Clock
  readonly fetch: typeof globalThis.fetch
  readonly terminal: Terminal
  /** `n` unpredictable bytes (ids, keys, temporary names). */
  randomBytes(n: number): Uint8Array
  /** What this process, with all its threads, took of the machine since its start. */
  usage(): Usage
}

export interface Usage {
  readonly cpuMs: number
  /** The most memory it had at once. */
  readonly peakBytes: number
}

/** The longest delay a Node timer keeps; longer ones would fire at once, so `sleep` is split below it. */
const longestTimerMs = 2 ** 31 - 1

const realClock: Clock = {
  monotonic: () => uptime() * 1000,
  wall: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; ; left -= longestTimerMs) {
      try {
        await delay(Math.max(0, Math.min(left, longestTimerMs)), undefined, signal === undefined ? {} : { signal })
      } catch (error) {
        throw signal?.aborted ? signal.reason : error // Node rejects with an error of its own around the reason
      }
      if (left <= longestTimerMs) return
    }
  },
}

function realTerminal(environment: Readonly<Record<string, string | undefined>>, program: string): Terminal {
  const { stdout, stderr } = process
  const obeys = environment.TERM !== 'dumb'
  const pager = stdout.isTTY === true && obeys ? findPager(environment) : undefined
  return {
    out: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    err: (text) => {
      stderr.write(text)
    },
    ask: askOnTerminal,
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal: stderr.isTTY === true,
    inIsTerminal: isatty(0), // `process.stdin` would open it, which takes a tenth of a short command's time
    redraws: obeys,
    columns: stdout.columns ?? stderr.columns ?? 100,
    rows: stdout.rows ?? 0,
    colours: obeys && !environment.NO_COLOR,
    aheadOfUtcMs: (at) => -new Date(at).getTimezoneOffset() * 60_000,
    program,
    page: pager === undefined ? undefined : (text) => showInPager(pager, text, process.env), // `main` took the keys out
  }
}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises') // few commands ask, and loading it takes all of them a while
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<string>((resolve) => prompt.once('close', () => resolve('')))
    return await Promise.race([prompt.question(question, { signal }), ended])
  } catch (error) {
    throw signal.aborted ? signal.reason : error // Node rejects with an error of its own around the reason
  } finally {
    prompt.close()
  }
}

/** The real world. Only `main` calls this. */
export function realSystem(environment: Readonly<Record<string, string | undefined>>, program = 'dcalab'): System {
  return {
    clock: realClock,
    fetch: globalThis.fetch,
    terminal: realTerminal(environment, program),
    randomBytes: (n) => randomBytes(n),
    usage: realUsage,
  }
}

function realUsage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 }
}
