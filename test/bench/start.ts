/**
 * `npm run bench:start`: what a command costs before it does anything — help, version, what Tab asks — in time of the processor beyond bare Node.
 * Each is started once a round, in turn, bare Node among them, so that all suffer alike from what else the machine does; medians.
 * `-- --rounds 15` takes fewer. It ends with 1 where more is taken than allowed.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { median, table } from './measure.ts'

/** Allowed, ms of the processor beyond bare Node. */
const WITHOUT_STORE = 40
const WITH_NAMES = 150

const STARTS: readonly (readonly [title: string, args: readonly string[], allowed: number])[] = [
  ['--version', ['--version'], WITHOUT_STORE],
  ['--help', ['--help'], WITHOUT_STORE],
  ['help of a command', ['run', '--help'], WITHOUT_STORE],
  ['help of a group', ['candles', '--help'], WITHOUT_STORE],
  ['Tab at the first word', ['complete', '--', 'lea'], WITHOUT_STORE],
  ['Tab at a command of a group', ['complete', '--', 'candles', 'im'], WITHOUT_STORE],
  ['Tab at a flag', ['complete', '--', 'run', 'mine', '--allow'], WITHOUT_STORE],
  ['Tab at a value of a few', ['complete', '--', 'report', 'mine', '--format', 's'], WITHOUT_STORE],
  ['Tab at the name of a study', ['complete', '--', 'leaderboard', ''], WITH_NAMES],
  ['Tab at a trial', ['complete', '--', 'show', ''], WITH_NAMES],
  ['Tab at a column', ['complete', '--', 'sql', 'select net_'], WITH_NAMES],
  ['Tab at a market', ['complete', '--', 'candles', 'check', ''], WITH_NAMES],
]

const program = join(process.cwd(), 'dist/main.js')
/** A process tells what it took as it ends: nobody else can ask for it. */
const WITNESS = `process.on('exit', () => require('node:fs').writeFileSync('cpu.json', JSON.stringify(process.cpuUsage())))`

const { values } = parseArgs({ options: { rounds: { type: 'string' } } })
const folder = temporaryFolder()
try {
  measureStarts(Number(values.rounds ?? 41))
} finally {
  removeFolder(folder)
}

function measureStarts(rounds: number): void {
  makeNames()
  const bare: number[] = []
  const beyond = STARTS.map((): number[] => [])
  // The first round only warms up: it also keeps the compiled program for those that follow.
  for (let round = 0; round <= rounds; round++) {
    const nothing = cpuMsOf(['-e', '0'])
    if (round > 0) bare.push(nothing)
    STARTS.forEach(([, args], index) => {
      const taken = cpuMsOf([program, ...args])
      if (round > 0) beyond[index].push(taken - nothing)
    })
  }
  const medians = beyond.map(median)
  table(
    `starts, in time of the processor beyond bare Node (${median(bare).toFixed(0)} ms); medians of ${rounds}`,
    ['', 'median', 'allowed'],
    STARTS.map(([title, , allowed], index) => [title, `${medians[index].toFixed(1)} ms`, `${allowed} ms`]),
  )
  if (STARTS.some(([, , allowed], index) => medians[index] > allowed)) process.exitCode = 1
}

/** Something for Tab to find: a market, a study, its trials. */
function makeNames(): void {
  const market = { exchange: 'synthetic', baseAsset: 'TAB', quoteAsset: 'USDT' }
  const study = {
    ...{ name: 'mine', market, period: { from: '2024-01-01', to: '2024-01-03' }, base: STUDY_BASE },
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [0.5, 1, 2] },
  }
  writeFileSync(join(folder, 'mine.json'), JSON.stringify(study))
  const made = ['--market', 'synthetic/TAB-USDT', '--from', '2024-01-01', '--days', '2', '--interval', '1h']
  start([program, 'candles', 'generate', ...made])
  start([program, 'run', 'mine.json'])
}

function cpuMsOf(args: readonly string[]): number {
  writeFileSync(join(folder, 'witness.cjs'), WITNESS)
  start(['--require', './witness.cjs', ...args])
  const { user, system } = JSON.parse(readFileSync(join(folder, 'cpu.json'), 'utf8')) as NodeJS.CpuUsage // written by it
  return (user + system) / 1000
}

/** @throws Error when it fails */
function start(args: readonly string[]): void {
  const env = { PATH: process.env.PATH, HOME: folder }
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
}
