/**
 * The ambient world as one value. Everything that is not a function of its arguments — time, network, terminal, randomness —
 * comes in through here, so that a test can replace all of it.
 */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { Failure } from './errors.ts'

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
  /** Messages: progress, hints, errors. */
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

interface Usage {
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
  const { stdout } = process
  const errIsTerminal = isatty(2)
  const obeys = environment.TERM !== 'dumb'
  const pager = stdout.isTTY === true && obeys ? findPager(environment) : undefined
  return {
    out: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    err: (text) => {
      openStderr().write(text)
    },
    ask: askOnTerminal,
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal,
    inIsTerminal: isatty(0), // `process.stdin` would open it, which takes a tenth of a short command's time
    redraws: obeys,
    columns: stdout.columns ?? (errIsTerminal ? openStderr().columns : undefined) ?? 100,
    rows: stdout.rows ?? 0,
    colours: obeys && !environment.NO_COLOR,
    aheadOfUtcMs: (at) => -new Date(at).getTimezoneOffset() * 60_000,
    program,
    page: pager === undefined ? undefined : (text) => showInPager(pager, text, process.env), // `main` took the keys out
  }
}

/** Opened when it is first written to: most commands end without a word on it. Closed by its reader, progress is lost, and the run continues. */
function openStderr(): NodeJS.WriteStream {
  const { stderr } = process
  if (!stderr.listeners('error').includes(ignoreClosed)) stderr.on('error', ignoreClosed)
  return stderr
}

function ignoreClosed(): void {}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises') // few commands ask, and loading it takes all of them a while
  const prompt = createInterface({ input: process.stdin, output: openStderr() })
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

// The reader's pager: a program that shows a long text screen by screen. `DCALAB_PAGER` or `PAGER` name it, as a shell would run it; `less` is usual.
// Only the environment names one: a program that a folder could name would run as soon as somebody looks into that folder.

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined where the reader wants none: the variable is empty, or `cat`. */
export function findPager({ DCALAB_PAGER, PAGER }: Environment): string | undefined {
  const named = (DCALAB_PAGER ?? PAGER ?? 'less').trim()
  return named === '' || named === 'cat' ? undefined : named
}

/** Exit codes of a shell that did not find the program, or may not run it. */
const NOT_STARTED = [126, 127]

/**
 * Shows a text until the reader leaves it. Ctrl-C is the pager's meanwhile, and no wish to end the command; SIGTERM ends both.
 * @param environment that of the pager: without keys
 * @returns false when it could not be started; nothing was shown then
 */
async function showInPager(pager: string, text: string, environment: Environment): Promise<boolean> {
  const { LESS } = environment
  // F: end where all fits, R: colours, X: leave the text on the screen, K: Ctrl-C ends it. What the reader has set stays, and colours with it.
  const env = { ...environment, LESS: LESS === undefined ? 'FRXK' : `${LESS} -R` }
  const child = start(pager, env)
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(!NOT_STARTED.includes(code ?? 0)))
  })
  const stop = () => void child.kill()
  const heard = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', leaveToPager)
  process.once('SIGTERM', stop)
  try {
    child.stdin.on('error', () => {}) // the reader left before the end of the text
    child.stdin.end(text)
    return await ended
  } finally {
    process.off('SIGTERM', stop)
    process.off('SIGINT', leaveToPager)
    for (const listener of heard) process.on('SIGINT', listener)
  }
}

function leaveToPager(): void {}

/** Words without any sign of a shell need none: the pager itself is our child then, which ends with it. */
function start(pager: string, env: Environment) {
  const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit']
  if (!/^[\w\s./:=+,@%-]+$/.test(pager)) return spawn(pager, { shell: true, stdio, env })
  const [command, ...args] = pager.split(/\s+/)
  return spawn(command, args, { stdio, env })
}

// A finished file is given its name by renaming, which is one step. Windows refuses it while another program has the file open.

/** What Windows says while a virus scanner, an indexer or a reader has one of the two open. Elsewhere these mean what they say, and are said at once. */
const IN_USE: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY']

const longestMs = 2_000
const shortMs = 50

interface Renaming {
  readonly platform?: NodeJS.Platform
  /** One try; for a test that plays Windows. */
  readonly rename?: (from: string, to: string) => void
}

/**
 * `/dev/null`, a pipe of the shell or a socket is not replaced: it would be gone for every program, and nobody would get the bytes.
 * @throws Failure usage
 */
export function refuseDevice(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined || there.isFile() || there.isDirectory()) return
  throw new Failure('usage', `${path} is a device or a pipe, and was left as it is`, { hint: 'name a file' })
}

/**
 * `from` takes the place of `to`. On Windows it is tried again for two seconds while either is in use.
 * @throws Failure usage where `to` is no file, what `renameSync` throws
 */
export function renameOver(
  from: string,
  to: string,
  { platform = process.platform, rename = renameSync }: Renaming = {},
): void {
  refuseDevice(to)
  const tries = platform === 'win32' ? longestMs / shortMs : 1
  for (let left = tries - 1; ; left--) {
    try {
      rename(from, to)
      return
    } catch (error) {
      const isInUse = error instanceof Error && 'code' in error && IN_USE.includes(error.code)
      if (left === 0 || !isInUse) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, shortMs)
    }
  }
}

/** What is younger may be at work: nothing here can tell which processes run in another container that shares the folder. */
const mostAgeOfPartsMs = 24 * 3_600_000

/** Behind the name of the file; earlier versions wrote the number of their process. */
const ofPart = /^\.(?:[0-9a-f]{16}|\d+)\.part(?:-journal)?$/

/**
 * A name beside `path` for what takes its place once it is whole. No other program has it: containers that share a folder have the same numbers of
 * processes. What programs that were killed left under such names a day ago is removed.
 */
export function partOf(path: string): string {
  try {
    removeOldParts(dirname(path), basename(path))
  } catch {
    // Whoever writes there says what is wrong with the folder; what another user left there stays.
  }
  return `${path}.${randomBytes(8).toString('hex')}.part`
}

function removeOldParts(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(name) || !ofPart.test(entry.slice(name.length))) continue
    const part = join(folder, entry)
    const age = Date.now() - (statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
    if (age > mostAgeOfPartsMs) rmSync(part, { force: true })
  }
}
