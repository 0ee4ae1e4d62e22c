/** Grids for sweeps, and what the reference says of every point of them. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import type { Metrics } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import type { BacktestResult } from '../../../src/engine/deal.ts'
import type { SweepColumns } from '../../../src/engine/jump/columns.ts'
import { CONFIG_ROW, type SweepOptions, writeConfigRow } from '../../../src/engine/jump/sweep.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { findDifferences } from './agreement.ts'
import { type Dice, someConventionsOf, someInputOf, walkCandles } from './cases.ts'

export interface SomeSweep {
  readonly candles: Candles
  readonly options: SweepOptions
  readonly configs: readonly DcaSpotConfig[]
}

/** A small grid around a random config, shuffled, over candles of several blocks now and then. */
export function someSweep(dice: Dice, want: SweepOptions['want']): SomeSweep {
  const candles = walkCandles(dice, dice.chance(0.2) ? dice.whole(9_000, 20_000) : dice.whole(1, 1500))
  const { config, costs, symbol } = someInputOf(dice, candles)
  const conventions = someConventionsOf(dice)
  const configs: DcaSpotConfig[] = []
  for (const dcaMaxSafetyOrders of [0, 1, 2, 3, 5, 8]) {
    for (const stopLoss of [0, config.stopLoss, config.dcaPriceScalePercent * 2.5]) {
      for (const factor of [1, 1.4]) {
        configs.push({
          ...config,
          dcaMaxSafetyOrders,
          stopLoss: Math.min(100, stopLoss),
          dcaPriceStepMultiplier: config.dcaPriceStepMultiplier * factor,
          dcaTotalBudget: config.dcaTotalBudget * dice.of([1, 2]),
        })
      }
    }
  }
  configs.sort(() => dice.between(-1, 1))
  return { candles, configs, options: { conventions, costs, symbol, want } }
}

export function rowsOf(configs: readonly DcaSpotConfig[]): Float64Array {
  const rows = new Float64Array(configs.length * CONFIG_ROW)
  configs.forEach((config, row) => {
    writeConfigRow(rows, row, config)
  })
  return rows
}

/** What differs from the reference, row by row; empty when they agree. */
export function findSweepDifferences({ candles, options, configs }: SomeSweep, columns: SweepColumns): string[] {
  return configs.flatMap((config, row) => {
    return findRowDifferences(runReference({ candles, config, ...options }), columns, row, { candles, options })
  })
}

/** What differs in one row from the result of its candles. */
export function findRowDifferences(
  { metrics, deals }: BacktestResult,
  columns: SweepColumns,
  row: number,
  { candles, options }: Pick<SomeSweep, 'candles' | 'options'>,
): string[] {
  const lostProfit = deals.reduce((sum, { profit }) => sum + Math.min(profit, 0), 0)
  const differences = findDifferences(
    { ...expectedRow(metrics, candles, options), lostProfit },
    readRow(columns, row),
    metrics.volume,
  )
  return differences.map((difference) => `row ${row} ${difference}`)
}

function readRow(columns: SweepColumns, row: number) {
  const { used, returns, risk, durations } = columns
  return {
    netProfit: columns.netProfit[row],
    realizedProfit: columns.realizedProfit[row],
    lostProfit: columns.lostProfit[row],
    closedDeals: columns.closedDeals[row],
    stopLosses: columns.stopLosses[row],
    wins: columns.wins[row],
    safetyOrders: columns.safetyOrders[row],
    candlesInDeal: columns.candlesInDeal[row],
    longestDealMinutes: columns.longestDealMinutes[row],
    ambiguousCandles: columns.ambiguousCandles[row],
    unaffordableOrders: columns.unaffordableOrders[row],
    unplacedOrders: columns.unplacedOrders[row],
    openDeal: columns.openDeal[row] === 1,
    outOfCash: columns.outOfCash[row] === 1,
    used: used && { max: used.max[row], average: used.average[row] },
    returns: returns && { sharpe: returns.sharpe[row], sortino: returns.sortino[row] },
    risk: risk && {
      maxDrawdownPercent: risk.maxDrawdownPercent[row],
      maxDrawdownLowPercent: risk.maxDrawdownLowPercent[row],
      maxFloatingLoss: risk.maxFloatingLoss[row],
      candlesFullyInvested: risk.candlesFullyInvested[row],
    },
    durations: durations && {
      average: durations.average[row],
      median: durations.median[row],
      p95: durations.p95[row],
    },
  }
}

function expectedRow(
  metrics: Metrics,
  candles: Candles,
  options: SweepOptions,
): Omit<ReturnType<typeof readRow>, 'lostProfit'> {
  const count = candles.close.length
  const candlesOf = (percent: number) => Math.round((percent / 100) * count)
  return {
    netProfit: metrics.netProfit,
    realizedProfit: metrics.realizedProfit,
    closedDeals: metrics.closedDeals,
    stopLosses: metrics.stopLosses,
    wins: Math.round(((metrics.winRatePercent ?? 0) / 100) * metrics.closedDeals),
    safetyOrders: metrics.safetyOrdersFilled.histogram.reduce((sum, deals, filled) => sum + deals * filled, 0),
    candlesInDeal: candlesOf(metrics.timeInDealPercent),
    longestDealMinutes: metrics.dealDuration.max ?? 0,
    ambiguousCandles: metrics.ambiguousCandles,
    unaffordableOrders: metrics.unaffordableOrders,
    unplacedOrders: metrics.unplacedOrders,
    openDeal: metrics.openDeal,
    outOfCash: metrics.outOfCash,
    used: options.want === 'profit' ? null : { max: metrics.usedCapital.max, average: metrics.usedCapital.average },
    returns:
      options.want === 'returns' || options.want === 'full'
        ? { sharpe: metrics.sharpe ?? Number.NaN, sortino: metrics.sortino ?? Number.NaN }
        : null,
    risk: options.want !== 'full' ? null : expectedRisk(metrics, candlesOf),
    durations: options.durations === true ? expectedDurations(metrics.dealDuration) : null,
  }
}

function expectedDurations({ average, median, p95 }: Metrics['dealDuration']) {
  return { average: average ?? Number.NaN, median: median ?? Number.NaN, p95: p95 ?? Number.NaN }
}

function expectedRisk(metrics: Metrics, candlesOf: (percent: number) => number) {
  return {
    maxDrawdownPercent: metrics.maxDrawdownPercent,
    maxDrawdownLowPercent: metrics.maxDrawdownLowPercent,
    maxFloatingLoss: metrics.maxFloatingLoss,
    candlesFullyInvested: candlesOf(metrics.timeFullyInvestedPercent),
  }
}
