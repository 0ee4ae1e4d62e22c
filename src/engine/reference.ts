import { type OwnRun, withOtherRuns } from './ambiguity-pair.ts'
import { buyAndHold } from './buy-and-hold.ts'
import { type Candle, type PathEnd, profitAt } from './candle-path.ts'
import { missingBetween } from './candles.ts'
import type { BacktestInput, BacktestResult, ClosedDeal } from './deal.ts'
import {
  createObservations,
  type DealState,
  type Observations,
  observeDealCandle,
  observeFlatCandle,
  passCandle,
  sellAll,
  startDeal,
  valueOpenDeal,
} from './deal-steps.ts'
import { createLevels, createLevelWriter, type Levels, ladderTerms, orderRules } from './levels.ts'
import { computeMetrics } from './metrics.ts'

/**
 * The reference engine: it visits every candle and takes one obvious step at a time, so that a person can check it against the
 * conventions. Tests compare the faster engine with it.
 *
 *     each candle:  flat? open a deal at its open  →  a level touched? walk both paths, keep one  →  closed? book the deal
 *
 * The steps are in `deal-steps.ts`; a running bot takes the same ones (`live.ts`).
 */
export function runReference(input: BacktestInput): BacktestResult {
  return withOtherRuns(input, runReferenceOnce)
}

/** One walk over the candles, without what other runs add. `watch` is called as things happen; it changes no number. */
export function runReferenceOnce(input: BacktestInput, watch?: RunWatch): OwnRun {
  const bot = startBot(input)
  const { intervalMs, openTime, open, high, low, close } = input.candles
  for (let i = 0; i < openTime.length; i++) {
    if (bot.state === 'inDeal') bot.missingInDeals += missingBetween(openTime[i - 1], openTime[i], intervalMs)
    if (bot.state === 'flat' && openDeal(bot, openTime[i], open[i])) watch?.opened(bot)
    if (bot.state !== 'inDeal') {
      observeFlatCandle(bot.seen, openTime[i], bot.cash)
      watch?.passed(i, bot.cash, 0)
      continue
    }
    const candle = { openTime: openTime[i], open: open[i], high: high[i], low: low[i], close: close[i] }
    const outcome = passCandle(bot, candle, input.conventions.intrabar)
    observeDealCandle(bot.seen, candle, bot, outcome)
    if (watch !== undefined) reportDeal(watch, i, { bot, outcome, candle })
    bot.filled = outcome.filled
    if (outcome.exit !== null) closeDeal(bot, candle.openTime, outcome)
  }
  return finish(bot)
}

function reportDeal(
  watch: RunWatch,
  index: number,
  { bot, outcome, candle }: { readonly bot: Bot; readonly outcome: PathEnd; readonly candle: Candle },
): void {
  for (let rung = bot.filled + 1; rung <= outcome.filled; rung++) watch.filled(rung, index)
  const profit = profitAt(bot.levels, outcome, candle.close, bot.feeRate)
  watch.passed(index, bot.cash + profit, bot.levels.cost[outcome.filled])
}

interface Bot extends DealState {
  readonly input: BacktestInput
  readonly writeLevels: (startPrice: number, levels: Levels) => void
  /** A `stopped` bot opens no more deals: out of cash, or after a stop loss where the convention says so. */
  state: 'flat' | 'inDeal' | 'stopped'
  readonly deals: ClosedDeal[]
  missingInDeals: number
  outOfCash: boolean
  readonly seen: Observations
}

function startBot(input: BacktestInput): Bot {
  const { config, conventions, costs, symbol } = input
  const terms = ladderTerms(config, conventions, costs)
  return {
    input,
    feeRate: terms.feeRate,
    slippageRate: costs.slippagePercent / 100,
    writeLevels: createLevelWriter(terms, orderRules(symbol, conventions.lotRounding)),
    state: 'flat',
    cash: config.investment,
    config,
    levels: createLevels(config.dcaMaxSafetyOrders),
    openedAt: 0,
    placed: 0,
    filled: 0,
    lowestValue: 0,
    deals: [],
    ambiguousCandles: 0,
    missingInDeals: 0,
    unaffordableOrders: 0,
    unplacedOrders: 0,
    outOfCash: false,
    seen: createObservations(config.investment),
  }
}

/** False where not even the base order can be paid: then the bot has stopped. */
function openDeal(bot: Bot, openTime: number, open: number): boolean {
  const isOpen = startDeal(bot, bot.writeLevels, { openTime, open, config: bot.config })
  bot.state = isOpen ? 'inDeal' : 'stopped'
  if (!isOpen) bot.outOfCash = true
  return isOpen
}

function closeDeal(bot: Bot, closedAt: number, { filled, exit, price }: Extract<PathEnd, { price: number }>): void {
  const sale = sellAll(bot, price)
  const { openedAt, lowestValue } = bot
  bot.deals.push({ openedAt, closedAt, exit, safetyOrders: filled, ...sale, price, lowestValue })
  bot.cash += sale.profit
  bot.state = exit === 'stopLoss' && bot.input.conventions.afterStopLoss === 'stop' ? 'stopped' : 'flat'
}

function finish(bot: Bot): OwnRun {
  const { candles, config } = bot.input
  const openDeal = bot.state === 'inDeal' ? valueOpenDeal(bot, candles.close[candles.close.length - 1]) : null
  const metrics = computeMetrics({
    investment: config.investment,
    feeRate: bot.feeRate,
    candles: {
      count: candles.openTime.length,
      intervalMs: candles.intervalMs,
      firstOpen: candles.openTime.at(0) ?? 0,
      lastOpen: candles.openTime.at(-1) ?? 0,
    },
    deals: bot.deals,
    openDeal,
    drawdown: bot.seen.drawdown,
    maxFloatingLoss: bot.seen.maxFloatingLoss,
    candlesInDeal: bot.seen.candlesInDeal,
    candlesFullyInvested: bot.seen.candlesFullyInvested,
    usedCapital: bot.seen.usedCapital,
    dailyEquity: bot.seen.dailyEquity,
    buyAndHold: buyAndHold(candles, bot.feeRate),
    ambiguousCandles: bot.ambiguousCandles,
    missingInDeals: bot.missingInDeals,
    unaffordableOrders: bot.unaffordableOrders,
    unplacedOrders: bot.unplacedOrders,
    outOfCash: bot.outOfCash,
  })
  return { metrics, deals: bot.deals, openDeal }
}

/** Who follows a run of the reference engine, for pictures of it. Candles are named by their place in the columns. */
export interface RunWatch {
  /** A deal has opened: its base order has filled. `levels` are used again for the next deal, so keep a copy. */
  readonly opened: (deal: OpenedDeal) => void
  /** A safety order has filled at its own price; from 1, in order. */
  readonly filled: (rung: number, candle: number) => void
  /**
   * Once for every candle, after its fills. Quote: equity at the close, and the cost with fees of what the deal holds, or held until it was sold on
   * this candle.
   */
  readonly passed: (candle: number, equity: number, usedCapital: number) => void
}

interface OpenedDeal {
  /** Open time of its first candle, ms UTC. */
  readonly openedAt: number
  readonly levels: Levels
  /** Of the safety orders in `levels`, the first so many fit the budget. */
  readonly placed: number
}
