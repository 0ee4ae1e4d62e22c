/** Runs the configs of one chunk on one market, each simulation once. */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metric-values.ts'
import type { MetricName } from '../../contract/metrics.ts'
import { stressed } from '../../engine/ambiguity-pair.ts'
import type { Candles } from '../../engine/candles.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import { createKeyIndex, KEY, writeKey } from '../../engine/jump/canonical.ts'
import { boardConfig, createFlight, type Market } from '../../engine/jump/flight.ts'
import { runJump, runJumpOnce } from '../../engine/jump/jump.ts'
import type { PreparedCandles } from '../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, rangeOfStarts, writeConfigRow } from '../../engine/jump/sweep.ts'
import type { Chunks } from './chunks.ts'
import {
  BY_STRESS,
  candleFacts,
  type Depth,
  depthOf,
  isSwept,
  needDurations,
  type ReadMetric,
  sweptValue,
} from './measures.ts'
import type { ScreenedMarket } from './messages.ts'

// Simulates several grid points once when they are the same simulation (`engine/jump/canonical.ts` explains when).

/** The configs of one chunk, numbered so that equal configs have the same number. */
interface DistinctConfigs {
  /** The number of a config, from 0 in order of appearance. */
  numberOf(config: DcaSpotConfig): number
  /** One config per number. */
  readonly configs: readonly DcaSpotConfig[]
  /** The same as rows of a sweep; valid until the next `clear`. */
  rows(): Float64Array
  clear(): void
}

/**
 * @param capacity the most configs between two `clear()`
 * @param prepared the candles they are simulated on: from their prices follows which ladders tick and lot leave alike. Without them, configs that tick
 * and lot might round differently count as different, and their ladders are not looked at, which saves a tenth of a screen: a sweep compares again
 */
function createDistinctConfigs(capacity: number, market: Market, prepared: PreparedCandles | null): DistinctConfigs {
  const most = CONFIG_BOUNDS.dcaMaxSafetyOrders.max
  const probe = createFlight(market, { configs: 1, rows: most + 1, maxSafetyOrders: most })
  const keys = new Float64Array((capacity + 1) * KEY)
  // When a config is known already, its key and its row are overwritten by the next ones.
  const rows = new Float64Array((capacity + 1) * CONFIG_ROW)
  const index = createKeyIndex(capacity + 1, KEY)
  const place = { slot: 0, table: 0, family: 0 }
  const sizing = market.conventions.safetyOrderSizing
  const starts = prepared === null ? null : rangeOfStarts(prepared, market)
  const boarded = { flight: probe, slot: 0, rows, from: 0, sizing, starts }
  let configs: DcaSpotConfig[] = []
  return {
    numberOf,
    get configs() {
      return configs
    },
    rows: () => rows.subarray(0, configs.length * CONFIG_ROW),
    clear: () => {
      index.clear()
      configs = []
    },
  }

  function numberOf(config: DcaSpotConfig): number {
    const at = configs.length * KEY
    boarded.from = configs.length * CONFIG_ROW
    writeConfigRow(rows, configs.length, config)
    if (starts !== null || !probe.levelsPerDeal) boardConfig(probe, place, config, market)
    writeKey(keys, at, boarded)
    const number = index.numberOf(keys, at) - 1
    if (number === configs.length) configs.push(config)
    return number
  }
}

/** What is said of one config from its metrics. */
type Evaluate<Verdict> = (read: ReadMetric, config: DcaSpotConfig) => Verdict

interface Evaluated<Verdict> {
  /** One per config, in the order given; equal simulations share one. */
  readonly verdicts: readonly Verdict[]
  /** Simulations it took. */
  readonly simulated: number
}

export interface Simulation {
  /** At most as many configs as a chunk has points. */
  evaluate<Verdict>(configs: readonly DcaSpotConfig[], depth: Depth, evaluate: Evaluate<Verdict>): Evaluated<Verdict>
  backtest(config: DcaSpotConfig): BacktestResult
  /** One metric of it, for which no more is run than it needs. */
  metricOf(config: DcaSpotConfig, metric: MetricName): number | null
}

/**
 * @param terms the costs and conventions to compute under
 * @param read of every config, so that what they need is observed
 */
