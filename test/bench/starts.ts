/**
 * `npm run bench:starts`: what it costs to run one configuration from every start, and over every take profit, on recorded candles of four markets.
 * CPU time of one thread, each measure once per round, medians. `npm run bench:starts -- eth sol` measures only these.
 */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, type SymbolRules } from '../../src/engine/conventions.ts'
import { takeProfitCurve } from '../../src/engine/curve/take-profit.ts'
import { DAY_MS } from '../../src/engine/daily-equity.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { runStarts } from '../../src/engine/jump/starts.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { sharedData } from '../support/shared-data.ts'
import { cpuMs, print, table } from './measure.ts'
import { interleave } from './rounds.ts'

const MINUTE = 60_000
const MARKETS: readonly (readonly [name: string, file: string, intervalMs: number, symbol: SymbolRules])[] = [
  ['eth', 'ETH-USDT_1m_2025-05-20_2025-08-18', MINUTE, { tick: 0.01, lot: 0.0001, minNotional: 5 }],
  ['btc', 'BTC-USDT_1m_2021-04_2021-05', MINUTE, { tick: 0.01, lot: 0.000001, minNotional: 10 }],
  ['doge', 'DOGE-USDT_1m_2021-04_2021-05', MINUTE, { tick: 0.00001, lot: 1, minNotional: 10 }],
  ['sol', 'SOL-USDT_5m_2022-08_2023-09', 5 * MINUTE, { tick: 0.01, lot: 0.01, minNotional: 5 }],
]
const LADDER: DcaSpotConfig = {
  ...CONFIG_DEFAULTS,
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 25,
  dcaMaxSafetyOrders: 6,
  dcaPriceScalePercent: 0.8,
  dcaVolumeScale: 1.4,
  dcaPriceStepMultiplier: 1,
  takeProfit: 1.2,
}
const RULES: Readonly<Record<string, Partial<DcaSpotConfig>>> = {
  plain: {},
  'stop 4 %': { stopLoss: 4 },
  'stop 11 %': { stopLoss: 11 },
  'short of cash': { investment: 400 },
  'short, stop 4 %': { investment: 400, stopLoss: 4 },
}
/** Of all starts: without a stop, with one, and where the bot runs short of cash. */
const ALL_ALLOWED_MS = { plain: 1000, stopped: 2000, short: 7000 }
const DAY_ALLOWED_MS = 200
const CURVE_ALLOWED_MS = 350
const RANGE = { from: 0.5, to: 5 }

const wanted = process.argv.slice(2)
for (const [name, file, intervalMs, symbol] of MARKETS) {
  const path = sharedData(`candles/binance_${file}.csv.gz`)
  if (path === undefined) print(`${name}: its candles are not beside the project\n`)
  else if (wanted.length === 0 || wanted.includes(name)) measureMarket(name, path, { intervalMs, symbol })
}

function measureMarket(
  name: string,
  path: string,
  { intervalMs, symbol }: { readonly intervalMs: number; readonly symbol: SymbolRules },
): void {
  const prepared = prepareCandles(readCsvCandles(path, intervalMs))
  const market = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol }
  const all = Array.from({ length: prepared.count }, (_, candle) => candle)
  const day = all.slice(0, DAY_MS / intervalMs)
  const lines = Object.entries(RULES).map(([title, rules]) => {
    const config = { ...LADDER, ...rules }
    const curve = () => takeProfitCurve(prepared, market, config, RANGE)
    const times = interleave({
      day: () => cpuMs(() => void runStarts(prepared, market, config, day, { want: 'full' })),
      all: () => cpuMs(() => void runStarts(prepared, market, config, all, { want: 'full' })),
      curve: () => cpuMs(() => void curve()),
    })
    const { pieces, certified } = curve()
    const kind = certified.percent < 100 ? 'short' : config.stopLoss > 0 ? 'stopped' : 'plain'
    const within = (ms: number, most: number) => `${ms.toFixed(0)}${ms <= most ? '' : ` (allowed ${most})`}`
    return [
      title,
      within(times.day, DAY_ALLOWED_MS),
      within(times.all, ALL_ALLOWED_MS[kind]),
      within(times.curve, CURVE_ALLOWED_MS),
      String(pieces.length),
      `${certified.percent.toFixed(1)} %`,
    ]
  })
  const head = ['ms', `${day.length} starts`, `all ${all.length}`, 'curve', 'pieces', 'proved']
  table(`${name}, every metric of every start; take profits of ${RANGE.from} to ${RANGE.to} %`, head, lines)
}
