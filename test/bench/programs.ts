/**
 * Whole programs, as somebody at a terminal meets them: from the start of the process to its end, on a synthetic year of minutes in a candle
 * folder. Runs are interleaved; medians. Beside the clock on the wall stands the processor's, in which what others do on the
 * machine meanwhile leaves hardly a trace.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { median, table } from './measure.ts'

const ROUNDS = 5
const MARKET = 'synthetic/BENCH-USDT'
const RULES = ['--tick', '0.01', '--lot', '0.00001', '--min-notional', '5']

const CONFIG = `config: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT, investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.4, takeProfit: 1, stopLoss: 0 }
`
/** 8 × 10 × 4 × 5 × 6 × so many take profits; all points have a result. */
const studyText = (takeProfitStep: number) => `name: bench
market: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT }
period: { from: 2024-01-01, to: 2024-12-31 }
interval: 1m
costs: { feePercent: 0.1, slippagePercent: 0 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 10 }
grid:
  dcaMaxSafetyOrders: { from: 3, to: 10, step: 1 }
  dcaPriceScalePercent: { from: 0.6, to: 2.4, step: 0.2 }
  dcaPriceStepMultiplier: [1, 1.1, 1.2, 1.4]
  dcaVolumeScale: { from: 1, to: 1.4, step: 0.1 }
  takeProfit: { from: 0.6, to: 3.6, step: ${takeProfitStep} }
  stopLoss: [0, 8, 12, 16, 20, 25]
objective: { maximize: netProfit }
`

interface Run {
  readonly wallMs: number
  readonly cpuMs: number
  readonly stdout: string
}

/** Needs a build. */
export function measurePrograms(): void {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder, 'config.yaml'), CONFIG)
    writeFileSync(join(folder, 'grid.yaml'), studyText(0.2)) // 153,600 points
    writeFileSync(join(folder, 'wide.yaml'), studyText(0.05)) // 585,600
    const dcalab = (...args: string[]) => runNode([join(process.cwd(), 'dist/main.js'), ...args], folder)
    dcalab('candles', 'generate', '--market', MARKET, '--from', '2024-01-01', '--days', '365', '--seed', '1')
    const screen = (workers: number, study = 'grid.yaml') =>
      dcalab('screen', study, '--workers', String(workers), '--json')
    const measures = {
      nothing: () => runNode(['-e', '0'], folder),
      backtest: () => dcalab('backtest', 'config.yaml', '--candles', MARKET, '--json'),
      one: () => screen(1),
      two: () => screen(2),
    }
    const bare = interleaved(measures)
    // Long enough that starting the program and reading the candles, which no worker shares, hardly count.
    const wide = interleaved({ one: () => screen(1, 'wide.yaml'), two: () => screen(2, 'wide.yaml') })
    dcalab('candles', 'symbols', '--market', MARKET, ...RULES)
    const ruled = interleaved({ one: () => screen(1) })
    const perMinute = (run: Run) => `${(configYears(run) / (run.wallMs / 60_000) / 1e6).toFixed(2)} M`
    const perCpuMinute = (run: Run) => `${(configYears(run) / (run.cpuMs / 60_000) / 1e6).toFixed(2)} M`
    table(
      'whole programs on a synthetic year of minutes',
      ['what', 'wall', 'processor', 'allowed'],
      [
        ['a cold backtest with every metric, beyond bare Node', ...beyond(bare.backtest, bare.nothing), '300 ms'],
        ['screen, config-years per minute, one worker', perMinute(bare.one), perCpuMinute(bare.one), '≥ 2 M'],
        ['the same with tick, lot and minimum notional', perMinute(ruled.one), perCpuMinute(ruled.one), '≥ 1 M'],
        ['screen, two workers', perMinute(bare.two), perCpuMinute(bare.two), '≥ 3.5 M'],
        ['two workers over one, on four times the grid', (wide.one.wallMs / wide.two.wallMs).toFixed(2), '', '≥ 1.6'],
      ],
    )
  } finally {
    removeFolder(folder)
  }
}

function beyond(run: Run, nothing: Run): [string, string] {
  return [`${Math.round(run.wallMs - nothing.wallMs)} ms`, `${Math.round(run.cpuMs - nothing.cpuMs)} ms`]
}

/** Points of a screen times years of its candles. */
function configYears({ stdout }: Run): number {
  const report = JSON.parse(stdout) as { configs: number; candles: { count: number } } // the JSON of dcalab screen
  return (report.configs * report.candles.count) / 525_600
}

/** The run with the median wall time, of ROUNDS in turn after one that only warms up. */
function interleaved<Name extends string>(measures: Readonly<Record<Name, () => Run>>): Record<Name, Run> {
  const names = Object.keys(measures) as Name[] // the keys it was made with
  const rounds = Array.from(
    { length: ROUNDS + 1 },
    () => Object.fromEntries(names.map((name) => [name, measures[name]()])) as Record<Name, Run>, // one per name
  ).slice(1)
  const middle = (name: Name): Run => ({
    wallMs: median(rounds.map((round) => round[name].wallMs)),
    cpuMs: median(rounds.map((round) => round[name].cpuMs)),
    stdout: rounds[0][name].stdout,
  })
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as Record<Name, Run> // one per name
}

/** A process tells what its processor time was as it ends: nobody else can ask for it. */
const TELL = `process.on('exit', () => require('node:fs').writeFileSync('cpu.json', JSON.stringify(process.cpuUsage())))`

function runNode(args: readonly string[], cwd: string): Run {
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
