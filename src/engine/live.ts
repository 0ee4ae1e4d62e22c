import type { DcaSpotConfig } from '../contract/bot.ts'
import { areAmbiguous, type Candle, choosePathEnd, isEventCandle, type PathEnd, walkCandle } from './candle-path.ts'
import type { Candles } from './candles.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'
import { datedEquity } from './daily-equity.ts'
import type { ClosedDeal, OpenDeal } from './deal.ts'
import { ladderTerms } from './ladder-terms.ts'
import { affordableOrders, createLevels, createLevelWriter, type Levels, orderRules } from './levels.ts'
import {
  cancelOrders,
  createBook,
  fillRungs,
  type LiveBook,
  type LiveFill,
  type LiveOrder,
  placeAgain,
  placeDeal,
  sellPosition,
} from './live-book.ts'
import { createObservations, type Observations, observeDealCandle, observeFlatCandle } from './observations.ts'

/**
 * A bot that is started, changed and stopped while its market goes on. It does on each candle what the reference engine does: a bot
 * that was started once and left alone has the result of a backtest over the same candles. Here every order and fill is kept, too.
 *
 * Between two candles stand the commands. A candle that was not complete when a bot was stopped is not traded; a deal opens under the
 * config that was in force when its candle opened, and keeps it.
 */
export type LiveCommand =
  /** At `at` (ms UTC) or later the bot opens its next deal, or places the orders of the position it kept. */
  | { readonly kind: 'start'; readonly at: number; readonly config: DcaSpotConfig }
  /** For deals that open at `at` or later. */
  | { readonly kind: 'update'; readonly at: number; readonly config: DcaSpotConfig }
  /** Cancels the orders; sells the position at the last close, or keeps it. */
  | { readonly kind: 'stop'; readonly at: number; readonly closePosition: boolean }

