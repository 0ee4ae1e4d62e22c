/**
 * What we understood of a reply. Every service is read into these shapes, whatever its dialect; what could not be read is null
 * and, for metrics, named in `flags`. Times are ms UTC.
 */

import type { FieldProblem, OpenDealBody } from '../../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { Market } from '../../../contract/market.ts'
import type { ResultReading } from '../../../contract/result-reading.ts'
import type { Understood } from './shape.ts'
import type { EXECUTION_SHAPE, ORDER_SHAPE, PNL_SHAPE } from './shapes.ts'

/** `unknown` keeps being polled. */
export type JobReadingState = 'pending' | 'done' | 'failed' | 'deleted' | 'unknown'

export interface JobReading {
  readonly id: string
  readonly name: string | null
  readonly state: JobReadingState
  /** The state in the service's own word; empty when it names none. */
  readonly stateText: string
  readonly createdAt: number | null
  readonly finishedAt: number | null
  /** What was asked, as far as the service echoes it. */
  readonly request: JobRequestReading | null
  readonly result: ResultReading | null
  /** Why it failed, in the service's own words. */
  readonly error: string | null
  /** As received, scrubbed of keys: the whole reply, or its item of a list. A dialect reads either of them again (`reread.ts`). */
  readonly rawText: string
}

export interface JobRequestReading {
  readonly market: Market | null
  readonly period: { readonly from: number; readonly to: number } | null
  readonly interval: string | null
  /** The fields that were echoed as readable numbers. */
  readonly config: Readonly<Partial<DcaSpotConfig>>
}

/** One page of the job list. */
export interface JobPage {
  readonly jobs: readonly JobReading[]
  /** Hand it back to `listJobs` for the following page; null on the last one. */
  readonly next: string | null
  /** Items without a usable id. A list that has any is not evidence of absence. */
  readonly unreadable: number
}

/** GET /api/backtest/limits; each number is null when the body does not tell. */
export interface LimitsReading {
  readonly limit: number | null
  readonly windowMs: number | null
  readonly windowType: 'sliding' | 'fixed' | null
  readonly used: number | null
  readonly remaining: number | null
  readonly nextAt: number | null
}

export interface SymbolReading {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly tickSize: number | null
  readonly lotSize: number | null
  readonly minNotional: number | null
  readonly candles: readonly { readonly interval: string; readonly from: number | null; readonly to: number | null }[]
}

export interface BotReading {
  readonly id: string
  readonly name: string | null
  readonly userEmail: string | null
  readonly strategyType: string | null
  readonly market: Market | null
  readonly config: Readonly<Partial<DcaSpotConfig>>
  /** true only when the body says exactly `"isDemo": true`; anything else counts as a real bot. */
  readonly isDemo: boolean
  readonly state: BotReadingState
  /** The state in the service's own word; empty when it names none. */
  readonly stateText: string
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly startedAt: number | null
  readonly stoppedAt: number | null
  /** Why a stopped bot stands, in the service's own words. */
  readonly stopReason: string | null
  /** End of the last candle it has seen. */
  readonly tradedUntil: number | null
  /** Why the service cannot say more of it, in its own words. */
  readonly problem: string | null
  readonly rawText: string
}

/** `unknown` is shown in the service's own word and never taken for running. */
export type BotReadingState = 'created' | 'running' | 'stopped' | 'unknown'

export interface BotPage {
  readonly bots: readonly BotReading[]
  readonly next: string | null
  readonly unreadable: number
}

/** One fill; null for what the service does not tell. Amounts in quote, `quantity` in base. */
export type ExecutionReading = Understood<typeof EXECUTION_SHAPE>

export type OrderReading = Understood<typeof ORDER_SHAPE>

export interface ActivityPage<T> {
  readonly items: readonly T[]
  /** Hand it back for the following page; null on the last one. */
  readonly next: string | null
  /** Items that are neither execution nor order. */
  readonly unreadable: number
}

/** A bot's profit and loss, in quote; null for what the service does not tell. */
export type PnlReading = Omit<
  Understood<typeof PNL_SHAPE>,
  'candles' | 'openDeal' | 'dailyEquity' | 'conventions' | 'costs' | 'engineVersion'
> & {
  readonly openDeal: OpenDealBody | null
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
  readonly rawText: string
}

/** The reply to an update, a start or a stop; null when it shows no bot (it was done all the same). */
export interface BotReply {
  readonly bot: BotReading | null
}

export interface ValidationReading {
  readonly valid: boolean
  readonly errors: readonly FieldProblem[]
}
