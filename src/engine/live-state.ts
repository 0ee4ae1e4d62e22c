/** The commands that a running bot was given, and its state. */
import type { DcaSpotConfig } from '../contract/bot.ts'
import type { OpenDeal } from './deal.ts'
import type { LiveBook } from './live-book.ts'

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
