/**
 * `npm run bench:prune`: a grid of 2,290,032 points screened whole and pruned, in turn, by the program itself: CPU time of the process, what was dropped, and whether
 * the tops are equal to the last digit. On the minutes of ETH 2025, which lie beside the project.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { median, table } from './measure.ts'

const ROUNDS = 3
const TOP = 100

/** The grid of `studies/screen-btc-may-2021.yaml` with all steps halved. */
const STUDY = `name: wide
market: { exchange: binance, baseAsset: ETH, quoteAsset: USDT }
period: { from: 2025-05-20, to: 2025-08-18 }
interval: 1m
costs: { feePercent: 0.1, slippagePercent: 0 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 10 }
grid:
  dcaMaxSafetyOrders: { from: 3, to: 10, step: 1 }
  dcaPriceScalePercent: { from: 0.6, to: 2.4, step: 0.1 }
  dcaPriceStepMultiplier: { from: 1, to: 1.4, step: 0.05 }
  dcaVolumeScale: { from: 1, to: 1.4, step: 0.05 }
  takeProfit: { from: 0.6, to: 3.6, step: 0.1 }
  stopLoss: [0, 8, 12, 16, 20, 25]
objective: { maximize: netProfit }
`

interface Report {
  readonly configs: number
  readonly top: readonly object[]
  readonly pruned: { readonly computed: number } | null
}

const candles = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
if (candles !== undefined) measure(candles)

function measure(candleFile: string): void {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder, 'wide.yaml'), STUDY)
    run(folder, ['candles', 'import', candleFile, '--market', 'binance/ETH-USDT', '--interval', '1m'])
    const screen = ['screen', 'wide.yaml', '--top', String(TOP), '--workers', '1', '--json']
    const rounds = Array.from({ length: ROUNDS }, () => ({
      whole: run(folder, screen),
      pruned: run(folder, [...screen, '--prune']),
    }))
    const [{ whole, pruned }] = rounds
    const [all, kept] = [read(whole.stdout), read(pruned.stdout)]
    const [wholeMs, prunedMs] = [
      median(rounds.map((each) => each.whole.cpuMs)),
      median(rounds.map((each) => each.pruned.cpuMs)),
    ]
    const dropped = 100 * (1 - (kept.pruned?.computed ?? 0) / all.configs)
    table(
      `top ${TOP} of ${all.configs} points on the minutes of ETH 2025, one worker`,
      ['what', 'figure', 'wanted'],
      [
        ['CPU of the whole screen', `${(wholeMs / 1000).toFixed(2)} s`, ''],
        ['CPU of the pruned one', `${(prunedMs / 1000).toFixed(2)} s`, ''],
        ['whole over pruned', (wholeMs / prunedMs).toFixed(1), '≥ 8'],
        ['points dropped before any run', `${dropped.toFixed(2)} %`, '≥ 95 %'],
        ['the same top', JSON.stringify(all.top) === JSON.stringify(kept.top) ? 'yes' : 'NO', 'yes'],
      ],
    )
  } finally {
    removeFolder(folder)
  }
}

function read(stdout: string): Report {
  return JSON.parse(stdout) as Report // the JSON of dcalab screen
}

/** A process tells what its processor time was as it ends: nobody else can ask for it. */
function run(cwd: string, args: readonly string[]): { readonly cpuMs: number; readonly stdout: string } {
  writeFileSync(
    join(cwd, 'tell.cjs'),
    `process.on('exit', () => require('node:fs').writeFileSync('cpu.json', JSON.stringify(process.cpuUsage())))`,
  )
  const program = join(process.cwd(), 'dist/main.js')
  const env = { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: cwd }
  const ended = spawnSync(process.execPath, ['--require', './tell.cjs', program, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (ended.status !== 0) throw new Error(`${args.join(' ')} ended with ${ended.status}: ${ended.stderr}`)
  const { user, system } = JSON.parse(readFileSync(join(cwd, 'cpu.json'), 'utf8')) as NodeJS.CpuUsage // written above
  return { cpuMs: (user + system) / 1000, stdout: ended.stdout }
}
