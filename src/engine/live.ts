import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Candle, PathEnd } from './candle-path.ts'
import type { Candles } from './candles.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'
import { datedEquity } from './daily-equity.ts'
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
import {
  cancelOrders,
  createBook,
  fillRungs,
  type LiveBook,
  placeAgain,
  placeDeal,
  type Sale,
  sellPosition,
} from './live-book.ts'
import type { LiveCommand, LiveState } from './live-state.ts'

export interface LiveInput {
  /** Complete ones, from the first start on. */
  readonly candles: Candles
  /** Oldest first, beginning with a start; all of them in the past. `investment` is the same in all configs. */
  readonly commands: readonly LiveCommand[]
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

/**
 * A bot that is started, changed and stopped while its market goes on. It does on each candle what the reference engine does: a
 * bot that was started once and left alone has the result of a backtest over the same candles. In addition it records every order
 * and fill.
 *
 * Commands take effect between two candles. A candle that was not complete when a bot was stopped is not traded; a deal opens
 * under the config that was in force when its candle opened, and keeps it.
 */
interface Bot extends DealState {
  readonly input: LiveInput
  /** Of the next deal. */
  nextConfig: DcaSpotConfig
  stop: LiveState['stop']
  /** Candles that opened before the last start are watched, not traded. */
  tradesFrom: number
  inDeal: boolean
  writer: { readonly config: DcaSpotConfig; readonly write: (startPrice: number, levels: Levels) => void } | null
  deals: number
  realizedProfit: number
  closedDeals: number
  wins: number
  stopLosses: number
  lastOpen: number
  lastClose: number
  readonly book: LiveBook
  readonly seen: Observations
}

/** Computes the bot's state from its commands and the candles so far. Same input, same state. */
export function replayBot(input: LiveInput): LiveState {
  const { commands } = input
  const bot = createBot(input)
  const { intervalMs, openTime, open, high, low, close } = input.candles
  let obeyed = 0
  for (let i = 0; i < openTime.length; i++) {
    const due = countDue(commands, obeyed, openTime[i], openTime[i] + intervalMs)
    for (; obeyed < due; obeyed++) obey(bot, commands[obeyed])
    watchCandle(bot, { openTime: openTime[i], open: open[i], high: high[i], low: low[i], close: close[i] })
    bot.lastOpen = openTime[i]
    bot.lastClose = close[i]
  }
  for (; obeyed < commands.length; obeyed++) obey(bot, commands[obeyed])
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
    nextConfig: config,
    stop: { at, reason: 'request' },
    tradesFrom: at,
    cash: config.investment,
    inDeal: false,
    levels: createLevels(0),
    writer: null,
    openedAt: 0,
    placed: 0,
    filled: 0,
    lowestValue: 0,
    deals: 0,
    realizedProfit: 0,
    closedDeals: 0,
    wins: 0,
    stopLosses: 0,
    ambiguousCandles: 0,
    unaffordableOrders: 0,
    unplacedOrders: 0,
    lastOpen: 0,
    lastClose: 0,
    book: createBook(),
    seen: createObservations(config.investment),
  }
}

/**
 * How many commands take effect before a candle (the first `obeyed` already have): starts and updates up to its open, stops up to
 * its close (the candle was not complete then), and all commands before such a stop.
 */
function countDue(commands: readonly LiveCommand[], obeyed: number, openTime: number, closeTime: number): number {
  let due = obeyed
  for (let i = obeyed; i < commands.length && commands[i].at < closeTime; i++) {
    if (commands[i].kind === 'stop' || commands[i].at <= openTime) due = i + 1
  }
  return due
}

function obey(bot: Bot, command: LiveCommand): void {
  const { at } = command
  switch (command.kind) {
    case 'update':
      bot.nextConfig = command.config
      return
    case 'start':
      bot.nextConfig = command.config
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
  const { filled } = bot
  const outcome: PathEnd = trades
    ? passCandle(bot, candle, bot.input.conventions.intrabar)
    : { filled, filledAtLow: filled, exit: null }
  observeDealCandle(bot.seen, candle, bot, outcome)
  const at = candle.openTime
  if (outcome.filled > filled) fillRungs(bot.book, bot.levels, { from: filled + 1, to: outcome.filled, at })
  bot.filled = outcome.filled
  if (outcome.exit === null) return
  closeDeal(bot, at, outcome)
  if (outcome.exit === 'stopLoss' && bot.input.conventions.afterStopLoss === 'stop') {
    bot.stop = { at, reason: 'stopLoss' }
  }
}

/** Buys the base order at the open and places the rest, or ends the bot when not even the base order fits. */
function openDeal(bot: Bot, { openTime, open }: { readonly openTime: number; readonly open: number }): void {
  const { nextConfig: config } = bot
  const { conventions, costs, symbol } = bot.input
  const rules = orderRules(symbol, conventions.lotRounding)
  if (bot.writer?.config !== config) {
    bot.writer = { config, write: createLevelWriter(ladderTerms(config, conventions, costs), rules) }
    bot.levels = createLevels(config.dcaMaxSafetyOrders)
  }
  if (!startDeal(bot, bot.writer.write, { openTime, open, config })) {
    bot.stop = { at: openTime, reason: 'outOfCash' }
    return
  }
  bot.inDeal = true
  bot.deals++
  placeDeal(bot.book, { number: bot.deals, levels: bot.levels, placed: bot.placed, lot: rules.lot, at: openTime })
}

function closeDeal(bot: Bot, at: number, { exit, price }: Pick<Sale, 'price'> & { readonly exit: Sale['role'] }): void {
  const { quantity, profit } = sellAll(bot, price)
  sellPosition(bot.book, { role: exit, price, quantity, profit, at })
  bot.inDeal = false
  bot.cash += profit
  bot.realizedProfit += profit
  bot.closedDeals++
  if (profit > 0) bot.wins++
  if (exit === 'stopLoss') bot.stopLosses++
}

function describe(bot: Bot): LiveState {
  const openDeal = bot.inDeal ? valueOpenDeal(bot, bot.lastClose) : null
  const { realizedProfit, closedDeals, wins, stopLosses, ambiguousCandles } = bot
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
    unaffordableOrders: bot.unaffordableOrders,
    unplacedOrders: bot.unplacedOrders,
  }
}
