/**
 * `npm run bench:examine`: what `dcalab examine` costs on 91 days of minutes. Every run is the whole program on a real store, which the program
 * itself filled through the embedded service; the market is generated. Where eight years of its hours are stored, too, the verdict runs the bot on 60
 * stretches of these.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { desk } from '../support/dcalab.ts'
import { removeFolder } from '../support/folder.ts'
import { print, table } from './measure.ts'
import { measureProgram } from './store-programs.ts'

const ROUNDS = 5
const MARKET = 'synthetic/BENCH-USDT'
const HOURS = ['--market', MARKET, '--interval', '1h', '--from', '2017-06-01', '--days', '2922', '--seed', '1']
const FOLDS = 'validate: { walkForward: { train: 30d, test: 10d } }'

interface BenchStudy {
  readonly name: string
  readonly what: string
  readonly study: string
  readonly hasHours?: boolean
  readonly allowedMs: number
}

/** 100 points, all paid for; the examination compares the winner with all of them. */
const SMALL = `grid:
  dcaPriceStepMultiplier: [1.1]
  dcaVolumeScale: [1.3]
  stopLoss: [0]
  dcaMaxSafetyOrders: [3, 4, 5, 6, 8]
  dcaPriceScalePercent: [0.6, 1, 1.4, 2]
  takeProfit: [0.6, 1, 1.5, 2, 3]`

/** Of 10,752 points 100 are paid for; the examination compares the winner with 1,000 that it draws. */
const LARGE = `grid:
  dcaMaxSafetyOrders: [2, 4, 6, 8]
  dcaPriceScalePercent: { from: 0.4, to: 4, count: 7, scale: log }
  dcaPriceStepMultiplier: [1, 1.2, 1.4]
  dcaVolumeScale: [1, 1.25, 1.5, 1.75]
  takeProfit: { from: 0.4, to: 6, count: 8, scale: log }
  stopLoss: [0, 8, 15, 25]
search: { method: random, configs: 100 }`

const STUDIES: readonly BenchStudy[] = [
  row('grid', 'a study of 100 trials, its whole grid', SMALL),
  { ...row('hours', 'the same with 60 stretches on eight years of hours', SMALL), hasHours: true, allowedMs: 1500 },
  row('folds', 'a study of 100 trials with folds of 30 and 10 days', `${SMALL}\n${FOLDS}`),
  row('drawn', 'a study of 100 trials, drawn from 10,752 points', LARGE),
  row('drawn-folds', 'the same with folds', `${LARGE}\n${FOLDS}`),
]
const TRIAL_MS = 1500

function row(name: string, what: string, rest: string): BenchStudy {
  const study = `name: ${name}
market: { exchange: synthetic, baseAsset: BENCH, quoteAsset: USDT }
period: { from: 2025-03-01, to: 2025-05-31 }
interval: 1m
base: { investment: 1000, leverage: 1, dcaTotalBudget: 1000, dcaInitialOrderSize: 25 }
${rest}
objective: { maximize: netProfit }
`
  return { name, what, study, allowedMs: 5000 }
}

await main()

async function main(): Promise<void> {
  print(`dcalab examine on 91 days of minutes, medians of ${ROUNDS}\n`)
  const lines: (readonly string[])[] = []
  for (const bench of STUDIES) lines.push(...(await measureStudy(bench)))
  table('in time of the processor beyond bare Node', ['', 'median', 'allowed', 'most memory'], lines)
}

/** Each in a folder of its own: a service has 100 backtests a day, and looks at the same days would count together. */
async function measureStudy({
  name,
  what,
  study,
  hasHours,
  allowedMs,
}: BenchStudy): Promise<readonly (readonly string[])[]> {
  const { folder, dcalab } = desk()
  const told = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await dcalab(args)
    if (code !== 0) throw new Error(`dcalab ${args.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }
  const measured = (target: string, allowedMs: number, title: string): readonly string[] => {
    const places = ['--store', join(folder, 'data/workbench.sqlite'), '--candles-dir', join(folder, 'data/candles')]
    const { cpuMs, megabytes } = measureProgram(['examine', target, ...places], folder, ROUNDS)
    return [title, `${cpuMs.toFixed(0)} ms`, `${allowedMs} ms`, `${megabytes.toFixed(0)} MB`]
  }
  try {
    writeFileSync(join(folder, 'study.yaml'), study)
    await told('candles', 'generate', '--market', MARKET, '--from', '2025-03-01', '--days', '91', '--seed', '1')
    if (hasHours) await told('candles', 'generate', ...HOURS)
    await told('run', 'study.yaml')
    const best = bestOf(await told('leaderboard', name, '--json'))
    const ofStudy = measured(name, allowedMs, what)
    return name === STUDIES[0].name ? [ofStudy, measured(best, TRIAL_MS, 'its best trial by itself')] : [ofStudy]
  } finally {
    removeFolder(folder)
  }
}

/** The fingerprint of the first of a leaderboard. */
function bestOf(json: string): string {
  const [{ fingerprint }] = JSON.parse(json) as readonly { readonly fingerprint: string }[] // the JSON of dcalab leaderboard
  return fingerprint
}
