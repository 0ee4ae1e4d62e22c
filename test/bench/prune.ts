/**
 * `npm run bench:prune`: a grid of 2,290,032 points screened whole and pruned, in turn, by the program itself: CPU time of the process, what was dropped, and whether
 * the tops are equal to the last digit; then once more in this process, for what of the simulations' own work was dropped. On the minutes of ETH 2025, which lie beside
 * the project.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { answerScreen } from '../../src/workbench/screen/answer-screen.ts'
import type { ScreenCrew, ScreenSetting } from '../../src/workbench/screen/messages.ts'
import { planPortions } from '../../src/workbench/screen/portions.ts'
import { pruneGrid } from '../../src/workbench/screen/prune/prune-grid.ts'
import { type GridScreening, screenGrid } from '../../src/workbench/screen/screen-grid.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { cpuMs, median, table } from './measure.ts'

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
if (candles !== undefined) {
  measure(candles)
  await measureWork(candles)
}

function measure(candleFile: string): void {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder, 'wide.yaml'), STUDY)
    run(folder, ['candles', 'import', candleFile, '--market', 'binance/ETH-USDT', '--interval', '1m'])
    for (const workers of [1, 2]) measureProgram(folder, workers)
  } finally {
    removeFolder(folder)
  }
}

function measureProgram(folder: string, workers: number): void {
  const screen = ['screen', 'wide.yaml', '--top', String(TOP), '--workers', String(workers), '--json']
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
    `top ${TOP} of ${all.configs} points on the minutes of ETH 2025, workers: ${workers}`,
    ['what', 'figure', 'wanted'],
    [
      ['CPU of the whole screen', seconds(wholeMs), ''],
      ['CPU of the pruned one', seconds(prunedMs), ''],
      ['whole over pruned', (wholeMs / prunedMs).toFixed(1), '≥ 8'],
      ['points dropped before any run', `${dropped.toFixed(2)} %`, '≥ 95 %'],
      ['the same top', isEqual(all.top, kept.top), 'yes'],
    ],
  )
}

/** The work of the simulations alone: what workers do, without programs, candles, bounds and the messages between threads. */
async function measureWork(candleFile: string): Promise<void> {
  const study = parseStudy(STUDY, { file: 'wide.yaml' })
  const prepared = prepareCandles(readCsvCandles(candleFile, 60_000))
  const portions = planPortions(study, prepared.count)
  const markets = [{ market: study.markets[0], prepared, symbol: NO_SYMBOL_RULES }]
  const setting: ScreenSetting = { study, portions, markets, points: null }
  // The first pruned run compiles the engine.
  await workOf(setting, pruneGrid)
  const pruned = await workOf(setting, pruneGrid)
  const whole = await workOf(setting, screenGrid)
  table(
    'the same in one thread: CPU of its simulations alone',
    ['what', 'figure', 'wanted'],
    [
      ['of all points', seconds(whole.sweepMs), ''],
      ['of the points that were not dropped, as far as they were run', seconds(pruned.sweepMs), ''],
      ['work dropped', `${(100 * (1 - pruned.sweepMs / whole.sweepMs)).toFixed(2)} %`, '≥ 95 %'],
      ['every metric of the best, in both', `${seconds(whole.measureMs)}, ${seconds(pruned.measureMs)}`, ''],
      ['the same top', isEqual(whole.found.top, pruned.found.top), 'yes'],
    ],
  )
}

/** A screen whose crew is this thread, with the CPU time of its answers. */
async function workOf(setting: ScreenSetting, find: typeof pruneGrid) {
  const answer = answerScreen(setting)
  const spent = { sweepMs: 0, measureMs: 0 }
  const crew: ScreenCrew = {
    size: 1,
    started: () => 1,
    ask: async (request) => {
      const replies: ReturnType<typeof answer>[] = []
      const ms = cpuMs(() => replies.push(answer(request)))
      spent[request.kind === 'measure' ? 'measureMs' : 'sweepMs'] += ms
      return replies[0]
    },
    close: async () => {},
  }
  const found: GridScreening = await find({ crew, setting, top: TOP })
  return { ...spent, found }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function isEqual(one: object, other: object): string {
  return JSON.stringify(one) === JSON.stringify(other) ? 'yes' : 'NO'
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
