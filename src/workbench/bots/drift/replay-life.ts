/** A bot's configuration replayed on candles: from its start, stopped and started as the bot was; and whether it does what the bot did. Pure. */
import type { DcaSpotConfig, Exit } from '../../../contract/bot.ts'
import { ORDER_ROLES, ORDER_STATES, type OrderRole, type OrderState } from '../../../contract/bot-bodies.ts'
import type { Candles } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import { type LiveCommand, type LiveState, replayBot } from '../../../engine/live.ts'
import { Failure } from '../../../errors.ts'
import type { ActivityOperations, BotOperations } from '../../api/calls.ts'
import { failureOf, type ReadOutcome } from '../../api/outcome.ts'
import type { BotReading, ExecutionReading, OrderReading, Page, PnlReading } from '../../api/reading/readings.ts'
import { resolutionAt } from '../../search/calibration/compared-metrics.ts'
import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'

// What a bot did and what its replay does, in one form, so that the two can be laid side by side. Pure.

/** One purchase or sale. Amounts in quote, `quantity` in base. */
export interface TradedFill {
  /** Open time of its candle, ms UTC; of a sale by a stop its own time. */
  readonly at: number
  /** From 1, in the order of time. */
  readonly deal: number
  readonly role: OrderRole
  /** 1 … n for safety orders, else null. */
  readonly safetyOrder: number | null
  readonly price: number
  readonly quantity: number
  /** Null where the service does not report it. */
  readonly fee: number | null
  /** Of its deal, as the service reports it at a sale; absent in a replay. */
  readonly profit?: number | null
}

/** An order in its last state. */
interface TradedOrder {
  readonly deal: number
  readonly role: OrderRole
  readonly safetyOrder: number | null
  /** Null where the service's word for it is not one of ours. */
  readonly state: OrderState | null
  readonly price: number
  readonly quantity: number
}

export interface TradedDeal {
  readonly number: number
  readonly openedAt: number
  /** Null while it is open. */
  readonly closedAt: number | null
  readonly exit: Exit | 'close' | null
  readonly safetyOrders: number
  readonly fills: readonly TradedFill[]
}

export type OrUnstated<T> = { readonly value: T } | { readonly unstated: string }

type Placed = Omit<TradedFill, 'deal' | 'role' | 'safetyOrder'> & {
  readonly service: Pick<ExecutionReading, 'deal' | 'role' | 'safetyOrder'>
  readonly isBuy: boolean
}

/** The executions of a service, newest first, as fills, oldest first. Unstated where one of them lacks what a comparison needs. */
export function fillsOfExecutions(
  executions: readonly ExecutionReading[],
  { intervalMs }: { readonly intervalMs: number },
): OrUnstated<readonly TradedFill[]> {
  const placed: Placed[] = []
  for (const execution of executions.toReversed()) {
    const { executedAt, price, role, side, fee, profit } = execution
    const quantity = execution.quantity ?? dividedBy(execution.quote, price)
    const isBuy = side === null ? role === 'base' || role === 'safety' : /^(buy|bid)$/i.test(side)
    const lacks = executedAt === null ? 'time' : price === null ? 'price' : quantity === null ? 'quantity' : null
    if (lacks !== null || executedAt === null || price === null || quantity === null) {
      return { unstated: `an execution has no readable ${lacks}` }
    }
    if (side === null && role === null) return { unstated: 'an execution says neither its side nor its role' }
    const at = role === 'close' ? executedAt : Math.floor(executedAt / intervalMs) * intervalMs
    placed.push({ at, price, quantity, fee, profit, isBuy, service: execution })
  }
  const deals = placed.every(({ service }) => service.deal !== null) ? groupedByNumber(placed) : groupedBySale(placed)
  return { value: deals.flatMap((deal, index) => namedFills(deal, index + 1)) }
}

function dividedBy(quote: number | null, price: number | null): number | null {
  return quote === null || price === null || price === 0 ? null : quote / price
}

function groupedByNumber(placed: readonly Placed[]): readonly (readonly Placed[])[] {
  const numbers = [...new Set(placed.map(({ service }) => service.deal))].sort((a, b) => Number(a) - Number(b))
  return numbers.map((number) => placed.filter(({ service }) => service.deal === number))
}

/** A service that does not number its deals: the first purchase after a sale begins the next one. */
function groupedBySale(placed: readonly Placed[]): readonly (readonly Placed[])[] {
  const deals: Placed[][] = []
  let isFlat = true
  for (const fill of placed.toSorted((a, b) => a.at - b.at)) {
    if (isFlat) deals.push([])
    deals.at(-1)?.push(fill)
    isFlat = !fill.isBuy
  }
  return deals
}

