/** The bodies of bots: the bot itself, its fills, orders, profit and loss, in the form our own service uses (assumptions … A-37). */
import type { CostsBody, OpenDealBody } from './bodies.ts'
import { type DcaSpotConfig, EXIT_NAMES } from './bot.ts'

/** Bots: create, read, list, update, start, stop. The times of a bot are market times. */
export interface BotBody extends DcaSpotConfig {
  readonly id: string
  readonly userEmail: string
  readonly name: string
  readonly strategyType: string
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly isDemo: boolean
  readonly state: BotState
  readonly createdAt: string
  readonly updatedAt: string
  /** The last start. */
  readonly startedAt: string | null
  /** Null while the bot runs and before its first start. */
  readonly stoppedAt: string | null
  /** Why a bot is stopped: by request, because not even its base order fitted, or by its stop loss. */
  readonly stopReason: StopReason | null
  /** End of the last candle the bot has seen, at the latest its stop; for a running bot whose market has ended, this time does not move. Null before the first one. */
  readonly tradedUntil: string | null
  /**
   * Why the bot's state cannot be computed (the other fields then say only how it was created and which commands it got), or why it runs and
   * cannot trade: no candles since its start. Else null.
   */
  readonly problem: string | null
}

export const BOT_STATES = ['created', 'running', 'stopped'] as const
type BotState = (typeof BOT_STATES)[number]

export const STOP_REASONS = ['request', 'outOfCash', 'stopLoss'] as const
type StopReason = (typeof STOP_REASONS)[number]

/** GET /api/bots: newest first; `next` is the query string of the following page, or null. */
export interface BotListBody {
  readonly bots: readonly BotBody[]
  readonly next: string | null
}

/** What an order is for. `close` is the sale by a stop with closePosition=true. */
export const ORDER_ROLES = ['base', 'safety', ...EXIT_NAMES, 'close'] as const
export type OrderRole = (typeof ORDER_ROLES)[number]

/** GET /api/bots/{id}/executions: newest first; `next` is the query string of the following page, or null. */
export interface ExecutionListBody {
  readonly executions: readonly ExecutionBody[]
  readonly next: string | null
}

/** One fill. */
export interface ExecutionBody {
  readonly id: string
  readonly orderId: string
  /** Deals of a bot are numbered from 1. */
  readonly deal: number
  readonly side: 'buy' | 'sell'
  readonly role: OrderRole
  /** 1 … n for safety orders, else null. */
  readonly safetyOrder: number | null
  readonly price: number
  /** Base. */
  readonly quantity: number
  /** price · quantity, before the fee. */
  readonly quote: number
  /** In quote. */
  readonly fee: number
  /** On the sale that closes a deal: the deal's profit after all fees. Else null. */
  readonly profit: number | null
  /** Market time: the open of the candle on which it filled; a sale by a stop with closePosition=true has the time of the stop. */
  readonly executedAt: string
}

/** GET /api/bots/{id}/orders: newest first; `next` is the query string of the following page, or null. */
export interface OrderListBody {
  readonly orders: readonly OrderBody[]
  readonly next: string | null
}

export const ORDER_STATES = ['open', 'filled', 'cancelled'] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** One order: the base order, each placed safety order, the take profit of the whole position, and the stop where there is one. */
export interface OrderBody {
  readonly id: string
  readonly deal: number
  readonly side: 'buy' | 'sell'
  /** A `stop` is a market sale once the price touches `price`. */
  readonly type: 'market' | 'limit' | 'stop'
  readonly role: OrderRole
  readonly safetyOrder: number | null
  readonly state: OrderState
  /** Limit price, trigger price of a stop, or fill price of a market order. */
  readonly price: number
  /** Base. Of take profit and stop always the whole position. */
  readonly quantity: number
  readonly placedAt: string
  /** The last change: re-priced, filled, cancelled, placed again. */
  readonly updatedAt: string
}

/** GET /api/bots/{id}/pnl: the bot from its first start until now, in the metrics of a backtest. Amounts in quote. */
export interface PnlBody {
  readonly botId: string
  /** The market clock when this was computed. */
  readonly marketTime: string
  /** The candles the bot has seen, from its first start on; null before the first one. */
  readonly candles: LiveCandlesBody | null
  readonly investment: number
  /** Quote in hand, without the cost of the open deal. */
  readonly cash: number
  /** cash + the open deal at the last close less the fee of selling. */
  readonly equity: number
  readonly realizedProfit: number
  readonly unrealizedProfit: number
  readonly netProfit: number
  readonly roiPercent: number
  readonly maxDrawdownPercent: number
  readonly feesPaid: number
  readonly volume: number
  /** Number of executions. */
  readonly orders: number
  readonly closedDeals: number
  readonly winRatePercent: number | null
  readonly stopLosses: number
  readonly ambiguousCandles: number
  readonly unaffordableOrders: number
  readonly unplacedOrders: number
  readonly openDeal: OpenDealBody | null
  /** At UTC day ends of market time; the last day may be partial. */
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
  /** The conventions the bot trades under, fixed at its first start; null before. Absent, as what follows, where the service does not disclose them. */
  readonly conventions?: Readonly<Record<string, unknown>> | null
  readonly costs?: CostsBody | null
  readonly engineVersion?: string
}

export interface LiveCandlesBody {
  readonly market: string
  readonly interval: string
  readonly from: string
  /** End of the last complete candle. */
  readonly to: string
  readonly count: number
  readonly synthetic: boolean
  /** True when the market, or this stretch of it, has no candle after these: the bot does nothing until there are more. */
  readonly ended: boolean
}
