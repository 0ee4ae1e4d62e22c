/**
 * The steps of a deal, as a backtest of the reference engine and a running bot both take them: open it, pass a candle, sell,
 * value what is open.
 *
 * A deal keeps no list of fills. All its orders are known when it starts, so the number of safety orders filled says what it has
 * cost, what it holds, and where take profit and stop are: row `filled` of its levels.
 */
import type { DcaSpotConfig } from '../contract/bot.ts'
import {
  areAmbiguous,
  type Candle,
  choosePathEnd,
  isEventCandle,
  type PathEnd,
  type Position,
  profitAt,
  walkCandle,
} from './candle-path.ts'
import type { Conventions } from './conventions.ts'
import { createDailyEquity, type DailyEquity, observeDay } from './daily-equity.ts'
import type { ClosedDeal, OpenDeal } from './deal.ts'
import { createDrawdownMeter, type DrawdownMeter, observeEquity } from './drawdown.ts'
import { affordableOrders, type Levels } from './levels.ts'

/** The bot's money and its open deal, changed by the steps below. The caller keeps track of whether a deal is open. */
export interface DealState {
  readonly feeRate: number
  /** Fraction by which a market order fills worse than its price. */
  readonly slippageRate: number
  /** Quote in hand when no deal is open; during a deal, what it started with. */
  cash: number
  /** Of the open deal, which keeps it. */
  config: DcaSpotConfig
  /** Levels of the open deal. Of its safety orders, the first `placed` fit the budget. */
  levels: Levels
  openedAt: number
  placed: number
  filled: number
  /** Of the open deal so far, quote, 0 or negative. */
  lowestValue: number
  /** Counted over all deals. */
  ambiguousCandles: number
  unaffordableOrders: number
  unplacedOrders: number
}

/** Buys the base order at the open and places the safety orders. Returns false when not even the base order fits. */
export function startDeal(
  deal: DealState,
  writeLevels: (startPrice: number, levels: Levels) => void,
  { openTime, open, config }: { readonly openTime: number; readonly open: number; readonly config: DcaSpotConfig },
): boolean {
  writeLevels(open * (1 + deal.slippageRate), deal.levels)
  const orders = affordableOrders(deal.levels, Math.min(config.dcaTotalBudget, deal.cash))
  if (orders === 0) return false
  deal.config = config
  deal.openedAt = openTime
  deal.placed = orders - 1
  deal.filled = 0
  deal.lowestValue = 0
  deal.unaffordableOrders += deal.levels.orders - orders
  deal.unplacedOrders += deal.levels.unplaced
  return true
}

/**
 * Returns what the candle does to the deal, on the path that the convention chooses. Changes nothing in the deal except the count
 * of ambiguous candles.
 */
export function passCandle(
  deal: DealState,
  candle: Candle & { readonly openTime: number },
  intrabar: Conventions['intrabar'],
): PathEnd {
  const { filled, levels, feeRate } = deal
  if (!isEventCandle(deal, candle.high, candle.low)) return { filled, filledAtLow: filled, exit: null }
  const lowFirst = walkCandle(deal, candle, 'low-first')
  const highFirst = walkCandle(deal, candle, 'high-first')
  if (areAmbiguous(lowFirst, highFirst)) deal.ambiguousCandles++
  return choosePathEnd(intrabar, { lowFirst, highFirst }, { levels, feeRate, candle })
}

/** Quantity, cost, proceeds and profit of selling the whole position at `price`, after the fee. */
export function sellAll(deal: DealState, price: number): Pick<ClosedDeal, 'quantity' | 'cost' | 'proceeds' | 'profit'> {
  const quantity = deal.levels.quantity[deal.filled]
  const cost = deal.levels.cost[deal.filled]
  const proceeds = quantity * price * (1 - deal.feeRate)
  return { quantity, cost, proceeds, profit: proceeds - cost }
}

export function valueOpenDeal(deal: DealState, lastClose: number): OpenDeal {
  const { quantity, cost, proceeds, profit } = sellAll(deal, lastClose)
  const { openedAt, filled, lowestValue } = deal
  return { openedAt, safetyOrders: filled, quantity, cost, value: proceeds, profit, lowestValue }
}

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