/** Purchases in their order: the base order, then safety order 1, 2 …; last the sale. Roles that are stated win over this. */
function namedFills(deal: readonly Placed[], number: number): readonly TradedFill[] {
  const sorted = deal.toSorted(
    (a, b) =>
      Number(b.isBuy) - Number(a.isBuy) || a.at - b.at || (a.service.safetyOrder ?? 0) - (b.service.safetyOrder ?? 0),
  )
  const bought = sorted.filter(({ isBuy }) => isBuy)
  const quote = bought.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const average = quote / bought.reduce((sum, { quantity }) => sum + quantity, 0)
  return sorted.map(({ service, isBuy, ...fill }, index) => {
    const guess = isBuy ? (index === 0 ? 'base' : 'safety') : fill.price > average ? 'takeProfit' : 'stopLoss'
    const role = ORDER_ROLES.find((name) => name === service.role) ?? guess
    return { ...fill, deal: number, role, safetyOrder: role === 'safety' ? (service.safetyOrder ?? index) : null }
  })
}

/** The orders of a service; unstated where it does not say to which deal they belong and what they are for. */
export function ordersOfService(orders: readonly OrderReading[]): OrUnstated<readonly TradedOrder[]> {
  const numbers = [...new Set(orders.map(({ deal }) => deal))].sort((a, b) => Number(a) - Number(b))
  const found: TradedOrder[] = []
  for (const { deal, role, safetyOrder, state, price, quantity } of orders) {
    const known = ORDER_ROLES.find((name) => name === role)
    if (deal === null || known === undefined || price === null || quantity === null) {
      return { unstated: 'an order does not say its deal, its role, its price or its quantity' }
    }
    const isKnown = ORDER_STATES.find((name) => name === state) ?? null
    found.push({ deal: numbers.indexOf(deal) + 1, role: known, safetyOrder, state: isKnown, price, quantity })
  }
  return { value: found }
}

/** What a replayed bot bought and sold. */
function fillsOfReplay({ fills, orders }: LiveState, feePercent: number): readonly TradedFill[] {
  return fills.map(({ order, price, quantity, quote, at }) => {
    const { deal, role, safetyOrder } = orders[order]
    return { at, deal, role, safetyOrder, price, quantity, fee: (quote * feePercent) / 100 }
  })
}

function ordersOfReplay({ orders }: LiveState): readonly TradedOrder[] {
  return orders.map(({ deal, role, safetyOrder, state, price, quantity }) => ({
    ...{ deal, role, safetyOrder, state },
    ...{ price, quantity },
  }))
}

/** Fills of one bot as its deals, oldest first. */
export function dealsOfFills(fills: readonly TradedFill[]): readonly TradedDeal[] {
  const byNumber = new Map<number, TradedFill[]>()
  for (const fill of fills) {
    const known = byNumber.get(fill.deal)
    if (known === undefined) byNumber.set(fill.deal, [fill])
    else known.push(fill)
  }
  return [...byNumber].map(([number, ofDeal]) => {
    const sale = ofDeal.find(({ role }) => role !== 'base' && role !== 'safety')
    const { role = 'base' } = sale ?? {}
    const exit = role === 'base' || role === 'safety' ? null : role
    const safetyOrders = ofDeal.filter(({ role }) => role === 'safety').length
    return { number, openedAt: ofDeal[0].at, closedAt: sale?.at ?? null, exit, safetyOrders, fills: ofDeal }
  })
}

/**
 * Profit of a deal in quote, after fees; an open one is valued at `lastClose` less the fee of selling. A fee that is not stated is
 * taken as `feePercent`.
 */
export function dealProfit(
  { fills }: Pick<TradedDeal, 'fills'>,
  { lastClose, feePercent }: { readonly lastClose: number; readonly feePercent: number },
): number {
  let [profit, quantity] = [0, 0]
  for (const fill of fills) {
    const quote = fill.price * fill.quantity
    const isBuy = fill.role === 'base' || fill.role === 'safety'
    profit += (isBuy ? -quote : quote) - (fill.fee ?? (quote * feePercent) / 100)
    quantity += isBuy ? fill.quantity : -fill.quantity
  }
  const isClosed = fills.some(({ role }) => role !== 'base' && role !== 'safety')
  return isClosed ? profit : profit + quantity * lastClose * (1 - feePercent / 100)
}

