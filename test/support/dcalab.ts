/** The built program, run as a user runs it: its own process, its own folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderOnDisk } from './folder.ts'

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url))
export const program = join(projectRoot, 'dist/main.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Desk {
  /** The working folder; data/ and reports/ appear in it. */
  readonly folder: string
  /** Runs one command line to its end. */
  dcalab(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>
  /** Starts one and hands over the process. */
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcess
  /** Starts another program in the same folder, with Node's own arguments. */
  startNode(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcess
}

/** An empty folder to work in. The environment holds nothing of the person who runs the tests. */
export function desk(folder = folderOnDisk()): Desk {
  if (!existsSync(program)) throw new Error('dist/main.js is missing: run `npm run build` first (npm test does)')
  const startNode: Desk['startNode'] = (args, environment = {}) =>
    spawn(process.execPath, [...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, TZ: 'Europe/Berlin', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const start: Desk['start'] = (args, environment) => startNode([program, ...args], environment)
  return {
    folder,
    start,
    startNode,
    dcalab: (args, environment) => ended(start(args, environment)),
  }
}

/** Everything a process said until it ended; code is null after a signal. 13 is Node's word for a promise that nobody keeps (H14). */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 13) reject(new Error(`ended while it still waited for something: ${stderr}`))
      else resolve({ code, stdout, stderr })
    })
  })
}

/** The first line a process writes to stdout, while it goes on. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}
