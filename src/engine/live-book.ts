import { type Exit, saleOf } from '../contract/bot.ts'
import type { Levels, orderRules } from './levels.ts'
import { roundDown } from './numbers.ts'

/**
 * The orders and fills of a live bot in the order of their creation; their numbers never change. The orders of one deal are
 * neighbours:
 *
 *     base · rung 1 … rung n · take profit · stop (where there is one) · close (a sale to the market, by which a stop with closePosition ends a deal)
 */
export interface LiveBook {
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

export function createBook(): LiveBook {
  return { orders: [], fills: [], dealStart: 0, rungs: 0 }
}

/** The quantity that one order buys. Level rows hold sums, so it is a difference, rounded to a whole number of lots. */
function rungQuantity(levels: Levels, row: number, lot: ReturnType<typeof orderRules>['lot']): number {
  if (row === 0) return levels.quantity[0]
  const bought = levels.quantity[row] - levels.quantity[row - 1]
  return lot === null ? bought : roundDown(bought * (1 + 1e-9), lot)
}

/** Places every order of a new deal; its base order fills at once. */
export function placeDeal(
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
export function fillRungs(
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

export interface Sale {
  readonly role: Exit | 'close'
  readonly price: number
  readonly quantity: number
  readonly profit: number
  readonly at: number
}

/** Sells the whole position and cancels what else was open. */
export function sellPosition(book: LiveBook, sale: Sale): void {
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
export function cancelOrders(book: LiveBook, at: number): void {
  for (const order of dealOrders(book)) if (order.state === 'open') setState(order, 'cancelled', at)
}

/** Places the cancelled orders of the last deal again, under their numbers. */
export function placeAgain(book: LiveBook, at: number): void {
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