export function createSimulation(
  { chunks, prepared, symbol }: Pick<ScreenedMarket, 'prepared' | 'symbol'> & { readonly chunks: Chunks },
  { conventions, costs }: { readonly conventions: Conventions; readonly costs: Costs },
  read: readonly MetricName[],
): Simulation {
  const market = { conventions, costs, symbol }
  const forSweeps = createDistinctConfigs(chunks.size, market, null)
  const forBacktests = createDistinctConfigs(chunks.size, market, prepared)
  const facts = candleFacts(prepared)
  const durations = needDurations(read)
  const sweeps = {
    profit: createSweep(prepared, { ...market, want: 'profit', durations }),
    risk: createSweep(prepared, { ...market, want: 'full', durations }),
  }
  // Made only where it is asked for: each sweep has its own memory.
  const stressSweep = read.includes(BY_STRESS) ? createSweep(prepared, { ...stressed(market), want: 'full' }) : null
  // The engine looks at no volume, and eight bytes a candle would be shared for nothing.
  const candles: Candles = { ...prepared, volume: new Float64Array(0) }
  const readerAt = createReader({ candles, prepared, market })
  return { evaluate, backtest, metricOf }

  function evaluate<Verdict>(
    configs: readonly DcaSpotConfig[],
    depth: Depth,
    evaluateOne: Evaluate<Verdict>,
  ): Evaluated<Verdict> {
    if (stressSweep !== null) return evaluateEach(configs, depth, evaluateOne)
    const distinct = isSwept(depth) ? forSweeps : forBacktests
    distinct.clear()
    const numbers = configs.map((config) => distinct.numberOf(config))
    const { verdicts, simulated } = evaluateDistinct(depth, evaluateOne)
    return { verdicts: numbers.map((number) => verdicts[number]), simulated }
  }

  function evaluateDistinct<Verdict>(depth: Depth, evaluateOne: Evaluate<Verdict>): Evaluated<Verdict> {
    if (!isSwept(depth)) {
      const verdicts = forBacktests.configs.map((config) => evaluateOne(readerAt(depth, config), config))
      return { verdicts, simulated: verdicts.length }
    }
    const columns = sweeps[depth === 'stress' ? 'risk' : depth].run(forSweeps.rows())
    const verdicts = forSweeps.configs.map((config, row) => {
      const swept = { columns, row, investment: config.investment, candles: facts }
      return evaluateOne((metric) => sweptValue(metric, swept), config)
    })
    return { verdicts, simulated: columns.simulated }
  }

  /** Configs that do the same may part under stress, so each is evaluated by itself; the sweeps share what each of them can. */
  function evaluateEach<Verdict>(
    configs: readonly DcaSpotConfig[],
    depth: Depth,
    evaluateOne: Evaluate<Verdict>,
  ): Evaluated<Verdict> {
    if (!isSwept(depth)) {
      const verdicts = configs.map((config) => evaluateOne(readerAt(depth, config), config))
      return { verdicts, simulated: verdicts.length }
    }
    const rows = rowsOf(configs)
    const columns = sweeps[depth === 'stress' ? 'risk' : depth].run(rows)
    const underStress = depth === 'stress' ? stressSweep?.run(rows) : undefined
    const verdicts = configs.map((config, row) => {
      const at = { row, investment: config.investment, candles: facts }
      return evaluateOne((metric) => {
        if (metric !== BY_STRESS) return sweptValue(metric, { columns, ...at })
        if (underStress === undefined) throw new Error(`${metric} is not known at the depth ${depth}`)
        return sweptValue('netProfitPerUsedPercent', { columns: underStress, ...at })
      }, config)
    })
    return { verdicts, simulated: columns.simulated }
  }

  function backtest(config: DcaSpotConfig): BacktestResult {
    return runJump({ candles, config, ...market }, prepared)
  }

  function metricOf(config: DcaSpotConfig, metric: MetricName): number | null {
    return readerAt(depthOf(metric), config)(metric)
  }
}

interface OnCandles {
  readonly candles: Candles
  readonly prepared: PreparedCandles
  readonly market: Market
}

/** Reads metrics of one config from whole runs; the stressed run is made when it is asked for. */
function createReader({ candles, prepared, market }: OnCandles): (depth: Depth, config: DcaSpotConfig) => ReadMetric {
  return (depth, config) => {
    const run = (terms: Market) => runJumpOnce({ candles, config, ...terms }, prepared).metrics
    const metrics = depth === 'pair' ? runJump({ candles, config, ...market }, prepared).metrics : run(market)
    return (metric) =>
      metric === BY_STRESS ? run(stressed(market)).netProfitPerUsedPercent : metricValue(metrics, metric)
  }
}

function rowsOf(configs: readonly DcaSpotConfig[]): Float64Array {
  const rows = new Float64Array(configs.length * CONFIG_ROW)
  configs.forEach((config, row) => {
    writeConfigRow(rows, row, config)
  })
  return rows
}
