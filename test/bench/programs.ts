/**
 * Whole programs, as somebody at a terminal meets them: from the start of the process to its end, on a synthetic year of minutes in a candle
 * folder and on real ones. Runs are interleaved; medians. Beside the clock on the wall, which is believed on a quiet machine only, stands the processor's,
 * in which what others do on the machine meanwhile leaves little.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import type { BenchLog } from './bench-run.ts'
import { measureChecks } from './check-figures.ts'
import { type LoadWatch, onWall } from './load-watch.ts'
import { median } from './measure.ts'
import { type Run, runNode } from './run-node.ts'

const ROUNDS = 5
const MARKET = 'synthetic/BENCH-USDT'
const RULES = ['--tick', '0.01', '--lot', '0.00001', '--min-notional', '5']
const SYNTHETIC = `market: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT }
period: { from: 2024-01-01, to: 2024-12-31 }`
const ETH = 'binance/ETH-USDT'
const ETH_RULES = ['--tick', '0.01', '--lot', '0.0001', '--min-notional', '5']
const ETH_PERIOD = `market: { exchange: binance, baseAsset: ETH, quoteAsset: USDT }
period: { from: 2025-05-20, to: 2025-08-18 }`

const CONFIG = `config: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT, investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 5, dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.4, takeProfit: 1, stopLoss: 0 }
`
/** 8 × 10 × 4 × 5 × 6 × so many take profits; all points have a result. */
const studyText = (ground: string, takeProfitStep: number) => `name: bench
${ground}
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

/** What is run, in a folder of its own, and how busy the machine was meanwhile. */
interface Bench {
  readonly dcalab: (...args: string[]) => Run
  readonly screen: (workers: number, study: string) => Run
  readonly interleaved: <Name extends string>(measures: Readonly<Record<Name, () => Run>>) => Measured<Name>
  readonly folder: string
}

interface Measured<Name extends string> {
  readonly runs: Readonly<Record<Name, Run>>
  /** A figure by the clock on the wall, where the machine was quiet enough for one. */
  readonly onWall: (figure: string) => string
}

interface ProgramsRequest {
  readonly log: BenchLog
  readonly load: LoadWatch
  readonly isWanted: (part: 'checks' | 'programs') => boolean
}

/** Needs a build. */
export function measurePrograms({ log, load, isWanted }: ProgramsRequest): void {
  const folder = temporaryFolder()
  try {
    const dcalab = (...args: string[]) => runNode([join(process.cwd(), 'dist/main.js'), ...args], folder)
    const bench: Bench = {
      folder,
      dcalab,
      screen: (workers, study) => dcalab('screen', study, '--workers', String(workers), '--json'),
      interleaved: (measures) => {
        const mark = load.mark()
        const runs = interleaved(measures)
        const perCore = load.perCoreSince(mark)
        return { runs, onWall: (figure) => onWall(figure, perCore) }
      },
    }
    if (isWanted('checks')) measureChecks({ ...bench, nothing: () => runNode(['-e', '0'], folder) }, log)
    if (!isWanted('programs')) return
    const head = ['what', 'wall', 'processor', 'allowed']
    log.table('whole programs on a synthetic year of minutes', head, measureSynthetic(bench, log.headline))
    const file = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
    if (file !== undefined) log.table('the same on ETH minutes 2025', head, measureEth(bench, file, log.headline))
  } finally {
    removeFolder(folder)
  }
}

function measureSynthetic({ folder, dcalab, screen, interleaved }: Bench, told: BenchLog['headline']): string[][] {
  writeFileSync(join(folder, 'config.yaml'), CONFIG)
  writeFileSync(join(folder, 'grid.yaml'), studyText(SYNTHETIC, 0.2)) // 153,600 points
  writeFileSync(join(folder, 'wide.yaml'), studyText(SYNTHETIC, 0.05)) // 585,600
  dcalab('candles', 'generate', '--market', MARKET, '--from', '2024-01-01', '--days', '365', '--seed', '1')
  const bare = interleaved({
    nothing: () => runNode(['-e', '0'], folder),
    backtest: () => dcalab('backtest', 'config.yaml', '--candles', MARKET, '--json'),
    one: () => screen(1, 'grid.yaml'),
    two: () => screen(2, 'grid.yaml'),
  })
  // Long enough that starting the program and reading the candles, which no worker shares, hardly count.
  const wide = interleaved({ one: () => screen(1, 'wide.yaml'), two: () => screen(2, 'wide.yaml') })
  dcalab('candles', 'symbols', '--market', MARKET, ...RULES)
  const ruled = interleaved({ one: () => screen(1, 'grid.yaml') })
  told('screen', 'synthetic', millionsPerCpuMinute(bare.runs.one))
  told('ruledScreen', 'synthetic', millionsPerCpuMinute(ruled.runs.one))
  const { nothing, backtest, one, two } = bare.runs
  const gain = (wide.runs.one.wallMs / wide.runs.two.wallMs).toFixed(2)
  return [
    [
      'a cold backtest with every metric, beyond bare Node',
      bare.onWall(`${Math.round(backtest.wallMs - nothing.wallMs)} ms`),
      `${Math.round(backtest.cpuMs - nothing.cpuMs)} ms`,
      '300 ms',
    ],
    ['screen, config-years per minute, one worker', ...perMinute(one, bare), '≥ 2 M'],
    ['the same with tick, lot and minimum notional', ...perMinute(ruled.runs.one, ruled), '≥ 1 M'],
    ['screen, two workers', ...perMinute(two, bare), '≥ 3.5 M'],
    ['two workers over one, on four times the grid', wide.onWall(gain), '', '≥ 1.6'],
  ]
}

function measureEth(
  { folder, dcalab, screen, interleaved }: Bench,
  file: string,
  told: BenchLog['headline'],
): string[][] {
  writeFileSync(join(folder, 'eth.yaml'), studyText(ETH_PERIOD, 0.05)) // 585,600
  dcalab('candles', 'import', file, '--market', ETH, '--interval', '1m')
  const bare = interleaved({ one: () => screen(1, 'eth.yaml') })
  dcalab('candles', 'symbols', '--market', ETH, ...ETH_RULES)
  const ruled = interleaved({ one: () => screen(1, 'eth.yaml') })
  told('screen', 'eth', millionsPerCpuMinute(bare.runs.one))
  told('ruledScreen', 'eth', millionsPerCpuMinute(ruled.runs.one))
  return [
    ['screen, config-years per minute, one worker', ...perMinute(bare.runs.one, bare), ''],
    ['the same with tick, lot and minimum notional', ...perMinute(ruled.runs.one, ruled), ''],
  ]
}

function perMinute(run: Run, { onWall }: Pick<Measured<never>, 'onWall'>): [string, string] {
  const wall = configYears(run) / (run.wallMs / 60_000) / 1e6
  return [onWall(`${wall.toFixed(2)} M`), `${millionsPerCpuMinute(run).toFixed(2)} M`]
}

function millionsPerCpuMinute(run: Run): number {
  return configYears(run) / (run.cpuMs / 60_000) / 1e6
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
