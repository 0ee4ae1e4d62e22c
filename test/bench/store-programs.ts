/** What a whole run of the program takes: the processor's time beyond bare Node, and the most memory it held. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder } from '../support/folder.ts'
import { median } from './measure.ts'

/** Loaded into every process of the program, its children too: what each has used is written when it ends. */
const witness = `process.on('exit',()=>{const{writeFileSync,renameSync}=process.getBuiltinModule('fs');const{userCPUTime,systemCPUTime,maxRSS}=process.resourceUsage();
const note=process.env.BENCH_USAGE+'/'+process.pid;
writeFileSync(note+'.part',JSON.stringify({cpuMs:(userCPUTime+systemCPUTime)/1000,megabytes:maxRSS/1024}));renameSync(note+'.part',note)})`

export interface Usage {
  readonly cpuMs: number
  readonly megabytes: number
}

/**
 * The processor's time of all ended children of this process and theirs, in ms, to a hundredth of a second; undefined where the system does
 * not say. A child that the program ends by force, as `sql` does with a statement's, writes no witness of its own.
 */
function childrenMs(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // Fields 16 and 17, counted after the name in parentheses, which may hold spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number)
  return (user + system) * 10
}

/** One run; its children's time is added, the memory is that of the largest. @throws Error when it fails */
export function usageOf(args: readonly string[], folder: string): Usage {
  const notes = join(folder, 'usage')
  removeFolder(notes)
  mkdirSync(notes)
  const before = childrenMs()
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(witness)}`,
      BENCH_USAGE: notes,
    },
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  const whole = readdirSync(notes).filter((name) => !name.endsWith('.part')) // a child may be ended while it writes
  const all = whole.map((name) => JSON.parse(readFileSync(join(notes, name), 'utf8')) as Usage) // written above
  const after = childrenMs()
  const witnessed = all.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  return {
    cpuMs: before === undefined || after === undefined ? witnessed : Math.max(witnessed, after - before),
    megabytes: Math.max(...all.map(({ megabytes }) => megabytes)),
  }
}

export interface BeyondBare extends Usage {
  /** What bare Node takes itself, to judge the machine by. */
  readonly bareMs: number
}

/** Medians of so many rounds, bare Node beside each; the first round only warms up. `prepare` comes before each. */
export function measureProgram(
  args: readonly string[],
  folder: string,
  rounds: number,
  prepare = () => {},
): BeyondBare {
  const seen = Array.from({ length: rounds + 1 }, () => {
    prepare()
    const { cpuMs: bareMs } = usageOf(['-e', '0'], folder)
    const { cpuMs, megabytes } = usageOf(['dist/main.js', ...args], folder)
    return { cpuMs: cpuMs - bareMs, bareMs, megabytes }
  }).slice(1)
  const medianOf = (key: keyof BeyondBare) => median(seen.map((one) => one[key]))
  return { cpuMs: medianOf('cpuMs'), bareMs: medianOf('bareMs'), megabytes: medianOf('megabytes') }
}

/** Cells of a table: what it took, in multiples of bare Node too, since machines start a Node in 30 ms or in 200; what is allowed; memory. */
export function cellsOf({ cpuMs, bareMs, megabytes }: BeyondBare, allowedMs: number): string[] {
  const times = `${(cpuMs / bareMs).toFixed(1)} × ${bareMs.toFixed(0)}`
  return [`${cpuMs.toFixed(0)} ms`, times, `${allowedMs} ms`, `${megabytes.toFixed(0)} MB`]
}

export const CELLS = ['median', 'bare Node', 'allowed', 'most memory']
