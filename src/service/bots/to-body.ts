/** What the service says of a bot, its executions, orders, profit and loss, in the bodies of the contract. */
import type { BotBody, ExecutionBody, OrderBody, PnlBody } from '../../contract/bot-bodies.ts'
import { marketName } from '../../contract/market.ts'
import { ENGINE_VERSION } from '../../engine/backtest.ts'
import type { Candles } from '../../engine/candles.ts'
import type { LiveState } from '../../engine/live.ts'
import { isRunning, type LiveBot } from './live-bots.ts'

/** A live bot as the body of the contract. */
export function toBotBody(bot: LiveBot): BotBody {
  const { record, life, trouble } = bot
  const start = record.commands.findLast(({ kind }) => kind === 'start')
  const stop = life === null ? storedStop(bot) : life.state.stop
  return {
    id: record.id,
    ...record.payload,
    state: start === undefined ? 'created' : stop === null ? 'running' : 'stopped',
    createdAt: toTime(record.createdAt),
    updatedAt: toTime(Math.max(record.updatedAt, stop?.at ?? 0)),
    startedAt: start === undefined ? null : toTime(start.at),
    stoppedAt: stop === null ? null : toTime(stop.at),
    stopReason: stop?.reason ?? null,
    tradedUntil: findTradedUntil(bot),
    problem: trouble?.words ?? findIdleness(bot),
  }
}

function findTradedUntil({ life }: LiveBot): string | null {
  const seen = life === null ? undefined : spanOf(life.market.candles)
  return seen === undefined ? null : toTime(Math.min(seen.to, life?.state.stop?.at ?? seen.to))
}

/** Of a bot whose market has had no candle since its start, and has none to come. */
function findIdleness({ record, life }: LiveBot): string | null {
  if (life === null || life.state.stop !== null) return null
  const { candles, ended } = life.market
  if (!ended || candles.openTime.length > 0) return null
  return `${marketName(record.payload)} has no candles since its start: it does nothing until there are more`
}

/** The stop of a bot whose life cannot be computed: its last stop command without a later start. */
function storedStop(bot: LiveBot): LiveState['stop'] {
  const last = bot.record.commands.findLast(({ kind }) => kind === 'stop')
  return last === undefined || isRunning(bot) ? null : { at: last.at, reason: 'request' }
}

/** The execution with this number, counted from 0. */
export function toExecutionBody({ record }: LiveBot, state: LiveState, number: number): ExecutionBody {
  const fill = state.fills[number]
  const { deal, side, role, safetyOrder } = state.orders[fill.order]
  const feeRate = (record.terms?.costs.feePercent ?? 0) / 100
  return {
    id: `${record.id}-e${number + 1}`,
    orderId: orderId(record.id, fill.order),
    deal,
    side,
    role,
    safetyOrder,
    price: fill.price,
    quantity: fill.quantity,
    quote: fill.quote,
    fee: fill.quote * feeRate,
    profit: fill.profit,
    executedAt: toTime(fill.at),
  }
}

export function toOrderBody({ record }: LiveBot, state: LiveState, number: number): OrderBody {
  const { number: _, placedAt, updatedAt, ...order } = state.orders[number]
  return { id: orderId(record.id, number), ...order, placedAt: toTime(placedAt), updatedAt: toTime(updatedAt) }
}

export function toPnlBody({ record, now, life }: LiveBot): PnlBody {
  const { id, payload, terms } = record
  const head = { botId: id, marketTime: toTime(now), investment: payload.investment, engineVersion: ENGINE_VERSION }
  if (life === null || terms === null) return { ...head, ...nothingYet(payload.investment) }
  const { state, market } = life
  const seen = spanOf(market.candles)
  const volume = state.fills.reduce((sum, { quote }) => sum + quote, 0)
  const netProfit = state.realizedProfit + (state.openDeal?.profit ?? 0)
  return {
    ...head,
    candles:
      seen === undefined
        ? null
        : {
            market: marketName(payload),
            interval: terms.interval,
            from: toTime(seen.from),
            to: toTime(seen.to),
            count: market.candles.openTime.length,
            synthetic: market.synthetic,
            ended: market.ended,
          },
    cash: state.cash,
    equity: state.equity,
    realizedProfit: state.realizedProfit,
    unrealizedProfit: state.openDeal?.profit ?? 0,
    netProfit,
    roiPercent: (100 * netProfit) / payload.investment,
    maxDrawdownPercent: state.maxDrawdownPercent,
    feesPaid: (volume * terms.costs.feePercent) / 100,
    volume,
    orders: state.fills.length,
    closedDeals: state.closedDeals,
    winRatePercent: state.closedDeals === 0 ? null : (100 * state.wins) / state.closedDeals,
    stopLosses: state.stopLosses,
    ambiguousCandles: state.ambiguousCandles,
    unaffordableOrders: state.unaffordableOrders,
    unplacedOrders: state.unplacedOrders,
    openDeal: state.openDeal === null ? null : { ...state.openDeal, openedAt: toTime(state.openDeal.openedAt) },
    dailyEquity: state.dailyEquity,
    conventions: terms.conventions,
    costs: terms.costs,
  }
}

function nothingYet(investment: number): Omit<PnlBody, 'botId' | 'marketTime' | 'investment' | 'engineVersion'> {
  return {
    candles: null,
    cash: investment,
    equity: investment,
    realizedProfit: 0,
    unrealizedProfit: 0,
    netProfit: 0,
    roiPercent: 0,
    maxDrawdownPercent: 0,
    feesPaid: 0,
    volume: 0,
    orders: 0,
    closedDeals: 0,
    winRatePercent: null,
    stopLosses: 0,
    ambiguousCandles: 0,
    unaffordableOrders: 0,
    unplacedOrders: 0,
    openDeal: null,
    dailyEquity: [],
    conventions: null,
    costs: null,
  }
}

/** ms UTC; undefined without a candle. */
function spanOf({ openTime, intervalMs }: Candles) {
  const [from, last] = [openTime.at(0), openTime.at(-1)]
  return from === undefined || last === undefined ? undefined : { from, to: last + intervalMs }
}

function orderId(botId: string, number: number): string {
  return `${botId}-o${number + 1}`
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
