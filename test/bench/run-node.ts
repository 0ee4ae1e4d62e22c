/** A program of Node, run to its end, with what it took. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Run {
  readonly wallMs: number
  readonly cpuMs: number
  readonly stdout: string
}

/** A process tells what its processor time was as it ends: nobody else can ask for it. */
const TELL = `process.on('exit', () => require('node:fs').writeFileSync('cpu.json', JSON.stringify(process.cpuUsage())))`

export function runNode(args: readonly string[], cwd: string): Run {
  const env = { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: cwd }
  writeFileSync(join(cwd, 'tell.cjs'), TELL)
  const start = performance.now()
  const ended = spawnSync(process.execPath, ['--require', './tell.cjs', ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const wallMs = performance.now() - start
  if (ended.status !== 0) throw new Error(`${args.join(' ')} ended with ${ended.status}: ${ended.stderr}`)
  const cpu = JSON.parse(readFileSync(join(cwd, 'cpu.json'), 'utf8')) as NodeJS.CpuUsage // written above
  return { wallMs, cpuMs: (cpu.user + cpu.system) / 1000, stdout: ended.stdout }
}
