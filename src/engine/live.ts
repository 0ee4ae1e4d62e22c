import { type DcaSpotConfig, type Exit, saleOf } from '../contract/bot.ts'
import type { Candle, PathEnd } from './candle-path.ts'
import type { Candles } from './candles.ts'
import type { Conventions, Costs, SymbolRules } from './conventions.ts'
import { datedEquity } from './daily-equity.ts'
import type { OpenDeal } from './deal.ts'
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
import { roundDown } from './numbers.ts'

export type LiveCommand =
  /** At `at` (ms UTC) or later the bot opens its next deal, or places the orders of the position it kept. */
  | { readonly kind: 'start'; readonly at: number; readonly config: DcaSpotConfig }
  /** For deals that open at `at` or later. */
  | { readonly kind: 'update'; readonly at: number; readonly config: DcaSpotConfig }
  /** Cancels the orders; sells the position at the last close, or keeps it. */
  | { readonly kind: 'stop'; readonly at: number; readonly closePosition: boolean }

interface LiveStop {
  readonly at: number
  readonly reason: 'request' | 'outOfCash' | 'stopLoss'
}

export interface LiveState {
  /** Null while the bot runs. */
  readonly stop: LiveStop | null
  /** In the order of their numbers, oldest first. */
  readonly orders: Readonly<LiveBook['orders']>
  readonly fills: Readonly<LiveBook['fills']>
  readonly openDeal: OpenDeal | null
  /** Quote in hand, without the cost of the open deal. */
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
  readonly unplacedOrders: number
}

/**
 * The orders and fills of a live bot in the order of their creation; their numbers never change. The orders of one deal are
 * neighbours:
 *
 *     base · rung 1 … rung n · take profit · stop (where there is one) · close (a sale to the market, by which a stop with closePosition ends a deal)
 */
interface LiveBook {
  readonly orders: LiveOrder[]
  readonly fills: LiveFill[]
  /** Index of the base order of the last deal; its number of rungs. */
  dealStart: number
  rungs: number
}

interface LiveOrder {
  /** From 0, without gaps. */
  readonly number: number
  /** From 1. */
  readonly deal: number
  readonly side: 'buy' | 'sell'
  readonly type: 'market' | 'limit' | 'stop'
  readonly role: 'base' | 'safety' | Exit | 'close'
  /** 1 … n, null for all but safety orders. */
  readonly safetyOrder: number | null
  state: 'open' | 'filled' | 'cancelled'
  /** Limit, trigger, or of a market order its fill. */
  price: number
  /** Base. */
  quantity: number
  /** ms UTC, as are all times here. */
  readonly placedAt: number
  updatedAt: number
}

interface LiveFill {
  /** `LiveOrder.number` */
  readonly order: number
  readonly price: number
  readonly quantity: number
  /** price · quantity */
  readonly quote: number
  /** Of the whole deal, on the sale that closes it. */
  readonly profit: number | null
  readonly at: number
}

interface Sale {
  readonly role: Exit | 'close'
  readonly price: number
  readonly quantity: number
  readonly profit: number
  readonly at: number
}

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

function createBook(): LiveBook {
  return { orders: [], fills: [], dealStart: 0, rungs: 0 }
}

/** The quantity that one order buys. Level rows hold sums, so it is a difference, rounded to a whole number of lots. */
function rungQuantity(levels: Levels, row: number, lot: ReturnType<typeof orderRules>['lot']): number {
  if (row === 0) return levels.quantity[0]
  const bought = levels.quantity[row] - levels.quantity[row - 1]
  return lot === null ? bought : roundDown(bought * (1 + 1e-9), lot)
}

/** Places every order of a new deal; its base order fills at once. */
function placeDeal(
  book: LiveBook,
  deal: {
    readonly number: number
    readonly levels: Levels
    readonly placed: number
    readonly lot: ReturnType<typeof orderRules>['lot']
    readonly at: number
  },
): void {
  const { number, levels, placed, lot, at } = deal
  book.dealStart = book.orders.length
  book.rungs = placed
  const place = (order: Pick<LiveOrder, 'side' | 'type' | 'role' | 'safetyOrder' | 'price' | 'quantity'>) =>
    book.orders.push({
      number: book.orders.length,
      deal: number,
      ...order,
      state: 'open',
      placedAt: at,
      updatedAt: at,
    })
  const quantity = levels.quantity[0]
  place({ side: 'buy', type: 'market', role: 'base', safetyOrder: null, price: levels.price[0], quantity })
  for (let k = 1; k <= placed; k++) {
    const rung = { price: levels.price[k], quantity: rungQuantity(levels, k, lot) }
    place({ side: 'buy', type: 'limit', role: 'safety', safetyOrder: k, ...rung })
  }
  const sale = { side: 'sell', safetyOrder: null, quantity } as const
  place({ ...sale, type: 'limit', role: 'takeProfit', price: levels.takeProfit[0] })
  if (levels.stop[0] > 0) place({ ...sale, type: 'stop', role: 'stopLoss', price: levels.stop[0] })
  fillOrder(book, book.orders[book.dealStart], { price: levels.price[0], at, profit: null })
}

/** Fills the rungs `from` … `to` and moves take profit and stop to the new position. */
function fillRungs(
  book: LiveBook,
  levels: Levels,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): void {
  for (let k = from; k <= to; k++) {
    const rung = book.orders[book.dealStart + k]
    fillOrder(book, rung, { price: rung.price, at, profit: null })
  }
  for (const sale of book.orders.slice(book.dealStart + book.rungs + 1)) {
    sale.price = sale.role === 'takeProfit' ? levels.takeProfit[to] : levels.stop[to]
    sale.quantity = levels.quantity[to]
    sale.updatedAt = at
  }
}

/** Sells the whole position and cancels what else was open. */
function sellPosition(book: LiveBook, sale: Sale): void {
  const { role, price, quantity, profit, at } = sale
  const { deal } = book.orders[book.dealStart]
  if (role === 'close' || saleOf(role) === 'market') {
    const market = { side: 'sell', type: 'market', role, safetyOrder: null, state: 'open', price, quantity } as const
    book.orders.push({ number: book.orders.length, deal, ...market, placedAt: at, updatedAt: at })
  }
  const order = dealOrders(book).find((each) => each.role === role)
  if (order === undefined) throw new Error(`deal ${deal} has no order of the role ${role}`)
  fillOrder(book, order, { price, at, profit })
  cancelOrders(book, at)
}

/** Cancels all open orders. The orders of a position that is kept can be placed again. */
function cancelOrders(book: LiveBook, at: number): void {
  for (const order of dealOrders(book)) if (order.state === 'open') setState(order, 'cancelled', at)
}

/** Places the cancelled orders of the last deal again, under their numbers. */
function placeAgain(book: LiveBook, at: number): void {
  for (const order of dealOrders(book)) if (order.state === 'cancelled') setState(order, 'open', at)
}

function dealOrders(book: LiveBook): LiveOrder[] {
  return book.orders.slice(book.dealStart)
}

function setState(order: LiveOrder, state: LiveOrder['state'], at: number): void {
  order.state = state
  order.updatedAt = at
}

function fillOrder(
  book: LiveBook,
  order: LiveOrder,
  { price, at, profit }: { readonly price: number; readonly at: number; readonly profit: number | null },
): void {
  setState(order, 'filled', at)
  const { number, quantity } = order
  book.fills.push({ order: number, price, quantity, quote: price * quantity, profit, at })
}
