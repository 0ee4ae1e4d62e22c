/** Environment in, exit code out. The only place that knows the process (`entry.ts` looked at its Node before). */
import { readFileSync, statSync } from 'node:fs'
import { runCli } from './cli/program.ts'
import { type DotEnvFile, readSettings, SETTING_VARIABLES } from './cli/settings.ts'
import { Failure } from './errors.ts'
import { realSystem } from './system.ts'

/**
 * Runs the command line of this process and sets its exit code.
 * @param entryUrl address of the entry file: the workers lie beside it, the example studies in the folder above
 */
export async function main(entryUrl: string): Promise<void> {
  process.umask(0o077)

  const environment = { ...process.env }
  // Diagnostics that Node itself could print must not find the keys in this process's environment.
  for (const name of SETTING_VARIABLES) delete process.env[name]

  const system = realSystem(environment)

  // Node's own debug output prints request headers, and it has begun before this line: better nothing than keys on the screen.
  if (/http|net|tls|undici|fetch|stream|\*/i.test(environment.NODE_DEBUG ?? '')) {
    system.terminal.err(
      'error: NODE_DEBUG would print the keys; unset it (or leave http, net, tls, undici, fetch out)\n',
    )
    process.exit(2)
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

  // A reader that closed the pipe (`| head`) has what it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  // Nobody listens to the talk any more; the work goes on.
  process.stderr.on('error', () => {})

  process.exitCode = await runCli(process.argv.slice(2), {
    system,
    settings: () => readSettings(environment, readDotEnv()),
    signal: interrupt.signal,
    workerFile: new URL('./engine-worker.js', entryUrl),
    studiesFolder: new URL('../studies/', entryUrl),
    tlsUnverified: environment.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  })
}

function readDotEnv(): DotEnvFile | undefined {
  try {
    return { text: readFileSync('.env', 'utf8'), mode: statSync('.env').mode }
  } catch {
    return undefined
  }
}
