/** A bot's configuration replayed on candles: from its start, stopped and started as the bot was; and whether it does what the bot did. Pure. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Candles, lowerBound } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import { replayBot } from '../../../engine/live.ts'
import type { LiveCommand, LiveState } from '../../../engine/live-state.ts'
import { resolutionAt } from '../../search/calibration/compared-metrics.ts'
import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import {
  dealsOfFills,
  fillsOfReplay,
  ordersOfReplay,
  type TradedDeal,
  type TradedFill,
  type TradedOrder,
} from './traded-life.ts'

/** What a replay follows from, beside conventions and costs. */
export interface LifeInput {
  /** From the first start on. */
  readonly candles: Candles
  readonly symbol: SymbolRules
  /** Oldest first, beginning with a start. */
  readonly commands: readonly LiveCommand[]
}

export interface ReplayedLife {
  readonly fills: readonly TradedFill[]
  readonly orders: readonly TradedOrder[]
  readonly deals: readonly TradedDeal[]
  /** Quote; the open deal at the last close less the fee of selling. */
  readonly netProfit: number
  readonly dailyEquity: LiveState['dailyEquity']
}

export function replayLife(
  { candles, symbol, commands }: LifeInput,
  { conventions, costs }: AssumedTerms,
): ReplayedLife {
  const state = replayBot({ candles, symbol, commands, conventions, costs })
  const fills = fillsOfReplay(state, costs.feePercent)
  const start = commands.find(({ kind }) => kind === 'start')
  const investment = start?.kind === 'start' ? start.config.investment : 0
  return {
    fills,
    orders: ordersOfReplay(state),
    deals: dealsOfFills(fills),
    netProfit: state.equity - investment,
    dailyEquity: state.dailyEquity,
  }
}

export interface BotSpan {
  readonly config: DcaSpotConfig
  /** The first start, ms UTC. */
  readonly from: number
  /** The last stop that was asked for, and not made by the bot itself; null = none is known. */
  readonly stoppedAt: number | null
}

/**
 * The commands that a bot got, as far as what it did shows them: its first start; a stop for each sale by a stop, and a start before
 * the deal that follows it; the last stop.
 */
export function commandsOf({ config, from, stoppedAt }: BotSpan, deals: readonly TradedDeal[]): readonly LiveCommand[] {
  const commands: LiveCommand[] = [{ kind: 'start', at: from, config }]
  deals.forEach(({ exit, closedAt }, index) => {
    if (exit !== 'close' || closedAt === null) return
    commands.push({ kind: 'stop', at: closedAt, closePosition: true })
    const next = deals.at(index + 1)
    if (next !== undefined) commands.push({ kind: 'start', at: next.openedAt, config })
  })
  const last = commands.at(-1)
  if (stoppedAt !== null && !(last?.kind === 'stop' && last.at === stoppedAt) && (last?.at ?? 0) <= stoppedAt) {
    commands.push({ kind: 'stop', at: stoppedAt, closePosition: false })
  }
  return commands
}

/** The same, with a rest wherever the bot let a candle pass without a deal. The same list when it did so nowhere. */
export function withRests(
  commands: readonly LiveCommand[],
  deals: readonly TradedDeal[],
  { openTime, intervalMs }: Pick<Candles, 'openTime' | 'intervalMs'>,
): readonly LiveCommand[] {
  const first = commands.at(0)
  if (first?.kind !== 'start') return commands
  const { config } = first
  const passes = (from: number, to: number) => lowerBound(openTime, from) < lowerBound(openTime, to)
  const rests: LiveCommand[] = []
  let start: LiveCommand = first
  deals.forEach(({ openedAt }, index) => {
    const before = index === 0 ? undefined : deals[index - 1]
    if (before === undefined) {
      if (passes(first.at, openedAt)) start = { ...first, at: openedAt }
      return
    }
    if (before.closedAt === null || before.exit === 'close') return
    const free = Math.floor(before.closedAt / intervalMs) * intervalMs + intervalMs
    if (!passes(free, openedAt)) return
    rests.push({ kind: 'stop', at: free, closePosition: false }, { kind: 'start', at: openedAt, config })
  })
  if (rests.length === 0 && start === first) return commands
  return [start, ...[...commands.slice(1), ...rests].toSorted((a, b) => a.at - b.at)]
}

// Whether a replay does exactly what a bot did, as finely as the service reports it. Pure.

/** What a service reported of a bot. */
export interface BotLife {
  /** Oldest first. */
  readonly fills: readonly TradedFill[]
  /** Null where the service does not report them. */
  readonly orders: readonly TradedOrder[] | null
  /** Quote, at the end of the candles; null where the service does not report it. */
  readonly netProfit: number | null
  /** Percent of what was traded; null where the service does not report it. The fee of a single fill wins. */
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

interface LifeQuestion {
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
