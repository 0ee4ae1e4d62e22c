/** Runs the configs of one chunk on one market, each simulation once. */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { type MetricName, metricValue } from '../../contract/metrics.ts'
import { stressed } from '../../engine/ambiguity-pair.ts'
import type { Candles } from '../../engine/candles.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import { createKeyIndex, KEY, writeKey } from '../../engine/jump/canonical.ts'
import { boardConfig, createFlight, type Market } from '../../engine/jump/flight.ts'
import { runJump, runJumpOnce } from '../../engine/jump/jump.ts'
import type { PreparedCandles } from '../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, rangeOfStarts, type SweepOptions, writeConfigRow } from '../../engine/jump/sweep.ts'
import type { Chunks } from './chunks.ts'
import {
  BY_STRESS,
  candleFacts,
  type Depth,
  depthOf,
  isSwept,
  needsOf,
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
  clear(): void
}

/**
 * @param capacity the most configs between two `clear()`
 * @param prepared the candles they are simulated on: from their prices follows which ladders tick and lot leave alike
 */
function createDistinctConfigs(capacity: number, market: Market, prepared: PreparedCandles): DistinctConfigs {
  const probe = createFlight(market, { configs: 1, rows: 0, maxSafetyOrders: CONFIG_BOUNDS.dcaMaxSafetyOrders.max })
  // When a config is known already, its key is overwritten by the next one.
  const keys = new Float64Array((capacity + 1) * KEY)
  const rows = new Float64Array(CONFIG_ROW)
  const index = createKeyIndex(capacity + 1, KEY)
  const place = { slot: 0, table: 0, family: 0 }
  const sizing = market.conventions.safetyOrderSizing
  const boarded = { flight: probe, slot: 0, rows, from: 0, sizing, starts: rangeOfStarts(prepared, market) }
  let configs: DcaSpotConfig[] = []
  return {
    numberOf,
    get configs() {
      return configs
    },
    clear: () => {
      index.clear()
      configs = []
    },
  }

  function numberOf(config: DcaSpotConfig): number {
    const at = configs.length * KEY
    writeConfigRow(rows, 0, config)
    boardConfig(probe, place, config, market)
    writeKey(keys, at, boarded)
    const number = index.numberOf(keys, at) - 1
    if (number === configs.length) configs.push(config)
    return number
  }
}

/** What is said of one config from its metrics; these are read before it returns. */
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
  const distinct = createDistinctConfigs(chunks.size, market, prepared)
  const facts = candleFacts(prepared)
  const { durations, falls } = needsOf(read)
  const sweepFor = (want: SweepOptions['want']) => createSweep(prepared, { ...market, want, durations })
  const risk = sweepFor(falls ? 'full' : 'returns')
  const used = sweepFor('used')
  const stress = read.some((metric) => depthOf(metric) === 'risk') ? risk : used
  const sweeps = { profit: sweepFor('profit'), used, risk, stress }
  // Made only where it is asked for: each sweep has its own memory.
  const stressSweep = read.includes(BY_STRESS) ? createSweep(prepared, { ...stressed(market), want: 'used' }) : null
  // The engine reads no volume, and eight bytes a candle would be shared for nothing.
  const candles: Candles = { ...prepared, volume: new Float64Array(0) }
  const readerAt = createReader({ candles, prepared, market })
  return { evaluate, backtest, metricOf }

  function evaluate<Verdict>(
    configs: readonly DcaSpotConfig[],
    depth: Depth,
    evaluateOne: Evaluate<Verdict>,
  ): Evaluated<Verdict> {
    if (isSwept(depth)) return evaluateSwept(configs, depth, evaluateOne)
    const evaluateAll = (each: readonly DcaSpotConfig[]) =>
      each.map((config) => evaluateOne(readerAt(depth, config), config))
    // Configs that do the same may part under stress.
    if (stressSweep !== null) return { verdicts: evaluateAll(configs), simulated: configs.length }
    distinct.clear()
    const numbers = configs.map((config) => distinct.numberOf(config))
    const verdicts = evaluateAll(distinct.configs)
    return { verdicts: numbers.map((number) => verdicts[number]), simulated: verdicts.length }
  }

  /** The sweeps share what configs have in common. */
  function evaluateSwept<Verdict>(
    configs: readonly DcaSpotConfig[],
    depth: keyof typeof sweeps,
    evaluateOne: Evaluate<Verdict>,
  ): Evaluated<Verdict> {
    const rows = rowsOf(configs)
    const columns = sweeps[depth].run(rows)
    const underStress = depth === 'stress' ? stressSweep?.run(rows) : undefined
    // One place for all rows: each is read before the next.
    const swept = { columns, row: 0, investment: 0, candles: facts }
    const stressedRow = underStress === undefined ? null : { ...swept, columns: underStress }
    const read: ReadMetric = (metric) => {
      if (metric !== BY_STRESS) return sweptValue(metric, swept)
      if (stressedRow === null) throw new Error(`${metric} is not known at the depth ${depth}`)
      return sweptValue('netProfitPerUsedPercent', Object.assign(stressedRow, { row: swept.row }))
    }
    const verdicts = configs.map((config, row) => {
      swept.row = row
      swept.investment = config.investment
      return evaluateOne(read, config)
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
