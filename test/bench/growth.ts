/**
 * How the cost of a screen grows: for each point from ten thousand points on, and for each candle from a day to eight years of minutes. An exponent of 1
 * means twice the cost for twice as many. Run by `npm run bench -- growth`; `GROWTH=1e8` goes on to so many points, for a quiet machine (11 minutes).
 */
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { createSimulation } from '../../src/workbench/screen/simulate.ts'
import type { BenchLog } from './bench-run.ts'
import type { Market } from './c-baselines.ts'
import { unrelatedConfigs } from './configs.ts'
import { cpuMs } from './measure.ts'

const PORTION = 2048
const CANDLE_CONFIGS = 400
const DAYS = [1, 10, 91, 365, 2922]

export function measureGrowth(market: Market, log: BenchLog, mostPoints: number): void {
  const head = ['how many', 'CPU of each', 'exponent since the line before', 'memory of the process']
  const few = prepareCandles(generateCandles({ seed: 1, interval: '1m', from: Date.UTC(2016, 0, 1), days: 3 }))
  const configs = unrelatedConfigs(PORTION)
  const simulation = createSimulation(
    { chunks: { order: [], size: PORTION }, prepared: few, symbol: market.symbol },
    market,
    ['netProfit'],
  )
  const portion = () => simulation.evaluate(configs, 'profit', (read) => read('netProfit'))
  portion()
  const points: Line[] = []
  for (let count = 1e4; count <= mostPoints; count *= 10) {
    const ms = cpuMs(() => {
      for (let done = 0; done < count; done += PORTION) portion()
    })
    points.push({ count, ms, of: 'points', rssMb: rssMb() })
  }
  log.table('cost of each point, three days of minutes, by net profit', head, linesOf(points))

  const some = configs.slice(0, CANDLE_CONFIGS)
  const candles = DAYS.map((days): Line => {
    const prepared = prepareCandles(generateCandles({ seed: 1, interval: '1m', from: Date.UTC(2016, 0, 1), days }))
    const sized = createSimulation({ chunks: { order: [], size: PORTION }, prepared, symbol: market.symbol }, market, [
      'netProfit',
    ])
    const walk = () => cpuMs(() => sized.evaluate(some, 'profit', (read) => read('netProfit')))
    walk()
    return { count: days * 1440, ms: walk() / CANDLE_CONFIGS, of: 'candles', rssMb: rssMb() }
  })
  log.table(`cost of each candle of a configuration, ${CANDLE_CONFIGS} unrelated ones`, head, linesOf(candles))
}

const rssMb = () => Math.round(process.memoryUsage().rss / 2 ** 20)

interface Line {
  readonly count: number
  readonly ms: number
  readonly of: 'points' | 'candles'
  readonly rssMb: number
}

function linesOf(lines: readonly Line[]): string[][] {
  return lines.map(({ count, ms, of, rssMb: memory }, at) => {
    const before = lines[at - 1]
    const exponent = before === undefined ? '' : (Math.log(ms / before.ms) / Math.log(count / before.count)).toFixed(3)
    const each = of === 'points' ? `${((1e3 * ms) / count).toFixed(2)} µs` : `${((1e6 * ms) / count).toFixed(3)} ns`
    return [`${count.toLocaleString('en')} ${of}`, each, exponent, `${memory} MB`]
  })
}
