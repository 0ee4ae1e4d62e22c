import type { PathEnd, Position } from './candle-path.ts'
import { profitAt } from './candle-path.ts'
import { createDailyEquity, type DailyEquity, observeDay } from './daily-equity.ts'
import { createDrawdownMeter, type DrawdownMeter, observeEquity } from './drawdown.ts'

/** What the reference engine records on every candle, for the metrics that do not follow from the list of deals. */
export interface Observations {
  readonly drawdown: DrawdownMeter
  readonly dailyEquity: DailyEquity
  /** Quote, 0 or negative. */
  maxFloatingLoss: number
  candlesInDeal: number
  candlesFullyInvested: number
  readonly usedCapital: { max: number; sumOverCandles: number }
}

export function createObservations(startEquity: number): Observations {
  return {
    drawdown: createDrawdownMeter(startEquity),
    dailyEquity: createDailyEquity(),
    maxFloatingLoss: 0,
    candlesInDeal: 0,
    candlesFullyInvested: 0,
    usedCapital: { max: 0, sumOverCandles: 0 },
  }
}

export function observeFlatCandle(seen: Observations, openTime: number, cash: number): void {
  observeEquity(seen.drawdown, cash, cash)
  observeDay(seen.dailyEquity, openTime, cash)
}

/**
 * Records one candle of a deal, and in the deal its lowest value: `outcome` is the deal after the chosen path, `cash` what the bot had before
 * the deal.
 */
export function observeDealCandle(
  seen: Observations,
  candle: { readonly openTime: number; readonly low: number; readonly close: number },
  deal: Position & { readonly cash: number; readonly feeRate: number; lowestValue: number },
  outcome: PathEnd,
): void {
  const { levels, cash, feeRate } = deal
  const profit = profitAt(levels, outcome, candle.close, feeRate)
  const held = outcome.filledAtLow
  const profitAtLow = held === null ? profit : levels.quantity[held] * candle.low * (1 - feeRate) - levels.cost[held]
  observeEquity(seen.drawdown, cash + profitAtLow, cash + profit)
  observeDay(seen.dailyEquity, candle.openTime, cash + profit)

  // A deal that closed before the low has no floating loss there; but a stop loss is a loss that was really made.
  if (held !== null || outcome.exit === 'stopLoss') deal.lowestValue = Math.min(deal.lowestValue, profitAtLow)
  seen.maxFloatingLoss = Math.min(seen.maxFloatingLoss, deal.lowestValue)
  seen.candlesInDeal++
  if (outcome.filled === deal.placed) seen.candlesFullyInvested++
  const used = levels.cost[outcome.filled]
  seen.usedCapital.max = Math.max(seen.usedCapital.max, used)
  seen.usedCapital.sumOverCandles += used
}
