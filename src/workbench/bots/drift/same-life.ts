/** Whether a replay does exactly what a bot did, as finely as the service tells it. Pure. */
import { resolutionAt } from '../../search/detective/compared-metrics.ts'
import type { ReplayedLife } from './replay-life.ts'
import type { TradedFill, TradedOrder } from './traded-life.ts'

/** What a service told of a bot. */
export interface BotLife {
  /** Oldest first. */
  readonly fills: readonly TradedFill[]
  /** Null where the service does not tell them. */
  readonly orders: readonly TradedOrder[] | null
  /** Quote, at the end of the candles; null where the service does not tell it. */
  readonly netProfit: number | null
  /** Percent of what was traded; null where the service does not tell it. The fee of a single fill wins. */
  readonly feePercent: number | null
}

/** A unit of the last decimal that is seen of each amount: what rounding may take away. */
export interface Decimals {
  readonly price: number
  readonly quantity: number
  readonly fee: number
  readonly orderPrice: number
  readonly orderQuantity: number
  readonly profit: number
}

export function decimalsOfLife({ fills, orders, netProfit }: BotLife): Decimals {
  const placed = orders ?? []
  return {
    price: resolutionAt(fills.map(({ price }) => price)),
    quantity: resolutionAt(fills.map(({ quantity }) => quantity)),
    fee: unitOf(fills.flatMap(({ fee }) => fee ?? [])),
    orderPrice: resolutionAt(placed.map(({ price }) => price)),
    orderQuantity: resolutionAt(placed.map(({ quantity }) => quantity)),
    profit: unitOf(netProfit === null ? [] : [netProfit]),
  }
}

/** Nothing but zeros has no decimals to be seen, and was not rounded: there is no fee. */
function unitOf(amounts: readonly number[]): number {
  return amounts.every((amount) => amount === 0) ? 0 : resolutionAt(amounts)
}

/** Sums of the same amounts in another order differ relatively by less than this. */
const NEARLY_SAME = 1e-9

function isNear(reported: number, computed: number, unit: number): boolean {
  return Math.abs(reported - computed) <= unit + NEARLY_SAME * Math.max(Math.abs(reported), Math.abs(computed))
}

export interface LifeQuestion {
  readonly bot: BotLife
  readonly decimals: Decimals
  readonly intervalMs: number
  /** Only what happened on candles before; absent = all of it, with the profit. */
  readonly until?: number
}

/** Every fill on the same candle, for the same price, quantity and fee; every order; the profit. */
export function isSameLife({ bot, decimals, intervalMs, until }: LifeQuestion, replay: ReplayedLife): boolean {
  const isBefore = ({ at }: TradedFill) => until === undefined || at < until
  const reported = bot.fills.filter(isBefore)
  if (reported.length !== replay.fills.length) return false
  if (!reported.every((fill, index) => isSameFill(fill, replay.fills[index], decimals, intervalMs))) return false
  if (bot.orders !== null && !areSameOrders(bot.orders, replay, decimals, until)) return false
  return until !== undefined || bot.netProfit === null || isNearProfit(bot.netProfit, replay.netProfit, decimals)
}

function isNearProfit(reported: number, computed: number, { profit }: Decimals): boolean {
  return Math.abs(reported - computed) <= profit + 1e-7
}

function isSameFill(reported: TradedFill, computed: TradedFill, decimals: Decimals, intervalMs: number): boolean {
  return (
    reported.deal === computed.deal &&
    reported.role === computed.role &&
    reported.safetyOrder === computed.safetyOrder &&
    Math.floor(reported.at / intervalMs) === Math.floor(computed.at / intervalMs) &&
    isNear(reported.price, computed.price, decimals.price) &&
    isNear(reported.quantity, computed.quantity, decimals.quantity) &&
    (reported.fee === null || isNear(reported.fee, computed.fee ?? 0, decimals.fee))
  )
}

/** Before its end a bot's orders still move: then only those of deals that are closed are compared. */
function areSameOrders(
  reported: readonly TradedOrder[],
  { orders, deals }: ReplayedLife,
  decimals: Decimals,
  until: number | undefined,
): boolean {
  const closed = new Set(deals.flatMap(({ number, closedAt }) => (closedAt === null ? [] : [number])))
  const counts = ({ deal }: TradedOrder) => until === undefined || closed.has(deal)
  const mine = new Map(reported.filter(counts).map((order) => [keyOfOrder(order), order]))
  const theirs = orders.filter(counts)
  if (mine.size !== theirs.length) return false
  return theirs.every((order) => {
    const own = mine.get(keyOfOrder(order))
    return own !== undefined && isSameOrder(own, order, decimals)
  })
}

export function keyOfOrder({ deal, role, safetyOrder }: TradedOrder): string {
  return `${deal} ${role} ${safetyOrder}`
}

export function isSameOrder(reported: TradedOrder, computed: TradedOrder, decimals: Decimals): boolean {
  return (
    (reported.state === null || reported.state === computed.state) &&
    isNear(reported.price, computed.price, decimals.orderPrice) &&
    isNear(reported.quantity, computed.quantity, decimals.orderQuantity)
  )
}