export interface LiveInput {
  /** Complete ones, from the first start on. */
  readonly candles: Candles
  /** Oldest first, the first one a start; all of them in the past. `investment` is the same in all configs. */
  readonly commands: readonly LiveCommand[]
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

export interface LiveStop {
  readonly at: number
  readonly reason: 'request' | 'outOfCash' | 'stopLoss'
}

export interface LiveState {
  /** Null while the bot runs. */
  readonly stop: LiveStop | null
  /** By their numbers, oldest first. */
  readonly orders: readonly LiveOrder[]
  readonly fills: readonly LiveFill[]
  readonly openDeal: OpenDeal | null
  /** Quote in hand, the cost of the open deal taken out. */
  readonly cash: number
  readonly equity: number
  readonly realizedProfit: number
  readonly closedDeals: number
  readonly wins: number
  readonly stopLosses: number
  readonly maxDrawdownPercent: number
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
  readonly ambiguousCandles: number
  readonly unaffordableOrders: number
}

interface Bot {
  readonly input: LiveInput
  readonly feeRate: number
  readonly slippageRate: number
  /** Of the next deal. */
  config: DcaSpotConfig
  stop: LiveStop | null
  /** Candles that opened before the last start are watched, not traded. */
  tradesFrom: number
  /** Quote in hand when no deal is open; during a deal, what it started with. */
  cash: number
  inDeal: boolean
  levels: Levels
  writer: { readonly config: DcaSpotConfig; readonly write: (startPrice: number, levels: Levels) => void } | null
  openedAt: number
  placed: number
  filled: number
  deals: number
  realizedProfit: number
  closedDeals: number
  wins: number
  stopLosses: number
  ambiguousCandles: number
  unaffordableOrders: number
  lastOpen: number
  lastClose: number
  readonly book: LiveBook
  readonly seen: Observations
}

/** What became of the bot, as a function of what it was told and the candles so far. Same input, same state. */
export function replayBot(input: LiveInput): LiveState {
  const { commands } = input
  const bot = createBot(input)
  const { intervalMs, openTime, open, high, low, close } = input.candles
  let told = 0
  for (let i = 0; i < openTime.length; i++) {
    const due = countDue(commands, told, openTime[i], openTime[i] + intervalMs)
    for (; told < due; told++) obey(bot, commands[told])
    watchCandle(bot, { openTime: openTime[i], open: open[i], high: high[i], low: low[i], close: close[i] })
    bot.lastOpen = openTime[i]
    bot.lastClose = close[i]
  }
  for (; told < commands.length; told++) obey(bot, commands[told])
  return describe(bot)
}

function createBot(input: LiveInput): Bot {
  const first = input.commands.at(0)
  if (first?.kind !== 'start') throw new Error('a live bot begins with a start')
  const { config, at } = first
  return {
    input,
    feeRate: input.costs.feePercent / 100,
    slippageRate: input.costs.slippagePercent / 100,
    config,
    stop: { at, reason: 'request' },
    tradesFrom: at,
    cash: config.investment,
    inDeal: false,
    levels: createLevels(0),
    writer: null,
    openedAt: 0,
    placed: 0,
    filled: 0,
    deals: 0,
    realizedProfit: 0,
    closedDeals: 0,
    wins: 0,
    stopLosses: 0,
    ambiguousCandles: 0,
    unaffordableOrders: 0,
    lastOpen: 0,
    lastClose: 0,
    book: createBook(),
    seen: createObservations(config.investment),
  }
}

/**
 * How many commands come before a candle, of which `told` have been obeyed: starts and updates up to its open, stops up to its close
 * (the candle was not complete then), and whatever was said before such a stop.
 */
function countDue(commands: readonly LiveCommand[], told: number, openTime: number, closeTime: number): number {
  let due = told
  for (let i = told; i < commands.length && commands[i].at < closeTime; i++) {
    if (commands[i].kind === 'stop' || commands[i].at <= openTime) due = i + 1
  }
  return due
}

function obey(bot: Bot, command: LiveCommand): void {
  const { at } = command
  switch (command.kind) {
    case 'update':
      bot.config = command.config
      return
    case 'start':
      bot.config = command.config
      if (bot.stop === null) return
      bot.stop = null
      bot.tradesFrom = at
      if (bot.inDeal) placeAgain(bot.book, at)
      return
    case 'stop': {
      if (bot.stop === null) bot.stop = { at, reason: 'request' }
      if (!bot.inDeal) return
      cancelOrders(bot.book, at)
      if (!command.closePosition) return
      closeDeal(bot, at, { exit: 'close', price: bot.lastClose * (1 - bot.slippageRate) })
      observeFlatCandle(bot.seen, bot.lastOpen, bot.cash)
    }
  }
}

function watchCandle(bot: Bot, candle: Candle & { readonly openTime: number }): void {
  const trades = bot.stop === null && candle.openTime >= bot.tradesFrom
  if (trades && !bot.inDeal) openDeal(bot, candle)
  if (!bot.inDeal) {
    observeFlatCandle(bot.seen, candle.openTime, bot.cash)
    return
  }
  const outcome =
    trades && isEventCandle(bot, candle.high, candle.low) ? decideCandle(bot, candle) : unchanged(bot.filled)
  observeDealCandle(bot.seen, candle, bot, outcome)
  const at = candle.openTime
  if (outcome.filled > bot.filled) fillRungs(bot.book, bot.levels, { from: bot.filled + 1, to: outcome.filled, at })
  bot.filled = outcome.filled
  if (outcome.exit === null) return
  closeDeal(bot, at, outcome)
  if (outcome.exit === 'stopLoss' && bot.input.conventions.afterStopLoss === 'stop') {
    bot.stop = { at, reason: 'stopLoss' }
  }
}

/** Buys the base order at the open and places the rest, or ends the bot when not even the base order fits. */
function openDeal(bot: Bot, { openTime, open }: { readonly openTime: number; readonly open: number }): void {
  const { config } = bot
  const { conventions, costs, symbol } = bot.input
  const rules = orderRules(symbol, conventions.lotRounding)
  if (bot.writer?.config !== config) {
    bot.writer = { config, write: createLevelWriter(ladderTerms(config, conventions, costs), rules) }
    bot.levels = createLevels(config.dcaMaxSafetyOrders)
  }
  bot.writer.write(open * (1 + bot.slippageRate), bot.levels)
  const orders = affordableOrders(bot.levels, Math.min(config.dcaTotalBudget, bot.cash))
  if (orders === 0) {
    bot.stop = { at: openTime, reason: 'outOfCash' }
    return
  }
  bot.inDeal = true
  bot.deals++
  bot.openedAt = openTime
  bot.placed = orders - 1
  bot.filled = 0
  bot.unaffordableOrders += bot.levels.orders - orders
  placeDeal(bot.book, { number: bot.deals, levels: bot.levels, placed: bot.placed, lot: rules.lot, at: openTime })
}

function unchanged(filled: number): PathEnd {
  return { filled, filledAtLow: filled, exit: null }
}

function decideCandle(bot: Bot, candle: Candle): PathEnd {
  const lowFirst = walkCandle(bot, candle, 'low-first')
  const highFirst = walkCandle(bot, candle, 'high-first')
  if (areAmbiguous(lowFirst, highFirst)) bot.ambiguousCandles++
  const { levels, feeRate } = bot
  return choosePathEnd(bot.input.conventions.intrabar, { lowFirst, highFirst }, { levels, feeRate, candle })
}

function closeDeal(
  bot: Bot,
  at: number,
  { exit, price }: { readonly exit: ClosedDeal['exit'] | 'close'; readonly price: number },
): void {
  const quantity = bot.levels.quantity[bot.filled]
  const profit = quantity * price * (1 - bot.feeRate) - bot.levels.cost[bot.filled]
  sellPosition(bot.book, { role: exit, price, quantity, profit, at })
  bot.inDeal = false
  bot.cash += profit
  bot.realizedProfit += profit
  bot.closedDeals++
  if (profit > 0) bot.wins++
  if (exit === 'stopLoss') bot.stopLosses++
}

function describe(bot: Bot): LiveState {
  const openDeal = bot.inDeal ? valueOpenDeal(bot) : null
  const { realizedProfit, closedDeals, wins, stopLosses, ambiguousCandles, unaffordableOrders } = bot
  return {
    stop: bot.stop,
    orders: bot.book.orders,
    fills: bot.book.fills,
    openDeal,
    cash: bot.cash - (openDeal?.cost ?? 0),
    equity: bot.cash + (openDeal?.profit ?? 0),
    realizedProfit,
    closedDeals,
    wins,
    stopLosses,
    maxDrawdownPercent: 100 * bot.seen.drawdown.deepest,
    dailyEquity: datedEquity(bot.seen.dailyEquity),
    ambiguousCandles,
    unaffordableOrders,
  }
}

function valueOpenDeal(bot: Bot): OpenDeal {
  const quantity = bot.levels.quantity[bot.filled]
  const cost = bot.levels.cost[bot.filled]
  const value = quantity * bot.lastClose * (1 - bot.feeRate)
  return { openedAt: bot.openedAt, safetyOrders: bot.filled, quantity, cost, value, profit: value - cost }
}
