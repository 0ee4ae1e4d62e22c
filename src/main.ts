/**
 * Reads the environment, runs the command, sets the exit code. The only file that uses `process`; `entry.ts` has checked the
 * version of Node before.
 */
import { readFileSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCli } from './cli/program.ts'
import { type DotEnvFile, profileKeyVariables, readSettings, SETTING_VARIABLES } from './cli/settings.ts'
import { FAILURES, Failure } from './errors.ts'
import { realSystem } from './system.ts'

const lastWordsMs = 2_000

/**
 * Runs the command line of this process and sets its exit code.
 * @param entryUrl address of the entry file: the workers lie beside it, the example studies in the folder above
 */
export async function main(entryUrl: string): Promise<void> {
  process.umask(0o077)

  const environment = { ...process.env }
  // A diagnostic report of Node prints the environment. The keys must not be in it.
  for (const name of [...SETTING_VARIABLES, ...profileKeyVariables(environment)]) delete process.env[name]

  const system = realSystem(environment, nameFromHere(entryUrl))

  // With NODE_DEBUG Node prints request headers, which hold the keys. It is too late to switch that off here, so the program
  // refuses to run.
  if (/http|net|tls|undici|fetch|stream|\*/i.test(environment.NODE_DEBUG ?? '')) {
    system.terminal.err(
      'error: NODE_DEBUG would print the keys; unset it (or leave http, net, tls, undici, fetch out)\n',
    )
    process.exitCode = 2 // an exit at once would cut off what still waits in a full pipe, this sentence included
    return
  }
  const interrupt = new AbortController()

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (interrupt.signal.aborted) process.exit(exitCode)
      interrupt.abort(new Failure('interrupted', `Interrupted by ${signal}`, { exitCode }))
    })
  }

  // stdout is closed by its reader (`| head`): that is a normal end.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') system.terminal.err(`error: the output cannot be written: ${error.message}\n`)
    process.exit(error.code === 'EPIPE' ? 0 : FAILURES.storeUnusable.exitCode)
  })

  process.exitCode = await runCli(process.argv.slice(2), {
    system,
    settings: (defaults) => readSettings(environment, readDotEnv(), defaults),
    signal: interrupt.signal,
    entryFile: new URL(entryUrl),
    workerFile: new URL('./engine-worker.js', entryUrl),
    studiesFolder: new URL('../studies/', entryUrl),
    tlsUnverified: environment.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    environment: { ...process.env }, // our settings were taken out above
    streams: () => ({ input: process.stdin, output: process.stdout }),
  })
  // A pipe whose reader has stopped reading keeps the process alive. After Ctrl-C it has this long to take what is printed.
  if (interrupt.signal.aborted) setTimeout(() => process.exit(), lastWordsMs).unref()
}

/** What is typed in the working folder to call this program: in a clone its launcher, beside an installed package `npx`, which finds it. */
function nameFromHere(entryUrl: string): string {
  const way = relative(process.cwd(), fileURLToPath(new URL('..', entryUrl)))
  if (statSync('dcalab', { throwIfNoEntry: false })?.isFile()) return `.${sep}dcalab`
  return way.split(sep)[0] === 'node_modules' ? 'npx dcalab' : 'dcalab'
}

function readDotEnv(): DotEnvFile | undefined {
  try {
    const hasModes = process.platform !== 'win32' // there every file seems readable by everybody
    return { text: readFileSync('.env', 'utf8'), ...(hasModes ? { mode: statSync('.env').mode } : {}) }
  } catch {
    return undefined
  }
}
