import { buyAndHold } from './buy-and-hold.ts'
import { areAmbiguous, type Candle, choosePathEnd, isEventCandle, type PathEnd, walkCandle } from './candle-path.ts'
import { missingBetween } from './candles.ts'
import type { BacktestInput, BacktestResult, ClosedDeal, OpenDeal } from './deal.ts'
import { ladderTerms } from './ladder-terms.ts'
import { affordableOrders, createLevels, createLevelWriter, type Levels, orderRules } from './levels.ts'
import { computeMetrics } from './metrics.ts'
import { createObservations, type Observations, observeDealCandle, observeFlatCandle } from './observations.ts'

/**
 * The reference engine: it visits every candle and takes one obvious step at a time, so that a person can check it against
 * what the conventions say. It is the oracle of any faster engine.
 *
 *     each candle:  flat? open a deal at its open  →  a level touched? walk both paths, keep one  →  closed? book the deal
 *
 * A deal needs no ledger of its own. All its orders are known when it starts, so the number of safety orders filled says what it
 * has cost, what it holds, and where take profit and stop are: row `filled` of its levels.
 */
export function runReference(input: BacktestInput): BacktestResult {
  const bot = startBot(input)
  const { intervalMs, openTime, open, high, low, close } = input.candles
  for (let i = 0; i < openTime.length; i++) {
    if (bot.state === 'inDeal') bot.missingInDeals += missingBetween(openTime[i - 1], openTime[i], intervalMs)
    if (bot.state === 'flat') openDeal(bot, openTime[i], open[i])
    if (bot.state !== 'inDeal') {
      observeFlatCandle(bot.seen, openTime[i], bot.cash)
      continue
    }
    const candle = { openTime: openTime[i], open: open[i], high: high[i], low: low[i], close: close[i] }
    const outcome = isEventCandle(bot, candle.high, candle.low) ? decideCandle(bot, candle) : unchanged(bot)
    observeDealCandle(bot.seen, candle, bot, outcome)
    bot.filled = outcome.filled
    if (outcome.exit !== null) closeDeal(bot, candle.openTime, outcome)
  }
  return finish(bot)
}

interface Bot {
  readonly input: BacktestInput
  readonly feeRate: number
  readonly slippageRate: number
  readonly writeLevels: (startPrice: number, levels: Levels) => void
  /** `stopped` opens no deal any more: out of cash, or after a stop loss where the convention says so. */
  state: 'flat' | 'inDeal' | 'stopped'
  /** Quote in hand when no deal is open; during a deal, what it started with. */
  cash: number
  /** Levels of the open deal; of what exists, `placed` safety orders are within the cap. */
  readonly levels: Levels
  openedAt: number
  placed: number
  filled: number
  readonly deals: ClosedDeal[]
  ambiguousCandles: number
  missingInDeals: number
  unaffordableOrders: number
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
    levels: createLevels(config.dcaMaxSafetyOrders),
    openedAt: 0,
    placed: 0,
    filled: 0,
    deals: [],
    ambiguousCandles: 0,
    missingInDeals: 0,
    unaffordableOrders: 0,
    outOfCash: false,
    seen: createObservations(config.investment),
  }
}

/** Buys the base order at the open and places the safety orders, or ends the bot when not even the base order fits. */
function openDeal(bot: Bot, openTime: number, open: number): void {
  bot.writeLevels(open * (1 + bot.slippageRate), bot.levels)
  const orders = affordableOrders(bot.levels, Math.min(bot.input.config.dcaTotalBudget, bot.cash))
  if (orders === 0) {
    bot.state = 'stopped'
    bot.outOfCash = true
    return
  }
  bot.state = 'inDeal'
  bot.openedAt = openTime
  bot.placed = orders - 1
  bot.filled = 0
  bot.unaffordableOrders += bot.levels.orders - orders
}

function unchanged({ filled }: Bot): PathEnd {
  return { filled, filledAtLow: filled, exit: null }
}

function decideCandle(bot: Bot, candle: Candle): PathEnd {
  const lowFirst = walkCandle(bot, candle, 'low-first')
  const highFirst = walkCandle(bot, candle, 'high-first')
  if (areAmbiguous(lowFirst, highFirst)) bot.ambiguousCandles++
  const { levels, feeRate } = bot
  return choosePathEnd(bot.input.conventions.intrabar, { lowFirst, highFirst }, { levels, feeRate, candle })
}

function closeDeal(bot: Bot, openTime: number, { filled, exit, price }: Extract<PathEnd, { price: number }>): void {
  const quantity = bot.levels.quantity[filled]
  const cost = bot.levels.cost[filled]
  const proceeds = quantity * price * (1 - bot.feeRate)
  const profit = proceeds - cost
  const { openedAt } = bot
  bot.deals.push({ openedAt, closedAt: openTime, exit, safetyOrders: filled, quantity, cost, proceeds, profit, price })
  bot.cash += profit
  bot.state = exit === 'stopLoss' && bot.input.conventions.afterStopLoss === 'stop' ? 'stopped' : 'flat'
}

function finish(bot: Bot): BacktestResult {
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
    outOfCash: bot.outOfCash,
  })
  return { metrics, deals: bot.deals, openDeal }
}

function valueOpenDeal(bot: Bot, lastClose: number): OpenDeal {
  const quantity = bot.levels.quantity[bot.filled]
  const cost = bot.levels.cost[bot.filled]
  const value = quantity * lastClose * (1 - bot.feeRate)
  return { openedAt: bot.openedAt, safetyOrders: bot.filled, quantity, cost, value, profit: value - cost }
}
