/** What a grid costs whose points share deals, and what rules of the symbol, observed risk and small budgets add to that. */
import { NO_SYMBOL_RULES, type SymbolRules } from '../../src/engine/conventions.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import type { BenchLog } from './bench-run.ts'
import { type Baseline, type Baselines, type Market, timeBaseline } from './c-baselines.ts'
import type { BenchCandles } from './candle-sets.ts'
import { gridConfigs, rowsOf } from './configs.ts'
import { cpuMs } from './measure.ts'
import { CANDLES_PER_ROUND, interleave, ROUNDS, ratio, YEAR_MINUTES } from './rounds.ts'

/** Grids: relatives share deals, equal points run once. Beside the bare time stands what symbol rules, risk and small budgets make of it. */
export function compareSharing(
  markets: readonly BenchCandles[],
  market: Market,
  { baselines, log }: { readonly baselines: Baselines | undefined; readonly log: BenchLog },
): void {
  const configs = gridConfigs()
  const rows = rowsOf(configs)
  const dearRows = rowsOf(configs.map((config) => ({ ...config, dcaTotalBudget: 1000, investment: 1000 })))
  const lines = markets.map(({ name, market: key, candles, symbol }) => {
    const count = candles.close.length
    const prepared = prepareCandles(candles)
    const sweepOf = (rules: SymbolRules, want: 'profit' | 'full') =>
      createSweep(prepared, { ...market, symbol: rules, want })
    const bare = sweepOf(NO_SYMBOL_RULES, 'profit')
    const risk = sweepOf(NO_SYMBOL_RULES, 'full')
    const ruled = sweepOf(symbol, 'profit')
    const ruledRisk = sweepOf(symbol, 'full')
    const sample = configs.filter(
      (_, index) => index % Math.ceil((configs.length * count * ROUNDS) / CANDLES_PER_ROUND) === 0,
    )
    const caseFile = baselines?.writeCase(candles, sample, market)
    const runC = (name: Baseline) => timeBaseline(baselines, name, caseFile)
    const times = interleave({
      jump: () => cpuMs(() => bare.run(rows)) / configs.length,
      ruled: () => cpuMs(() => ruled.run(rows)) / configs.length,
      dear: () => cpuMs(() => ruled.run(dearRows)) / configs.length,
      risk: () => cpuMs(() => risk.run(rows)) / configs.length,
      ruledRisk: () => cpuMs(() => ruledRisk.run(rows)) / configs.length,
      lean: () => runC('lean') / sample.length,
      avx2: () => runC('avx2') / sample.length,
      wide: () => runC('wide') / sample.length,
    })
    const perYear = YEAR_MINUTES / count
    const millions = (ms: number) => 60_000 / (ms * perYear) / 1e6
    log.headline('grid', key, millions(times.jump))
    log.headline('rules', key, times.ruled / times.jump)
    log.headline('dear', key, times.dear / times.jump)
    log.headline('risk', key, times.risk / times.jump)
    log.headline('ruledRisk', key, times.ruledRisk / times.ruled)
    return [
      name,
      (1000 * times.jump * perYear).toFixed(1),
      ratio(times.lean, times.jump),
      ratio(Math.min(times.avx2, times.wide), times.jump),
      millions(times.jump).toFixed(2),
      millions(times.ruled).toFixed(2),
      ratio(times.ruled, times.jump),
      ratio(times.dear, times.jump),
      ratio(times.risk, times.jump),
      ratio(times.ruledRisk, times.ruled),
    ]
  })
  const head = [
    'candles',
    'jump µs',
    '× lean',
    '× vectorised',
    'M config-years / min',
    'with rules',
    'rules ÷ bare',
    'dear ÷ bare',
    'risk ÷ bare',
    'both ÷ rules',
  ]
  log.table(`a grid of ${configs.length} points on profit (one core); rules = tick, lot, minimum notional`, head, [
    ...lines,
    ['wanted', '', '', '', '', '', '≤ 1.5', '≤ 1.6', '≤ 1.5', '≤ 1.5'],
  ])
}
