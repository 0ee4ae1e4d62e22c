/** The built program on a real terminal: `script` of util-linux makes one. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { program } from './dcalab.ts'

/** False where there is no such `script`; it says so, and tests skip. */
export const hasPty = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
if (!hasPty) process.stderr.write('skipped: needs `script` of util-linux for a terminal\n')

export interface Sitting {
  readonly folder: string
  readonly rows?: number
  readonly columns?: number
  readonly environment?: Readonly<Record<string, string>>
  /** What is typed, each once the terminal shows what it answers, and again each second until it is heard. */
  readonly typed?: readonly (readonly [shown: string, keys: string])[]
}

/** One command line, as it looks on a terminal: with its control sequences; a text is what a shell is given. The exit code is the program's. */
export function onPty(
  args: readonly string[] | string,
  { folder, rows = 24, columns = 80, environment = {}, typed = [] }: Sitting,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const line =
    typeof args === 'string'
      ? args
      : `exec ${[process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')}`
  const child = spawn('script', ['-qec', `stty rows ${rows} cols ${columns}; ${line}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm', TZ: 'Europe/Berlin', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const left = [...typed]
  let shown = ''
  let answered = 0
  let again: NodeJS.Timeout | undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const [next] = left
    if (next !== undefined && shown.includes(next[0], answered)) {
      answered = shown.length
      left.shift()
      clearInterval(again)
      child.stdin.write(next[1])
      again = setInterval(() => child.stdin.write(next[1]), 1_000) // a program may look for keys a moment after it asked for one
    }
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(again)
      resolve({ code, shown: shown.replaceAll('\r\n', '\n') })
    })
  })
}

/** How many processes still have this variable of the environment (Linux). */
export function processesWith(variable: string): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.filter((id) => {
    try {
      return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(variable)
    } catch {
      return false // it has ended, or is another user's
    }
  }).length
}
