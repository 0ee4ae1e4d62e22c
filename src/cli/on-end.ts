/** `run --on-end '<command>'`: a command of the user's own, for a message or the next step. It is told how the run ended by variables. */
import { spawn } from 'node:child_process'
import type { RunSummary } from '../workbench/run/run.ts'
import type { Context } from './context.ts'

/** Where a run ended. */
export interface RunEnd {
  readonly exitCode: number
  /** undefined = it failed before there was anything to sum up. */
  readonly summary: RunSummary | undefined
  /** Code of the failure (`errors.ts`); undefined = none. */
  readonly failure: string | undefined
  /** Path of the result store. */
  readonly store: string
}

/** Long enough to write a report and upload it. */
const longestMs = 600_000

/**
 * The command is given to the shell of the system as it was typed, and nothing of the run is put into it: no name and no word of a service can
 * become a part of a command. It has no key. @returns its exit code; null = it was ended by a signal or after ten minutes, or could not be started
 */
export async function runOnEnd(context: Context, command: string, end: RunEnd): Promise<number | null> {
  const { terminal, clock } = context.system
  const child = spawn(command, {
    shell: true, // sh, or cmd.exe on Windows
    env: { ...withoutKeys(context.environment), ...variablesOf(end) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', terminal.err) // stdout is for the run's data
  const done = new AbortController()
  clock.sleep(longestMs, done.signal).then(
    () => child.kill(),
    () => {}, // it was done in time
  )
  return new Promise((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code))
  }).then((code) => {
    done.abort()
    return typeof code === 'number' ? code : null
  })
}

/** Names, numbers, times and hashes of our own, and no text of a service; empty = there is none. */
function variablesOf({ exitCode, summary, failure, store }: RunEnd): Record<string, string> {
  const { study, stoppedBy, trials, allowance, best } = summary ?? {}
  const values = {
    EXIT_CODE: exitCode,
    FAILURE: failure,
    STUDY: study,
    STOPPED_BY: stoppedBy,
    TOTAL: trials?.total,
    DONE: trials?.done,
    FAILED: trials?.failed,
    PENDING: trials?.pending,
    NEXT_AT: allowance?.nextAt,
    NEXT_AT_SOURCE: allowance?.source,
    BEST: best?.trial,
  }
  const named = Object.entries(values).map(([name, value]) => [`DCALAB_RUN_${name}`, String(value ?? '')])
  return { ...Object.fromEntries(named), DCALAB_STORE: store }
}

function withoutKeys(environment: Context['environment']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^DCALAB_.*KEY/.test(name)))
}