// Reads what a service reports of one bot: the bot, its profit, its executions and orders.

export interface LifeReading {
  readonly bot: BotReading
  readonly pnl: OrUnstated<PnlReading>
  /** Newest first. */
  readonly executions: OrUnstated<readonly ExecutionReading[]>
  readonly orders: OrUnstated<readonly OrderReading[]>
}

type LifeOperations = Pick<BotOperations, 'readBot'> & ActivityOperations

/** Asked for at once; a service may give fewer. */
const PAGE = 1000
/** A longer list is assumed to repeat its pages without end. */
const MOST_PAGES = 200

/** A bot that trades between the requests is read again so often. */
const MOST_READINGS = 4

/**
 * What the service refuses, lacks or spells in a way that cannot be read is unstated, with the reason; so are orders and profit of a bot that traded
 * during every reading: they are of other moments than its executions.
 * @throws Failure when the bot itself cannot be read
 */
export async function readLife(client: LifeOperations, id: string): Promise<LifeReading> {
  for (let reading = 1; ; reading++) {
    const life = await readOnce(client, id)
    if ('unstated' in life.executions) return life
    const latest = await client.listExecutions(id, { limit: 1 })
    const newest = latest.kind === 'ok' ? latest.value.items.at(0) : undefined
    if (newest === undefined || JSON.stringify(newest) === JSON.stringify(life.executions.value.at(0))) return life
    if (reading === MOST_READINGS) {
      const moves = (what: string) => ({ unstated: `${what}: it traded during each of ${MOST_READINGS} readings` })
      return { ...life, orders: moves('its orders'), pnl: moves('its profit') }
    }
  }
}

async function readOnce(client: LifeOperations, id: string): Promise<LifeReading> {
  const bot = await client.readBot(id)
  if (bot.kind !== 'ok') throw failureOf(bot, `Reading bot ${id}`)
  const executions = await readAll((next) => client.listExecutions(id, { limit: PAGE, ...next }), 'its executions')
  const orders = await readAll((next) => client.listOrders(id, { limit: PAGE, ...next }), 'its orders')
  const pnl = await client.readPnl(id)
  return {
    bot: bot.value,
    executions,
    orders,
    pnl: pnl.kind === 'ok' ? { value: pnl.value } : { unstated: failureOf(pnl, 'its profit').message },
  }
}

async function readAll<T>(
  readPage: (next: { readonly next?: string }) => Promise<ReadOutcome<Page<T>>>,
  what: string,
): Promise<OrUnstated<readonly T[]>> {
  const items: T[] = []
  let next: string | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const outcome = await readPage(next === undefined ? {} : { next })
    if (outcome.kind !== 'ok') return { unstated: failureOf(outcome, what).message }
    items.push(...outcome.value.items)
    const { unreadable } = outcome.value
    if (unreadable > 0) return { unstated: `${what}: ${unreadable} of them could not be read` }
    if (outcome.value.next === null) return { value: items }
    next = outcome.value.next
  }
  throw new Failure('serviceUnreadable', `Reading ${what}: the list has more than ${MOST_PAGES} pages`)
}

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
 * The commands that a bot got, as far as what it did shows them: its first start; a stop for each sale by a stop, and before it the one that kept
 * the position, where the bot has stopped longer than that; a start before the deal that follows a stop or a stop loss; the last stop.
 */
export function commandsOf({ config, from, stoppedAt }: BotSpan, deals: readonly TradedDeal[]): readonly LiveCommand[] {
  const commands: LiveCommand[] = [{ kind: 'start', at: from, config }]
  deals.forEach(({ exit, openedAt, closedAt }, index) => {
    if (closedAt === null || (exit !== 'close' && exit !== 'stopLoss')) return
    const next = deals.at(index + 1)
    if (exit === 'close') {
      const isKept = next === undefined && stoppedAt !== null && stoppedAt >= openedAt && stoppedAt < closedAt
      if (isKept) commands.push({ kind: 'stop', at: stoppedAt, closePosition: false })
      commands.push({ kind: 'stop', at: closedAt, closePosition: true })
    }
    if (next !== undefined) commands.push({ kind: 'start', at: next.openedAt, config })
  })
  const last = commands.at(-1)
  if (stoppedAt !== null && !(last?.kind === 'stop' && last.at === stoppedAt) && (last?.at ?? 0) <= stoppedAt) {
    commands.push({ kind: 'stop', at: stoppedAt, closePosition: false })
  }
  return commands
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
